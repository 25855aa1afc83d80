import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { notificationDeliver } from '../jobs/definitions';
import { enqueue, enqueueOrWait } from '../jobs/enqueue';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { notFound } from '../lib/refusals';
import { computeLeaseCutoff } from './deliver-notification';
import * as repository from './queries/notification-deliveries';
import { insertDeliveries, listDueDeliveries } from './queries/notification-deliveries';
import { listActiveChannels, lockReportedChannelsForShare, type RuleRow } from './queries/notification-rules';
import { insertNotification, type NotificationRow } from './queries/notifications';
import { notificationChanged } from './rules';

/** More than these wait for the next round, so that one round never takes long. */
const MOST = 500;

/** Has deliveries sent now. That the queue does not answer is no failure: they are due, and found again. */
export async function startDeliveries(ids: readonly string[]): Promise<void> {
  await enqueueOrWait('notification deliveries', { delivery_ids: ids }, async () => {
    for (const delivery_id of ids) await enqueue(notificationDeliver, { delivery_id });
  });
}

/** Has sent what is due: first tries whose job was lost, further tries, and what a worker that ended left behind. */
export async function scheduleDeliveries(): Promise<void> {
  const now = clock.now();
  for (const delivery_id of await listDueDeliveries(db, now.toISOString(), computeLeaseCutoff(now), MOST))
    await enqueue(notificationDeliver, { delivery_id });
}

/** @throws AppError `not_found` */
export async function readDelivery(scope: Scope<'notification:read'>, id: string): Promise<NotificationDelivery> {
  const delivery = await repository.findDelivery(db, scope.tenants, id);
  if (!delivery) throw notFound('delivery');
  return delivery;
}

/**
 * Tries a delivery that failed once more, with all its tries. With a problem, its end that failed is tried after it.
 * @throws AppError `not_found`; `refused` when it did not fail, or when its channel is gone
 */
export async function retryDelivery(scope: Scope<'notification:write'>, id: string): Promise<NotificationDelivery> {
  const { delivery, ids } = await db.transaction(async (tx) => {
    const row = await repository.lockDelivery(tx, scope.tenants, id);
    if (!row) throw notFound('delivery');
    if (row.status !== 'failed') throw new AppError('refused', 'Only a failed delivery can be retried.');
    if (row.channel_id === null) throw new AppError('refused', 'The channel was deleted.');
    const ids = await repository.requeueDelivery(tx, row, clock.now().toISOString());
    await notificationChanged(tx, row.tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_delivery.retried',
      object_kind: 'notification_delivery',
      object_id: id,
      object_name: row.channel_name,
      tenant_id: row.tenant_id,
    });
    return { delivery: await repository.findDelivery(tx, scope.tenants, id), ids };
  });
  if (!delivery) throw notFound('delivery');
  await startDeliveries(ids);
  return delivery;
}

type Announcement = Pick<
  NotificationRow,
  'event' | 'condition' | 'title' | 'detail' | 'items' | 'items_total' | 'created_at'
> & { user_id?: string };

/**
 * Stores a notice of a rule with one delivery for each of its channels that is on; an end goes to the channels that the problem
 * was reported to instead, whatever became of them since. @returns the deliveries
 */
export async function storeNotice(
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
  const openedAt = notice.items.map((item) => item.opened_at);
  const channels =
    notice.event === 'closed'
      ? await lockReportedChannelsForShare(tx, rule.id, notice.condition, openedAt)
      : await listActiveChannels(tx, rule.id);
  const rows = channels.map((channel) => ({
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
