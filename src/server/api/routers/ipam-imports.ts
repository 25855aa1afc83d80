import { z } from 'zod';
import { ImportInput, ImportListInput } from '@/domain/ipam/csv-import';
import { listImports, readImport } from '../../services/ipam/imports/read-imports';
import { requestImport } from '../../services/ipam/imports/request-import';
import { procedure, router } from '../trpc';

export const ipamImportsRouter = router({
  list: procedure('ipam:write')
    .input(ImportListInput)
    .query(({ ctx, input }) => listImports(ctx.scope, input)),
  get: procedure('ipam:write')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readImport(ctx.scope, input.id)),
  create: procedure('ipam:write')
    .input(ImportInput)
    .mutation(({ ctx, input }) => requestImport(ctx.scope, input)),
});
