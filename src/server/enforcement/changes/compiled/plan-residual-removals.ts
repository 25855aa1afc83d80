import type { ChangeItem } from '@/domain/change/items';
import { db } from '../../../db/client';
import { groupBy } from '../../../lib/group-by';
import type { PlannedDeployment } from '../../policies/planned-change';
import type { PolicyInputs } from '../../policies/policy-inputs';
import { listDueRemovals } from '../../queries/residual-rules';

/** The workloads of which a change removes residual rules, as far as they still belong to the owner of the edit. */
const listRemovalWorkloads = ({ workloads }: PolicyInputs, items: readonly ChangeItem[]): string[] =>
  items.flatMap((item) => {
    if (item.kind !== 'residual_removal') return [];
    const now = workloads.get(item.workload_id);
    return now?.tenant_id === item.tenant_id && now.project_id === item.project_id ? [item.workload_id] : [];
  });

/** The removals that a change requests: what is noted now as left by policies that may not act on these workloads any more. */
export async function planResidualRemovals(
  inputs: PolicyInputs,
  items: readonly ChangeItem[],
): Promise<PlannedDeployment[]> {
  const ids = listRemovalWorkloads(inputs, items);
  const left = ids.length === 0 ? [] : await listDueRemovals(db, ids);
  return [...groupBy(left, ({ policy_id }) => policy_id)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([policy_id, rows]) => ({
      policy_id,
      leaves: 'cleanup',
      workload_ids: rows.map(({ workload_id }) => workload_id),
    }));
}
