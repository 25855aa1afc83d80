import { z } from 'zod';
import { CoverageRange, WorkloadCoverageListInput } from '@/domain/coverage';
import { listWorkloadCoverage } from '../../services/rule-coverage/list-workload-coverage';
import { readPolicyCoverage } from '../../services/rule-coverage/read-policy-coverage';
import { procedure, router } from '../trpc';

export const coverageRouter = router({
  policy: procedure('policy:read')
    .input(CoverageRange.extend({ id: z.uuid() }))
    .query(({ ctx, input: { id, ...range } }) => readPolicyCoverage(ctx.scope, id, range)),
  workloads: procedure('flow:read')
    .input(WorkloadCoverageListInput)
    .query(({ ctx, input }) => listWorkloadCoverage(ctx.scope, input)),
});
