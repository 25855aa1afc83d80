import { z } from 'zod';
import { NodeListInput } from '@/domain/inventory';
import { listNodes } from '../../services/inventory/list-nodes';
import { readNode } from '../../services/inventory/read-node';
import { procedure, router } from '../trpc';

export const nodesRouter = router({
  list: procedure('cluster:read')
    .input(NodeListInput)
    .query(({ ctx, input }) => listNodes(ctx.scope, input)),
  get: procedure('cluster:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readNode(ctx.scope, input.id)),
});
