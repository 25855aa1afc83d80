import type { WorkloadDetail } from '@/domain/inventory';
import type { Scope } from '../../auth/scope';
import { findWorkload } from '../../inventory/queries/workloads';
import { notFound } from '../../lib/refusals';
import { readBoard } from '../policies/board/read-board';
import { interfaceProtections, workloadProtection } from '../policies/board/workload-protection';

/**
 * A workload with its interfaces and addresses, and how each interface is protected as last read.
 * @throws AppError `not_found`, also for a workload of a tenant out of reach
 */
export async function readWorkload(scope: Scope<'workload:read'>, id: string): Promise<WorkloadDetail> {
  const [workload, board] = await Promise.all([findWorkload(scope.reach, id), readBoard()]);
  if (!workload) throw notFound('workload');
  const protections = interfaceProtections(board, id);
  return {
    ...workload,
    protection: workloadProtection(board, id),
    interfaces: workload.interfaces.map((nic) => ({ ...nic, protection: protections?.get(nic.name) ?? 'unknown' })),
  };
}
