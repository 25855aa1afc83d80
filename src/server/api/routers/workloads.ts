import { z } from 'zod';
import { PacketTest } from '@/domain/guest-firewall';
import { WorkloadListInput } from '@/domain/inventory';
import { authorizeIfGranted } from '../../auth/scope';
import { listResidual, removeResidual } from '../../services/deployments/removal/residual-rules';
import { readGuestFirewall } from '../../services/firewall/read-guest-firewall';
import { testPacket } from '../../services/firewall/test-packet';
import { listWorkloads } from '../../services/inventory/list-workloads';
import { readFormerWorkload } from '../../services/inventory/read-former-workload';
import { readWorkload } from '../../services/inventory/read-workload';
import { procedure, router } from '../trpc';

export const workloadsRouter = router({
  list: procedure('workload:read')
    .input(WorkloadListInput)
    .query(({ ctx, input }) => listWorkloads(ctx.scope, input)),
  get: procedure('workload:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readWorkload(ctx.scope, input.id)),
  former: procedure('workload:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readFormerWorkload(ctx.scope, input.id)),
  firewall: procedure('workload:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readGuestFirewall(ctx.scope, input.id, authorizeIfGranted(ctx.session, 'cluster:read'))),
  residualRules: procedure('workload:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => listResidual(ctx.scope, input.id)),
  removeResidualRules: procedure('policy:apply')
    .input(z.strictObject({ id: z.uuid() }))
    .mutation(({ ctx, input }) => removeResidual(ctx.scope, input.id)),
  testPacket: procedure('workload:read')
    .input(z.strictObject({ id: z.uuid(), packet: PacketTest }))
    .query(({ ctx, input }) =>
      testPacket(ctx.scope, input.id, input.packet, authorizeIfGranted(ctx.session, 'cluster:read')),
    ),
});
