import type { WorkloadDetail } from '@/domain/inventory';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { findWorkload } from '../../repositories/workloads';

/** @throws AppError `not_found`, also for a workload of a tenant out of reach */
export async function readWorkload(scope: Scope<'workload:read'>, id: string): Promise<WorkloadDetail> {
  const workload = await findWorkload(scope.tenants, id);
  if (!workload) throw new AppError('not_found', 'There is no such workload. It may have been removed by a sync.');
  return workload;
}
