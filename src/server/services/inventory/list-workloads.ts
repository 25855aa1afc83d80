import type { Workload, WorkloadListInput } from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../repositories/workloads';

/** One page of the workloads within reach. */
export function listWorkloads(scope: Scope<'workload:read'>, input: WorkloadListInput): Promise<Page<Workload>> {
  return repository.listWorkloads(scope.tenants, input);
}
