import { z } from 'zod';
import { NetworkListInput } from '@/domain/inventory';
import { listNetworks } from '../../services/inventory/list-networks';
import { readNetwork } from '../../services/inventory/read-network';
import { procedure, router } from '../trpc';

export const networksRouter = router({
  list: procedure('ipam:read')
    .input(NetworkListInput)
    .query(({ ctx, input }) => listNetworks(ctx.scope, input)),
  get: procedure('ipam:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readNetwork(ctx.scope, input.id)),
});
