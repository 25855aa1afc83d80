import {
  CoverageRange,
  PolicyCoverage,
  WorkloadCoverage,
  WorkloadCoverageListInput,
  WorkloadCoveragePage,
} from '@/domain/coverage';
import { fieldsWithout } from '@/domain/list';
import { listWorkloadCoverage, readPolicyCoverage } from '../../enforcement/coverage/read-coverage';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Policies');

/** Fields of the CSV file. */
const CSV = fieldsWithout(WorkloadCoverage, 'workload_id', 'cluster_id');

export const coverageRouter = router({
  policy: query({
    rest: 'GET /policies/{policy_id}/coverage',
    summary: 'Get the hit count of each rule of a policy over the last days, including rules without hits.',
    access: { permission: 'policy:read' },
    input: CoverageRange,
    output: PolicyCoverage,
    run: ({ scope, params, input }) => readPolicyCoverage(scope, params.policy_id, input),
  }),
  workloads: query({
    rest: 'GET /coverage/workloads',
    tag: 'Flows',
    summary: 'List workloads by what their flows of the last days matched, lowest rule coverage first.',
    access: { permission: 'flow:read' },
    input: WorkloadCoverageListInput,
    output: WorkloadCoveragePage,
    run: ({ scope, input }) => listWorkloadCoverage(scope, input),
    csv: { name: 'coverage', columns: CSV },
  }),
});
