import type { ChangeItem } from './items';

// Without schemas, so that pages do not load them.

/** What an item changes: its policy, group or workloads. A change has at most one edit of each. */
export function listObjectIds(item: ChangeItem): string[] {
  switch (item.kind) {
    case 'policy':
    case 'policy_delete':
      return [item.policy_id];
    case 'group':
    case 'group_members':
      return [item.group_id];
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
export const isGroupItem = ({ kind }: Kind): boolean => kind === 'group' || kind === 'group_members';
