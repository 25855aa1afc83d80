import type { WorkloadCoverage, WorkloadCoverageListInput } from '@/domain/coverage';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../repositories/coverage-reads';
import { coverageDays } from './coverage-days';

/** Guests within reach with the share of their flows that rules decide, the least covered first. Two queries. */
export function listWorkloadCoverage(
  scope: Scope<'flow:read'>,
  input: WorkloadCoverageListInput,
): Promise<Page<WorkloadCoverage>> {
  const [from = ''] = coverageDays(input.days);
  return repository.listWorkloadCoverage(scope.tenants, from, input);
}
