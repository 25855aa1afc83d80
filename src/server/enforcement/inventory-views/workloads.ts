import type { Workload, WorkloadDetail, WorkloadListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../inventory/queries/workloads';
import { findWorkload } from '../../inventory/queries/workloads';
import { notFound } from '../../lib/refusals';
import type { Board } from '../policies/board/board';
import { readBoard } from '../policies/board/read-board';
import { interfaceProtections, workloadEnforcement, workloadProtection } from '../policies/board/views';

/** Ids of the workloads that fit filters which only the readings of firewalls can answer; null when none is asked for. */
function fitting(board: Board, { enforcement, protection }: WorkloadListInput): string[] | null {
  if (enforcement === undefined && protection === undefined) return null;
  return [...board.inputs.workloads.keys()].filter((id) => {
    if (enforcement !== undefined && workloadEnforcement(board, id) !== enforcement) return false;
    if (protection === undefined) return true;
    const found = workloadProtection(board, id);
    return found !== null && protection.includes(found);
  });
}

/** One page of the workloads within reach. No cluster is asked. */
export async function listWorkloads(scope: Scope<'workload:read'>, input: WorkloadListInput): Promise<Page<Workload>> {
  const board = await readBoard();
  const page = await repository.listWorkloads(scope.reach, input, fitting(board, input));
  const items = page.items.map((row) => ({ ...row, protection: workloadProtection(board, row.id) }));
  return { ...page, items };
}

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
