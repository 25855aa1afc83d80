import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeItem } from '@/domain/change/items';
import type { PolicySnapshot } from '@/domain/policies';
import type { RouterInputs } from '@/lib/trpc';

/** An edit as it is sent. */
export type ItemInput = RouterInputs['changes']['create']['items'][number];

const toPolicyInput = ({ rules, tier, tenant_visibility, ...content }: PolicySnapshot, isOfPlatform: boolean) => ({
  ...content,
  ...(isOfPlatform && { tier, tenant_visibility }),
  rules: rules.map(({ id: _, position: __, ...rule }) => rule),
});

/** A stored edit as it is sent again, when another edit is added to its change. */
export function toItemInput(item: ChangeItem): ItemInput {
  const { tenant_id, project_id } = item;
  const base = item.base_version === null ? {} : { base_version: item.base_version };
  switch (item.kind) {
    case 'policy': {
      const owner = item.before === null ? { tenant_id, project_id } : { project_id };
      const policy = { ...toPolicyInput(item.after, tenant_id === null), ...owner };
      return { kind: 'policy', policy_id: item.policy_id, ...base, policy };
    }
    case 'policy_delete':
      return { kind: 'policy_delete', policy_id: item.policy_id, ...base };
    case 'group': {
      const owner = item.before === null ? { tenant_id, project_id } : { project_id };
      return {
        kind: 'group',
        group_id: item.group_id,
        ...base,
        group: { ...item.after, workload_ids: item.add, ...owner },
      };
    }
    case 'group_members':
      return { kind: 'group_members', group_id: item.group_id, ...base, add: item.add, remove: item.remove };
    case 'group_delete':
      return { kind: 'group_delete', group_id: item.group_id, ...base };
    case 'policy_test': {
      const owner = item.before === null ? { tenant_id, project_id } : {};
      return {
        kind: 'policy_test',
        policy_test_id: item.policy_test_id,
        ...base,
        test: { ...item.after, ...owner },
      };
    }
    case 'policy_test_delete':
      return { kind: 'policy_test_delete', policy_test_id: item.policy_test_id, ...base };
    case 'move':
      return { kind: 'move', workload_ids: listObjectIds(item), project_id: item.to?.id ?? null };
    case 'residual_removal':
      return { kind: 'residual_removal', workload_id: item.workload_id };
  }
}

/** Whether both edit the same object, so that the later one replaces the earlier one. */
export const editsSame = (a: ItemInput, b: ItemInput): boolean => {
  const ids = (item: ItemInput): readonly (string | undefined)[] => {
    if (item.kind === 'move') return item.workload_ids;
    if (item.kind === 'residual_removal') return [item.workload_id];
    if (item.kind === 'policy_test' || item.kind === 'policy_test_delete') return [item.policy_test_id];
    return ['group_id' in item ? item.group_id : 'policy_id' in item ? item.policy_id : undefined];
  };
  const others = ids(b);
  return ids(a).some((id) => id !== undefined && others.includes(id));
};
