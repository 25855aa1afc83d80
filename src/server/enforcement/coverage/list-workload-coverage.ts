import type { WorkloadCoverage, WorkloadCoverageListInput } from '@/domain/coverage';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import { withinTenant } from '../../tenancy/within-tenant';
import { flowStore } from '../../traffic/storage/flow-store';
import { coverageDays } from './coverage-days';

/** Guests within reach with the share of their flows that rules decide, the least covered first. Two queries. @throws AppError `not_found` for a tenant out of reach */
export async function listWorkloadCoverage(
  given: Scope<'flow:read'>,
  input: WorkloadCoverageListInput,
): Promise<Page<WorkloadCoverage>> {
  const scope = await withinTenant(given, input.tenant_id);
  const [from = ''] = coverageDays(input.days);
  return flowStore().hits.byWorkload(scope.reach, from, input);
}
