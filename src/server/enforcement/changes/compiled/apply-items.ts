import { isGroupItem } from '@/domain/change/item-objects';
import type { ChangeItem } from '@/domain/change/items';
import { type Owned, toOwner } from '@/domain/permissions';
import type { PolicySnapshot } from '@/domain/policies';
import type { InventoryIndex } from '@/domain/policy/inventory-index';
import { isSameSnapshot } from '@/domain/policy/snapshot';
import { clock } from '../../../lib/clock';
import { hasEqualPlacement } from '../../policies/equal-placement';
import { type PolicyInputs, withGroups } from '../../policies/policy-inputs';
import type { InputGroup, InputPolicy } from '../../queries/policy-inputs';

type PolicyItem = Extract<ChangeItem, { kind: 'policy' }>;

const toContent = ({ name, enabled, tier, tenant_visibility, priority, definition, rules }: PolicySnapshot) => ({
  ...{ name, enabled, tier, tenant_visibility, priority, definition },
  // Who answers for a rule, and until when, decides nothing about packets.
  rules: rules.map(({ id: _, owner: __, ticket: ___, expires_at: ____, ...rule }) => rule),
});

/** By policy, the number of its newest version; a policy that is deleted still has one. */
export type LastVersions = ReadonlyMap<string, number>;

/** The policy as storing the item makes it: one version more, unless it says the same. */
function storePolicy(
  stored: InputPolicy | undefined,
  item: PolicyItem,
  index: InventoryIndex,
  { now, last }: { now: string; last: LastVersions },
): InputPolicy {
  const { policy_id: id, before, after } = item;
  const content = { ...toContent(after), ...toOwner(item) };
  if (!stored) {
    const created_at = item.kept?.created_at ?? now;
    return { id, version: (last.get(id) ?? 0) + 1, rules_version: null, created_at, ...content };
  }
  const isSame = before !== null && before.version === stored.version && isSameSnapshot(before, after);
  if (isSame && stored.project_id === item.project_id) return stored;
  const next = { ...stored, ...content, version: stored.version + 1 };
  const rules_version = hasEqualPlacement(stored, next, index) ? (stored.rules_version ?? stored.version) : null;
  return { ...next, rules_version };
}

function storePolicies(inputs: PolicyInputs, items: readonly ChangeItem[], last: LastVersions): PolicyInputs {
  const policies = new Map(inputs.policies.map((policy) => [policy.id, policy]));
  const gone = new Map(inputs.gone);
  const now = clock.now().toISOString();
  for (const item of items) {
    if (item.kind === 'policy') {
      policies.set(item.policy_id, storePolicy(policies.get(item.policy_id), item, inputs.index, { now, last }));
    } else if (item.kind === 'policy_delete') {
      const deleted = policies.get(item.policy_id);
      policies.delete(item.policy_id);
      if (deleted) gone.set(deleted.id, toOwner(deleted));
    }
  }
  return { ...inputs, policies: [...policies.values()], gone };
}

function storeGroups(inputs: PolicyInputs, items: readonly ChangeItem[]): PolicyInputs {
  const groups = new Map(inputs.groups.map((group) => [group.id, group]));
  const addMembers = (group: InputGroup, add: readonly string[], remove: readonly string[]) => {
    const kept = group.added.filter((id) => !remove.includes(id));
    return { ...group, added: [...new Set([...kept, ...add])] };
  };
  for (const item of items) {
    if (item.kind === 'group') {
      const { name, member_tags, member_tags_match } = item.after;
      const { added = [] } = groups.get(item.group_id) ?? {};
      const group = { id: item.group_id, ...toOwner(item), name, member_tags, member_tags_match, added };
      groups.set(item.group_id, addMembers(group, item.add, []));
    } else if (item.kind === 'group_members') {
      const group = groups.get(item.group_id);
      if (group) groups.set(item.group_id, addMembers(group, item.add, item.remove));
    } else if (item.kind === 'group_delete') groups.delete(item.group_id);
  }
  return withGroups(inputs, [...groups.values()]);
}

/** Whether an item changes what the endpoints of policies resolve to. */
export const changesInventory = (item: ChangeItem): boolean => isGroupItem(item) || item.kind === 'move';

/** The owners that the items of a change give to workloads, by the workload's ID. */
export const listMoves = (items: readonly ChangeItem[]): ReadonlyMap<string, Owned> =>
  new Map(
    items.flatMap((item) => {
      if (item.kind !== 'move') return [];
      const owner = { tenant_id: item.to?.tenant_id ?? null, project_id: item.to?.id ?? null };
      return item.workloads.map(({ id }): [string, Owned] => [id, owner]);
    }),
  );

/** Policies and inventory as they will be read once the items of a change are stored. @param inputs with workloads moved already */
export function applyItems(inputs: PolicyInputs, items: readonly ChangeItem[], last: LastVersions): PolicyInputs {
  const stored = storePolicies(inputs, items, last);
  return items.some(isGroupItem) ? storeGroups(stored, items) : stored;
}
