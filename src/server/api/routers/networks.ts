import { z } from 'zod';
import { NetworkPacketTest } from '@/domain/host-firewall';
import { NetworkListInput } from '@/domain/inventory';
import { NetworkInput, NetworkUpdate } from '@/domain/ipam/network';
import { readNetworkFirewall } from '../../services/host-firewall/read-network-firewall';
import { testNetworkPacket } from '../../services/host-firewall/test-network-packet';
import { listNetworks } from '../../services/inventory/list-networks';
import { readNetwork } from '../../services/inventory/read-network';
import { createNetwork } from '../../services/ipam/create-network';
import { deleteNetwork } from '../../services/ipam/delete-network';
import { updateNetwork } from '../../services/ipam/update-network';
import { procedure, router } from '../trpc';

export const networksRouter = router({
  list: procedure('ipam:read')
    .input(NetworkListInput)
    .query(({ ctx, input }) => listNetworks(ctx.scope, input)),
  get: procedure('ipam:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readNetwork(ctx.scope, input.id)),
  firewall: procedure('cluster:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readNetworkFirewall(ctx.scope, input.id)),
  testPacket: procedure('cluster:read')
    .input(z.strictObject({ id: z.uuid(), packet: NetworkPacketTest }))
    .query(({ ctx, input }) => testNetworkPacket(ctx.scope, input.id, input.packet)),
  create: procedure('ipam:write')
    .input(NetworkInput)
    .mutation(({ ctx, input }) => createNetwork(ctx.scope, input)),
  update: procedure('ipam:write')
    .input(NetworkUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateNetwork(ctx.scope, id, changes)),
  delete: procedure('ipam:write')
    .input(z.strictObject({ id: z.uuid(), version: z.int().optional() }))
    .mutation(({ ctx, input }) => deleteNetwork(ctx.scope, input.id, input.version)),
});
