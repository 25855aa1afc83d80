import { z } from 'zod';
import { RangeInput, RangeListInput, RangeUpdate } from '@/domain/ipam/ip-range';
import { listRanges } from '../../services/ipam/list-ranges';
import { createRange, deleteRange, updateRange } from '../../services/ipam/write-ranges';
import { procedure, router } from '../trpc';

const byId = { id: z.uuid() };

export const ipRangesRouter = router({
  list: procedure('ipam:read')
    .input(RangeListInput)
    .query(({ ctx, input }) => listRanges(ctx.scope, input)),
  create: procedure('ipam:write')
    .input(RangeInput)
    .mutation(({ ctx, input }) => createRange(ctx.scope, input)),
  update: procedure('ipam:write')
    .input(RangeUpdate.extend(byId))
    .mutation(({ ctx, input: { id, ...changes } }) => updateRange(ctx.scope, id, changes)),
  delete: procedure('ipam:write')
    .input(z.strictObject({ ...byId, version: z.int().optional() }))
    .mutation(({ ctx, input }) => deleteRange(ctx.scope, input.id, input.version)),
});
