import { VisibilityInput, WorkloadVisibility } from '@/domain/impact/evidence';
import { InsightFlowsInput, InsightsInput } from '@/domain/insights';
import { authorize, type Session } from '../../auth/scope';
import { listInsightFlows, readInsightDecisions } from '../../insight/insights/list-insights';
import { readInsightSeries, readInsightsOverview } from '../../insight/insights/overview';
import { readVisibility } from '../../traffic/agents/read-confidence';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Flows');
const access = { permission: 'flow:read' } as const;

/** The workload's rules decide its flows, so seeing them requires that permission, too. */
const authorizeRules = (session: Session) => authorize(session, 'workload:read');

/** The parts of a page; REST answers the whole as a stream (`rest/routes/insights.ts`). */
export const insightsRouter = router({
  summary: query({
    access,
    input: InsightsInput,
    run: ({ scope, session, input }) => readInsightsOverview(scope, authorizeRules(session), input),
  }),
  flows: query({
    access,
    input: InsightFlowsInput,
    run: ({ scope, session, input }) =>
      listInsightFlows(scope, input.include_flow_context ? authorizeRules(session) : null, input),
  }),
  decisions: query({
    access,
    input: InsightsInput,
    run: ({ scope, session, input }) => readInsightDecisions(scope, authorizeRules(session), input),
  }),
  series: query({ access, input: InsightsInput, run: ({ scope, input }) => readInsightSeries(scope, input) }),
  visibility: query({
    rest: 'GET /workloads/{workload_id}/visibility',
    summary:
      'Get how far the evidence about the traffic of a workload reaches: a level, a score, and what is missing and why.',
    access,
    input: VisibilityInput,
    output: WorkloadVisibility,
    run: ({ scope, params, input }) => readVisibility(scope, params.workload_id, input),
  }),
});
