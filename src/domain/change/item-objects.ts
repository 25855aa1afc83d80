import type { ChangeItem } from './items';

// Without schemas, so that pages do not load them.

/** What an item changes: its policy, group, policy test or workloads. A change has at most one edit of each, and one of the members of a group. */
export function listObjectIds(item: ChangeItem): string[] {
  switch (item.kind) {
    case 'policy':
    case 'policy_delete':
      return [item.policy_id];
    case 'group':
    case 'group_members':
    case 'group_delete':
      return [item.group_id];
    case 'policy_test':
    case 'policy_test_delete':
      return [item.policy_test_id];
    case 'move':
      return item.workloads.map(({ id }) => id);
    case 'residual_removal':
      return [item.workload_id];
  }
}

type Kind = Pick<ChangeItem, 'kind'>;

/**
 * Whether an item changes who the members of a group are, or what it is called. It needs the permission for groups, and other policies
 * may require something else after it.
 */
export const isGroupItem = ({ kind }: Kind): boolean =>
  kind === 'group' || kind === 'group_members' || kind === 'group_delete';

/** Whether an item changes a policy test. It needs the permission for policy tests, and filters nothing. */
export const isTestItem = ({ kind }: Kind): boolean => kind === 'policy_test' || kind === 'policy_test_delete';
