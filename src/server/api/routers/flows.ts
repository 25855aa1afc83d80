import { FlowListInput, FlowTailInput } from '@/domain/flow/flow';
import { FlowGroupsInput, FlowSeriesInput } from '@/domain/flow/flow-sums';
import { authorizeIfGranted } from '../../auth/scope';
import { groupFlows } from '../../services/flows/group-flows';
import { listFlows } from '../../services/flows/list-flows';
import { readFlowSeries } from '../../services/flows/read-flow-series';
import { tailFlows } from '../../services/flows/tail-flows';
import { procedure, router } from '../trpc';

export const flowsRouter = router({
  list: procedure('flow:read')
    .input(FlowListInput)
    .query(({ ctx, input }) => listFlows(ctx.scope, authorizeIfGranted(ctx.session, 'workload:read'), input)),
  tail: procedure('flow:read')
    .input(FlowTailInput)
    .query(({ ctx, input }) => tailFlows(ctx.scope, authorizeIfGranted(ctx.session, 'workload:read'), input)),
  groups: procedure('flow:read')
    .input(FlowGroupsInput)
    .query(({ ctx, input }) => groupFlows(ctx.scope, authorizeIfGranted(ctx.session, 'workload:read'), input)),
  series: procedure('flow:read')
    .input(FlowSeriesInput)
    .query(({ ctx, input }) => readFlowSeries(ctx.scope, input)),
});
