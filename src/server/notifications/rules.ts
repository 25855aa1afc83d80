import { CONDITION_PERMISSION, type Condition, isTenantCondition } from '@/domain/notifications/condition';
import type { NotificationRule, NotificationRuleInput, NotificationRuleUpdate } from '@/domain/notifications/rule';
import { assertMayGrant } from '../access/users/may-grant';
import { recordAudit } from '../audit/record';
import type { Actor, Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound } from '../lib/refusals';
import { chooseTenant } from '../tenancy/choose-owner';
import { endIncidents } from './queries/notification-incidents';
import * as repository from './queries/notification-rules';

/**
 * Refuses a rule or a channel that would report what the actor may not read there: otherwise any user who may write
 * rules could read everything.
 * @throws AppError `forbidden`
 */
export async function assertMaySubscribe(
  tx: Tx,
  actor: Actor,
  tenantId: string | null,
  conditions: readonly Condition[],
): Promise<void> {
  const permissions = [...new Set(conditions.map((condition) => CONDITION_PERMISSION[condition]))];
  if (permissions.length > 0) await assertMayGrant(tx, actor, [{ permissions, tenant_id: tenantId, project_id: null }]);
}

/** Tells the pages that notices, incidents or deliveries of a tenant (null: of the installation) changed. */
export async function notificationChanged(tx: Tx, tenantId: string | null): Promise<void> {
  await publishEvent(tx, { type: 'notification.changed', ...(tenantId !== null && { tenant_id: tenantId }) });
}

export const noSuchRule = () => notFound('notification rule');

const FIELDS = [
  'name',
  'enabled',
  'conditions',
  'thresholds',
  'open_after_minutes',
  'close_after_minutes',
  'notify_recovery',
  'in_app',
] as const;
type Fields = Pick<repository.RuleRow, (typeof FIELDS)[number]>;
const toRuleFields = (rule: Fields): Fields =>
  Object.fromEntries(FIELDS.map((field) => [field, rule[field]])) as unknown as Fields;
const audited = (rule: NotificationRule) => ({
  ...toRuleFields(rule),
  channels: rule.channels.map(({ id, name }) => ({ id, name })),
});

/** Without its name: the row says what is wrong, the field where. @throws AppError `refused` */
function assertFitsTenant(tenantId: string | null, conditions: readonly Condition[]): void {
  const wrong = tenantId === null ? [] : conditions.filter((condition) => !isTenantCondition(condition));
  if (wrong.length === 0) return;
  const message = `${wrong.join(', ')}: clusters and agents belong to no tenant. Create a rule of the installation instead.`;
  throw new AppError('refused', message, { errors: [{ field: 'conditions', message }] });
}

/** @throws AppError `refused` when the rule would notify no one, or names a channel that is not of its tenant */
async function assertChannels(
  tx: Tx,
  tenantId: string | null,
  { in_app, channel_ids }: { in_app: boolean; channel_ids: readonly string[] },
): Promise<void> {
  if (!in_app && channel_ids.length === 0) {
    const message = 'The rule would notify no one: choose a channel, or show its notifications in the service.';
    throw new AppError('refused', message, { errors: [{ field: 'channel_ids', message }] });
  }
  const held = await repository.lockTenantChannelsForShare(tx, tenantId, channel_ids);
  if (held.length === channel_ids.length) return;
  const message = 'Choose channels of the same tenant as the rule.';
  throw new AppError('refused', message, { errors: [{ field: 'channel_ids', message }] });
}

async function stored(tx: Tx, id: string): Promise<NotificationRule> {
  const rule = await repository.findRule(tx, 'all', id);
  if (!rule) throw new Error('expected the stored rule to exist');
  return rule;
}

/** @throws AppError `not_found` */
export async function readRule(scope: Scope<'notification:read'>, id: string): Promise<NotificationRule> {
  const rule = await repository.findRule(db, scope.tenants, id);
  if (!rule) throw noSuchRule();
  return rule;
}

/**
 * Adds a rule. It looks at what is true from now on: what holds already opens as if it had begun now.
 * @throws AppError `conflict` when the name is taken, `malformed` without a tenant of the caller's, `refused` for conditions or
 * channels that do not fit the tenant, `forbidden` for conditions that the actor may not read
 */
export function createRule(
  scope: Scope<'notification:write'>,
  input: NotificationRuleInput,
): Promise<NotificationRule> {
  const id = newId();
  return db.transaction(async (tx) => {
    const tenant_id = await chooseTenant(tx, scope.tenants, input.tenant_id);
    assertFitsTenant(tenant_id, input.conditions);
    await assertMaySubscribe(tx, scope.actor, tenant_id, input.conditions);
    await assertChannels(tx, tenant_id, input);
    if (await repository.ruleNameTaken(tx, tenant_id, input.name)) throw nameTaken('rule', input.name);
    await repository.insertRule(tx, { id, tenant_id, ...toRuleFields(input) });
    await repository.replaceRuleChannels(tx, id, input.channel_ids);
    const rule = await stored(tx, id);
    await notificationChanged(tx, tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_rule.created',
      object_kind: 'notification_rule',
      object_id: id,
      object_name: input.name,
      tenant_id,
      after: audited(rule),
    });
    return rule;
  });
}

/**
 * Changes a rule; what is left out stays. Incidents of what it does not look at any more end without a notice.
 * @throws AppError as `createRule`; `not_found`, `version_conflict`
 */
export function updateRule(
  scope: Scope<'notification:write'>,
  id: string,
  { version, channel_ids, ...input }: NotificationRuleUpdate,
): Promise<NotificationRule> {
  return db.transaction(async (tx) => {
    const row = await repository.lockRule(tx, scope.tenants, id);
    if (!row) throw noSuchRule();
    assertVersion('rule', row.version, version);
    const before = await stored(tx, id);
    const held = await repository.listRuleChannelIds(tx, id);
    const requested = channel_ids ?? held;
    const changes = changedFields<repository.RuleRow, Partial<repository.RuleRow>>(row, input);
    const rerouted = requested.join() !== held.join();
    if (Object.keys(changes).length === 0 && !rerouted) return before;
    const after = { ...row, ...changes };
    assertFitsTenant(row.tenant_id, after.conditions);
    if (changes.conditions || rerouted || changes.enabled || changes.in_app)
      await assertMaySubscribe(tx, scope.actor, row.tenant_id, after.conditions);
    await assertChannels(tx, row.tenant_id, { in_app: after.in_app, channel_ids: requested });
    if (changes.name !== undefined && (await repository.ruleNameTaken(tx, row.tenant_id, changes.name)))
      throw nameTaken('rule', changes.name);
    await repository.updateRule(tx, id, changes);
    if (rerouted) await repository.replaceRuleChannels(tx, id, requested);
    if (changes.conditions || changes.enabled === false)
      await endIncidents(tx, id, after.enabled ? after.conditions : [], clock.now().toISOString());
    const rule = await stored(tx, id);
    await notificationChanged(tx, row.tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_rule.updated',
      object_kind: 'notification_rule',
      object_id: id,
      object_name: rule.name,
      tenant_id: row.tenant_id,
      before: audited(before),
      after: audited(rule),
    });
    return rule;
  });
}

/** Deletes a rule with its incidents; what it told stays. @throws AppError `not_found` */
export function deleteRule(scope: Scope<'notification:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await repository.lockRule(tx, scope.tenants, id);
    if (!row) throw noSuchRule();
    assertVersion('rule', row.version, version);
    const before = await stored(tx, id);
    await repository.deleteRuleRow(tx, id);
    await notificationChanged(tx, row.tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_rule.deleted',
      object_kind: 'notification_rule',
      object_id: id,
      object_name: row.name,
      tenant_id: row.tenant_id,
      before: audited(before),
    });
  });
}
