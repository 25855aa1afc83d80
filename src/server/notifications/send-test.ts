import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { recordAudit } from '../audit/record';
import { countInWindow } from '../auth/queries/rate-limits';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { noSuchChannel } from './channels';
import { startDeliveries, storeNotice } from './deliveries';
import { findChannel } from './queries/notification-channels';
import { findDelivery, insertDeliveries } from './queries/notification-deliveries';
import { findRule } from './queries/notification-rules';
import { insertNotification } from './queries/notifications';
import { noSuchRule, notificationChanged } from './rules';

/** Tests per user and minute: enough to try a channel, too few to flood a receiver. */
const MOST_IN_WINDOW = 10;
const WINDOW_SECONDS = 60;

async function assertNotFlooding(tx: Tx, scope: Scope<'notification:write'>, at: string): Promise<void> {
  const key = `notification_test:${scope.actor.id ?? scope.actor.name}`;
  if ((await countInWindow(tx, key, WINDOW_SECONDS, at)) <= MOST_IN_WINDOW) return;
  throw new AppError(
    'too_many_requests',
    `At most ${MOST_IN_WINDOW} test messages per minute. Try again in a moment.`,
    {
      retryAfterSeconds: WINDOW_SECONDS,
    },
  );
}

/** The notice of a test. */
export const createTestNotice = (scope: { readonly actor: Scope['actor'] }, what: string, at: string) => ({
  event: 'test' as const,
  condition: null,
  title: 'Test notification',
  detail: `${scope.actor.name} sent this message to test ${what}. No action is needed.`,
  items: [],
  items_total: 0,
  created_at: at,
});

/**
 * Sends a test to one channel, on the same path as everything else; the delivery holds the result.
 * @throws AppError `not_found`, `refused` for a channel that is off, `too_many_requests`
 */
export async function testChannel(scope: Scope<'notification:write'>, id: string): Promise<NotificationDelivery> {
  const delivery = await db.transaction(async (tx) => {
    const at = clock.now().toISOString();
    const channel = await findChannel(tx, scope.tenants, id);
    if (!channel) throw noSuchChannel();
    if (!channel.enabled) throw new AppError('refused', 'The channel is turned off. Turn it on first.');
    await assertNotFlooding(tx, scope, at);
    const { tenant_id, name } = channel;
    const notification_id = newId();
    const notice = createTestNotice(scope, `the channel ${name}`, at);
    await insertNotification(tx, { ...notice, id: notification_id, tenant_id, in_app: false });
    const delivery_id = newId();
    await insertDeliveries(tx, [
      {
        id: delivery_id,
        notification_id,
        tenant_id,
        channel_id: id,
        channel_name: name,
        channel_kind: channel.kind,
        status: 'queued',
        next_attempt_at: at,
        created_at: at,
      },
    ]);
    await notificationChanged(tx, tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_channel.tested',
      object_kind: 'notification_channel',
      object_id: id,
      object_name: name,
      tenant_id,
    });
    const stored = await findDelivery(tx, 'all', delivery_id);
    if (!stored) throw new Error('expected the stored delivery to exist');
    return stored;
  });
  await startDeliveries([delivery.id]);
  return delivery;
}

/**
 * Sends a test on every path of a rule: to its enabled channels, and with `in_app` to the inbox of the user who
 * requests it.
 * @throws AppError `not_found`, `too_many_requests`
 */
export async function testRule(scope: Scope<'notification:write'>, id: string): Promise<{ deliveries: number }> {
  const deliveries = await db.transaction(async (tx) => {
    const at = clock.now().toISOString();
    const rule = await findRule(tx, scope.tenants, id);
    if (!rule) throw noSuchRule();
    await assertNotFlooding(tx, scope, at);
    const user_id = scope.actor.kind === 'user' ? scope.actor.id : undefined;
    const notice = {
      ...createTestNotice(scope, `the rule ${rule.name}`, at),
      ...(user_id !== undefined && { user_id }),
    };
    const ids = await storeNotice(tx, { ...rule, in_app: rule.in_app && user_id !== undefined }, notice);
    await notificationChanged(tx, rule.tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_rule.tested',
      object_kind: 'notification_rule',
      object_id: id,
      object_name: rule.name,
      tenant_id: rule.tenant_id,
    });
    return ids;
  });
  await startDeliveries(deliveries);
  return { deliveries: deliveries.length };
}
