import { DAY_MS } from '@/domain/durations';
import { listExpiryNotices } from '@/domain/notifications/expiring';
import type { TenantReach } from '@/domain/permissions';
import { EXPIRY_NOTICE_DAYS } from '@/domain/policy/expiry';
import { db } from '../../db/client';
import { listExpiring } from '../../enforcement/queries/expiries';
import { clock } from '../../lib/clock';
import type { Collector } from './collect-findings';

/** Policies of which something expires within the time in which it is announced, with what is reported. */
export async function readExpiryNotices() {
  const now = clock.now().getTime();
  const until = now + EXPIRY_NOTICE_DAYS * DAY_MS;
  const policies = await listExpiring(db, new Date(until).toISOString());
  return policies.map((policy) => ({ policy, notices: listExpiryNotices(policy, now, until) }));
}

const isVisible = (reach: TenantReach, tenantId: string | null) =>
  reach === 'all' || (tenantId !== null && reach.includes(tenantId));

/** Visible policies and rules that expire soon, or have expired. */
export const collectExpiringPolicies: Collector = async (reach) => ({
  facts: (await readExpiryNotices())
    .filter(({ policy }) => isVisible(reach, policy.tenant_id))
    .flatMap(({ policy, notices }) =>
      notices.map(({ subject_id, detail }) => ({
        condition: 'policy_expiring',
        key: subject_id,
        object_kind: 'policy',
        object_id: policy.id,
        object_name: policy.name,
        detail,
      })),
    ),
});
