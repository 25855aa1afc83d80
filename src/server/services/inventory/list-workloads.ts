import type { Workload, WorkloadListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../repositories/workloads';
import { readBoard } from '../policies/board/read-board';
import { workloadEnforcement } from '../policies/board/workload-enforcement';

/** Ids of the workloads that fit a filter which only the readings of firewalls can answer; null when it is not asked for. */
async function fitting({ enforcement }: WorkloadListInput): Promise<string[] | null> {
  if (enforcement === undefined) return null;
  const board = await readBoard();
  return [...board.world.workloads.keys()].filter((id) => workloadEnforcement(board, id) === enforcement);
}

/** One page of the workloads within reach. No cluster is asked. */
export async function listWorkloads(scope: Scope<'workload:read'>, input: WorkloadListInput): Promise<Page<Workload>> {
  return repository.listWorkloads(scope.tenants, input, await fitting(input));
}
