import { z } from 'zod';
import { Insights, InsightsQuery } from '@/domain/insights';
import { authorize } from '../../auth/scope';
import { streamInsights } from '../../insight/insights/stream-insights';
import { defineRoute } from '../define-route';

export const insightRoutes = [
  defineRoute({
    method: 'GET',
    path: '/workloads/{workload_id}/insights',
    summary:
      'Get all flows of a workload in a time range with labels and aggregates, and optionally its rules and the rule that each flow matches.',
    tag: 'Flows',
    access: { permission: 'flow:read' },
    params: z.object({ workload_id: z.uuid() }),
    query: InsightsQuery,
    response: { status: 200, schema: Insights },
    async handler({ scope, session, params, query }) {
      // The workload's rules match the flows, so this also requires the permission to view rules.
      const rules = query.include_rules || query.include_flow_context ? authorize(session, 'workload:read') : null;
      const body = await streamInsights(scope, rules, params.workload_id, query);
      return new Response(body, {
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      });
    },
  }),
];
