import type { ChangeItemInput } from '@/domain/change/items';
import { toOwner } from '@/domain/permissions';
import { notFound, refuseField } from '../../../lib/refusals';
import { lockWorkloads } from '../../../tenancy/queries/projects';
import { listDueRemovals } from '../../queries/residual-rules';
import type { ItemContext, NormalItem } from './item-context';

/**
 * The removal of all residual rules of a workload. As for the direct request, it concerns the owner of the workload only: the owners
 * of the policies may not act there any more.
 * @throws AppError `not_found`; `refused` when it has none
 */
export async function normalizeResidualRemoval(
  { tx, scope }: ItemContext,
  at: number,
  { workload_id }: Extract<ChangeItemInput, { kind: 'residual_removal' }>,
): Promise<NormalItem<'residual_removal'>> {
  const field = `items.${at}.workload_id`;
  const [workload] = await lockWorkloads(tx, scope.reach, [workload_id]);
  if (!workload) throw notFound('workload', [{ field, message: 'The workload was not found.' }]);
  if ((await listDueRemovals(tx, [workload_id])).length === 0) {
    throw refuseField(field, 'The workload has no residual rules.');
  }
  const owner = toOwner(workload);
  const item = { kind: 'residual_removal' as const, workload_id, name: workload.name, ...owner, base_version: null };
  return { item, owners: [owner] };
}
