import type { ChangeEdit, ChangeItem } from '@/domain/change/items';
import { type Owned, toOwner } from '@/domain/permissions';
import type { PolicyCreate, PolicySnapshot, PolicySummary } from '@/domain/policies';
import { completeSnapshot, identifyRules, isSameSnapshot, toPolicyFields } from '@/domain/policy/snapshot';
import { AppError } from '../../../lib/errors';
import { newId } from '../../../lib/ids';
import { assertVersion, refuseField } from '../../../lib/refusals';
import { changeOwner, chooseOwner } from '../../../tenancy/choose-owner';
import { pinPolicyGroups } from '../../groups/pin-groups';
import { assertNoPastEntered, assertRulesFit, assertTier } from '../../policies/change-policy';
import { findPolicy, isPolicyNameUsed, listPolicyRules } from '../../queries/policies';
import { type ItemContext, type NormalItem, objectNotFound } from './item-context';

type PolicyItem = Extract<ChangeItem, { kind: 'policy' }>;
type Given<K extends ChangeEdit['kind']> = Extract<ChangeEdit, { kind: K }>;
type Stored = { readonly row: PolicySummary; readonly before: PolicySnapshot & { version: number } };

/** A policy as it is stored. @throws AppError `not_found`, `version_conflict` with both versions */
async function readStored(
  { tx, scope }: ItemContext,
  at: number,
  { policy_id, base_version }: { policy_id: string; base_version?: number | undefined },
): Promise<Stored> {
  const row = await findPolicy(tx, scope.reach, policy_id);
  if (!row) throw objectNotFound('policy', at);
  const { version } = row;
  const content = { ...toPolicyFields(row), rules: await listPolicyRules(tx, policy_id) };
  assertVersion('policy', version, base_version, { policy_id, current: content });
  return { row, before: { ...content, version } };
}

/** The content that is asked for; a tier that is left out stays. Rules that were there before keep their ids. */
async function toSnapshot(
  { tx }: ItemContext,
  at: number,
  owner: Owned,
  { tenant_id: _, project_id: __, reason: ___, rules, ...fields }: PolicyCreate,
  before: Pick<PolicySnapshot, 'tier' | 'tenant_visibility'> | null,
  known: PolicySnapshot['rules'],
): Promise<PolicySnapshot> {
  const { tier, tenant_visibility, ...content } = fields;
  const after = completeSnapshot(owner.tenant_id, {
    ...content,
    definition: await pinPolicyGroups(tx, owner, content.definition),
    tier: tier ?? before?.tier,
    tenant_visibility: tenant_visibility ?? before?.tenant_visibility,
    rules: identifyRules(known, rules, newId),
  });
  assertTier(owner.tenant_id, after);
  assertRulesFit(after.rules, (field) => `items.${at}.policy.${field}`);
  return after;
}

async function assertNameFree({ tx }: ItemContext, at: number, owner: Owned, name: string): Promise<void> {
  if (!(await isPolicyNameUsed(tx, owner, name))) return;
  throw new AppError('conflict', `A policy named ${name} already exists.`, {
    errors: [{ field: `items.${at}.policy.name`, message: 'Choose another name.' }],
  });
}

/** What the edit adopts. An edit that is sent again with others of its change keeps it. */
const noteAdopted = (adopted: ChangeEdit['adopted_from'], after: PolicySnapshot, former: PolicyItem | undefined) =>
  adopted ? [...adopted] : former && isSameSnapshot(former.after, after) ? former.adopted_from : null;

/** @param former the item that created it, when a change that creates the policy is edited */
async function createPolicyItem(
  context: ItemContext,
  at: number,
  policy: PolicyCreate,
  adopted: ChangeEdit['adopted_from'],
  former: PolicyItem | undefined,
): Promise<NormalItem<'policy'>> {
  const owner = await chooseOwner(context.tx, context.scope.reach, policy);
  const after = await toSnapshot(context, at, owner, policy, null, former?.after.rules ?? []);
  await assertNameFree(context, at, owner, after.name);
  const policy_id = former?.policy_id ?? newId();
  const item = {
    ...{ kind: 'policy' as const, policy_id, name: after.name, ...owner },
    ...(former?.kept && { kept: former.kept }),
  };
  return {
    item: { ...item, base_version: null, before: null, after, adopted_from: noteAdopted(adopted, after, former) },
    owners: [owner],
  };
}

/** The edit of a policy, with its content before and after; without content it is applied as it is stored. */
export async function normalizePolicy(
  context: ItemContext,
  at: number,
  { policy_id, base_version, policy, adopted_from: adopted }: Given<'policy'>,
): Promise<NormalItem<'policy'>> {
  const former = context.former.find(
    (item): item is PolicyItem => item.kind === 'policy' && item.policy_id === policy_id,
  );
  if (policy_id === undefined || former?.before === null) {
    const content = policy ?? (former && { ...former.after, ...toOwner(former), reason: '' });
    if (content) return createPolicyItem(context, at, content, adopted, former);
    throw refuseField(`items.${at}.policy`, 'Specify policy_id, the content in policy, or both.');
  }
  const { row, before } = await readStored(context, at, { policy_id, base_version });
  if (policy?.tenant_id !== undefined && policy.tenant_id !== row.tenant_id) {
    throw new AppError('refused', 'A policy cannot be given to another tenant.', {
      errors: [{ field: `items.${at}.policy.tenant_id`, message: 'Leave this field out.' }],
    });
  }
  const project = policy?.project_id;
  const moves = project !== undefined && project !== row.project_id;
  const owner = moves ? await changeOwner(context.tx, context.scope.reach, row, project) : toOwner(row);
  const { version: _, ...stored } = before;
  const known = former ? [...before.rules, ...former.after.rules.filter(isNew(before.rules))] : before.rules;
  const after = policy ? await toSnapshot(context, at, owner, policy, before, known) : stored;
  if (!context.isFile) {
    assertNoPastEntered(after, [before, ...(former ? [former.after] : [])], (field) => `items.${at}.policy.${field}`);
  }
  if (moves || after.name !== before.name) await assertNameFree(context, at, owner, after.name);
  return {
    item: {
      kind: 'policy',
      policy_id,
      name: after.name,
      ...owner,
      ...(moves && { moved_from: { project_id: row.project_id } }),
      base_version: before.version,
      before,
      after,
      adopted_from: noteAdopted(adopted, after, former),
    },
    owners: [toOwner(row), owner],
  };
}

const isNew =
  (known: PolicySnapshot['rules']) =>
  ({ id }: PolicySnapshot['rules'][number]): boolean =>
    !known.some((rule) => rule.id === id);

/** The deletion of a policy. */
export async function normalizePolicyDeletion(
  context: ItemContext,
  at: number,
  given: Given<'policy_delete'>,
): Promise<NormalItem<'policy_delete'>> {
  const { row, before } = await readStored(context, at, given);
  const owner = toOwner(row);
  const { version: base_version, name } = before;
  return {
    item: { kind: 'policy_delete', policy_id: row.id, name, ...owner, base_version, before },
    owners: [owner],
  };
}
