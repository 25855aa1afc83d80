import type { PayloadPreview, PayloadPreviewInput } from '@/domain/notifications/channel';
import { formatNoticeMail, type Notice } from '@/domain/notifications/notice-body';
import { noticeText } from '@/domain/notifications/notice-text';
import { renderPayloads } from '@/domain/notifications/payloads';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { createTestNotice } from './send-test';
import { readMessageSettings } from './settings';

const SAMPLE_ID = '00000000-0000-4000-8000-000000000001';
const MINUTES = 60_000;

/** What a rule would report about a cluster that is made up. */
function sampleNotice(event: 'opened' | 'closed', now: Date): Notice {
  const at = now.toISOString();
  const since = new Date(now.getTime() - 5 * MINUTES).toISOString();
  const item = {
    incident_id: SAMPLE_ID,
    object_kind: 'cluster',
    object_id: SAMPLE_ID,
    object_name: 'pve-example',
    detail: `Cannot reach 192.0.2.10:8006 since ${since} (connection refused). Check the address and the node's firewall.`,
    first_seen_at: since,
    opened_at: event === 'opened' ? at : since,
    closed_at: event === 'closed' ? at : null,
    flaps: 0,
  };
  return {
    id: SAMPLE_ID,
    tenant_id: null,
    rule_id: SAMPLE_ID,
    rule_name: 'Example rule',
    event,
    condition: 'sync_failed',
    ...noticeText('sync_failed', event, [item], 1),
    items: [item],
    items_total: 1,
    created_at: at,
  };
}

/**
 * What a channel would send, by the function that makes the messages themselves. Secrets are not part of it: in place of an
 * integration key is a placeholder.
 */
export async function previewPayload(
  scope: Scope<'notification:read'>,
  { kind, template, time_zone, event }: PayloadPreviewInput,
): Promise<PayloadPreview> {
  const now = clock.now();
  const notice: Notice =
    event === 'test'
      ? {
          ...createTestNotice(scope, 'the channel Example', now.toISOString()),
          id: SAMPLE_ID,
          tenant_id: null,
          rule_id: null,
          rule_name: null,
        }
      : sampleNotice(event, now);
  const settings = await readMessageSettings(db, { time_zone: time_zone ?? null });
  if (kind === 'email') {
    const { subject, text } = formatNoticeMail(notice, settings.public_url, settings.time_zone);
    return { content_type: 'text/plain', subject, bodies: [text] };
  }
  const routing_key = template === 'pagerduty' ? 'INTEGRATION-KEY' : null;
  return {
    content_type: 'application/json',
    subject: null,
    bodies: renderPayloads(notice, { template, routing_key, ...settings }),
  };
}
