import type { Tx } from '../db/client';
import { publishEvent } from '../events/publish-event';

/** Tells the pages that notices, incidents or deliveries of a tenant (null: of the installation) changed. */
export async function notificationChanged(tx: Tx, tenantId: string | null): Promise<void> {
  await publishEvent(tx, { type: 'notification.changed', ...(tenantId !== null && { tenant_id: tenantId }) });
}
