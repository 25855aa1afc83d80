import { z } from 'zod';
import { WorkloadListInput } from '@/domain/inventory';
import { listWorkloads } from '../../services/inventory/list-workloads';
import { readWorkload } from '../../services/inventory/read-workload';
import { procedure, router } from '../trpc';

export const workloadsRouter = router({
  list: procedure('workload:read')
    .input(WorkloadListInput)
    .query(({ ctx, input }) => listWorkloads(ctx.scope, input)),
  get: procedure('workload:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readWorkload(ctx.scope, input.id)),
});
