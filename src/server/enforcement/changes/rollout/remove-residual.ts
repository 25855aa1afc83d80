import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeItem } from '@/domain/change/items';
import type { Tx } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { lockWorkloads } from '../../../tenancy/queries/projects';
import { removeResidualIn } from '../../deployments/removal/residual-rules';
import { areRemovalsOpen } from '../../queries/residual-rules';
import { assertNoRollout, type WithinChange } from './guard';
import type { Acting } from './store-items';

type RemovalItem = Extract<ChangeItem, { kind: 'residual_removal' }>;

/**
 * Requests the removal of the residual rules of a workload.
 * @returns removals for `startDeployments` after the commit
 * @throws AppError `conflict` when the workload got another owner since, who did not approve it, and while another change has it
 */
export async function storeResidualRemoval(
  tx: Tx,
  by: Acting,
  item: RemovalItem,
  within: WithinChange,
): Promise<string[]> {
  const [workload] = await lockWorkloads(tx, 'all', [item.workload_id]);
  await assertNoRollout(tx, listObjectIds(item), within);
  if (!workload) return [];
  if (workload.project_id !== item.project_id || workload.tenant_id !== item.tenant_id) {
    const message = `The workload ${item.name} got another project since the change was drafted. Edit the change.`;
    throw new AppError('conflict', message);
  }
  return (await removeResidualIn(tx, by, workload)).ids;
}

/** Whether residual rules of the workloads of a change are being removed, or are about to be. */
export async function hasOpenRemovals(tx: Tx, items: readonly ChangeItem[]): Promise<boolean> {
  const ids = items.flatMap((item) => (item.kind === 'residual_removal' ? [item.workload_id] : []));
  return ids.length > 0 && areRemovalsOpen(tx, ids);
}
