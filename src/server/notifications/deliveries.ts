import type { Page } from '@/domain/list';
import type { NotificationDelivery, NotificationDeliveryListInput } from '@/domain/notifications/delivery';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { notFound } from '../lib/refusals';
import { notificationChanged } from './notification-changed';
import * as repository from './queries/notification-deliveries';
import { startDeliveries } from './start-deliveries';

/** One page of the deliveries within reach. */
export function listDeliveries(
  scope: Scope<'notification:read'>,
  input: NotificationDeliveryListInput,
): Promise<Page<NotificationDelivery>> {
  return repository.listDeliveries(scope.tenants, input);
}

/** @throws AppError `not_found` */
export async function readDelivery(scope: Scope<'notification:read'>, id: string): Promise<NotificationDelivery> {
  const delivery = await repository.findDelivery(db, scope.tenants, id);
  if (!delivery) throw notFound('delivery');
  return delivery;
}

/**
 * Tries a delivery that failed once more, with all its tries.
 * @throws AppError `not_found`; `refused` when it did not fail, or when its channel is gone
 */
export async function retryDelivery(scope: Scope<'notification:write'>, id: string): Promise<NotificationDelivery> {
  const delivery = await db.transaction(async (tx) => {
    const row = await repository.lockDelivery(tx, scope.tenants, id);
    if (!row) throw notFound('delivery');
    if (row.status !== 'failed') throw new AppError('refused', 'Only a delivery that failed can be tried again.');
    if (row.channel_id === null) throw new AppError('refused', 'Its channel was deleted.');
    await repository.requeueDelivery(tx, id, clock.now().toISOString());
    await notificationChanged(tx, row.tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_delivery.retried',
      object_kind: 'notification_delivery',
      object_id: id,
      object_name: row.channel_name,
      tenant_id: row.tenant_id,
    });
    return repository.findDelivery(tx, scope.tenants, id);
  });
  if (!delivery) throw notFound('delivery');
  await startDeliveries([id]);
  return delivery;
}
