import { z } from 'zod';
import { NodePacketTest } from '@/domain/host-firewall';
import { NodeListInput } from '@/domain/inventory';
import { readNodeFirewall } from '../../services/host-firewall/read-node-firewall';
import { testNodePacket } from '../../services/host-firewall/test-node-packet';
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
  firewall: procedure('cluster:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readNodeFirewall(ctx.scope, input.id)),
  testPacket: procedure('cluster:read')
    .input(z.strictObject({ id: z.uuid(), packet: NodePacketTest }))
    .query(({ ctx, input }) => testNodePacket(ctx.scope, input.id, input.packet)),
});
