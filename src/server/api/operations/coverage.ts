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
    summary: 'How often each rule of a policy decided about a flow in the last days, and which never did.',
    access: { permission: 'policy:read' },
    input: CoverageRange,
    output: PolicyCoverage,
    run: ({ scope, params, input }) => readPolicyCoverage(scope, params.policy_id, input),
  }),
  workloads: query({
    rest: 'GET /coverage/workloads',
    tag: 'Flows',
    summary: 'By what the flows of each guest were decided in the last days, the least covered by rules first.',
    access: { permission: 'flow:read' },
    input: WorkloadCoverageListInput,
    output: WorkloadCoveragePage,
    run: ({ scope, input }) => listWorkloadCoverage(scope, input),
    csv: { name: 'coverage', columns: CSV },
  }),
});
