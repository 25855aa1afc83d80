import { z } from 'zod';
import { ConflictListInput, ConflictResolveInput } from '@/domain/ipam/conflict';
import { listConflicts } from '../../services/ipam/list-conflicts';
import { readConflict } from '../../services/ipam/read-conflict';
import { resolveConflict } from '../../services/ipam/resolve-conflict';
import { procedure, router } from '../trpc';

const byId = { id: z.uuid() };

export const ipamConflictsRouter = router({
  list: procedure('ipam:read')
    .input(ConflictListInput)
    .query(({ ctx, input }) => listConflicts(ctx.scope, input)),
  get: procedure('ipam:read')
    .input(z.strictObject(byId))
    .query(({ ctx, input }) => readConflict(ctx.scope, input.id)),
  resolve: procedure('ipam:write')
    .input(ConflictResolveInput.extend(byId))
    .mutation(({ ctx, input: { id, ...input } }) => resolveConflict(ctx.scope, id, input)),
});
