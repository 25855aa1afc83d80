import { z } from 'zod';
import { CoverageRange, PolicyCoverage, WorkloadCoverageListInput, WorkloadCoveragePage } from '@/domain/coverage';
import { listWorkloadCoverage } from '../../services/rule-coverage/list-workload-coverage';
import { readPolicyCoverage } from '../../services/rule-coverage/read-policy-coverage';
import { csvResponse } from '../csv-response';
import { defineRoute } from '../define-route';
import { listFormat } from '../list-format';

/** Fields of the CSV file. */
const CSV = [
  'workload_name',
  'vmid',
  'cluster_name',
  'flows',
  'by_policy',
  'by_other_rule',
  'by_audit',
  'by_default',
  'observed',
  'conflicts',
  'covered_share',
  'last_flow_at',
  'looked_since',
] as const;

export const coverageRoutes = [
  defineRoute({
    method: 'GET',
    path: '/policies/{policy_id}/coverage',
    summary: 'How often each rule of a policy decided about a flow in the last days, and which never did.',
    tag: 'Policies',
    access: { permission: 'policy:read' },
    params: z.object({ policy_id: z.uuid() }),
    query: CoverageRange,
    response: { status: 200, schema: PolicyCoverage },
    handler: ({ scope, params, query }) => readPolicyCoverage(scope, params.policy_id, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/coverage/workloads',
    summary: 'By what the flows of each guest were decided in the last days, the least covered by rules first.',
    tag: 'Flows',
    access: { permission: 'flow:read' },
    query: WorkloadCoverageListInput.extend({ format: listFormat }),
    response: { status: 200, schema: WorkloadCoveragePage },
    handler: ({ scope, query: { format, ...query } }) =>
      format === 'json'
        ? listWorkloadCoverage(scope, query)
        : csvResponse({ name: 'coverage', scope, query }, CSV, (page) =>
            listWorkloadCoverage(scope, { ...query, ...page }),
          ),
  }),
];
