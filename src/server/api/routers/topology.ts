import { TopologyInput } from '@/domain/topology/topology';
import { authorizeIfGranted } from '../../auth/scope';
import { readTopology } from '../../services/topology/read-topology';
import { procedure, router } from '../trpc';

export const topologyRouter = router({
  read: procedure('flow:read')
    .input(TopologyInput)
    .query(({ ctx, input }) => readTopology(ctx.scope, authorizeIfGranted(ctx.session, 'workload:read'), input)),
});
