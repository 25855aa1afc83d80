import type { Tx } from '../db/client';
import { newId } from '../lib/ids';
import { insertDeliveries } from './queries/notification-deliveries';
import { listActiveChannels, type RuleRow } from './queries/notification-rules';
import { insertNotification, type NotificationRow } from './queries/notifications';

type Announcement = Pick<
  NotificationRow,
  'event' | 'condition' | 'title' | 'detail' | 'items' | 'items_total' | 'created_at'
> & { user_id?: string };

/** Stores a notice of a rule with one delivery for each of its channels that is on. @returns the deliveries */
export async function announce(
  tx: Tx,
  rule: Pick<RuleRow, 'id' | 'name' | 'tenant_id' | 'in_app'>,
  notice: Announcement,
): Promise<string[]> {
  const notification_id = newId();
  const { tenant_id, in_app } = rule;
  await insertNotification(tx, {
    ...notice,
    id: notification_id,
    tenant_id,
    rule_id: rule.id,
    rule_name: rule.name,
    in_app,
  });
  const rows = (await listActiveChannels(tx, rule.id)).map((channel) => ({
    id: newId(),
    notification_id,
    tenant_id,
    channel_id: channel.id,
    channel_name: channel.name,
    channel_kind: channel.kind,
    status: 'queued' as const,
    next_attempt_at: notice.created_at,
    created_at: notice.created_at,
  }));
  await insertDeliveries(tx, rows);
  return rows.map(({ id }) => id);
}
