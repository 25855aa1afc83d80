import { InsightFlowsInput, InsightsInput } from '@/domain/insights';
import { authorize } from '../../auth/scope';
import { listInsightFlows } from '../../services/insights/list-insight-flows';
import { readInsightDecisions } from '../../services/insights/read-insight-decisions';
import { readInsightSeries } from '../../services/insights/read-insight-series';
import { readInsightsOverview } from '../../services/insights/read-insights-overview';
import { type Context, procedure, router } from '../trpc';

/** What decides about flows are the workload's rules: seeing them takes that permission, too. */
const rulesOf = (ctx: Pick<Context, 'session'>) => authorize(ctx.session, 'workload:read');

export const insightsRouter = router({
  summary: procedure('flow:read')
    .input(InsightsInput)
    .query(({ ctx, input }) => readInsightsOverview(ctx.scope, rulesOf(ctx), input)),
  flows: procedure('flow:read')
    .input(InsightFlowsInput)
    .query(({ ctx, input }) => listInsightFlows(ctx.scope, input.include_flow_context ? rulesOf(ctx) : null, input)),
  decisions: procedure('flow:read')
    .input(InsightsInput)
    .query(({ ctx, input }) => readInsightDecisions(ctx.scope, rulesOf(ctx), input)),
  series: procedure('flow:read')
    .input(InsightsInput)
    .query(({ ctx, input }) => readInsightSeries(ctx.scope, input)),
});
