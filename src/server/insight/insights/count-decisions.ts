import { CONTEXT_DECISIONS, type ContextDecision } from '@/domain/flow-context/flow-context';
import type { InsightContext, InsightsDecisions } from '@/domain/insights';

type Counts = Omit<InsightsDecisions, 'rules_read_at' | 'kept_since'>;

/** Counts what decides about flows, one after the other. */
export function countDecisions(): {
  add: (flow: { decision: ContextDecision; context: Pick<InsightContext, 'audit' | 'conflict'> }) => void;
  counts: () => Counts;
} {
  const byContext = new Map<ContextDecision, number>();
  const audit = new Map<string, Counts['audit'][number]>();
  let flows = 0;
  let conflicts = 0;
  return {
    add({ decision, context }) {
      flows += 1;
      byContext.set(decision, (byContext.get(decision) ?? 0) + 1);
      if (context.conflict) conflicts += 1;
      for (const { policy_id, policy_name, verdict } of context.audit) {
        const line = audit.get(policy_id) ?? { policy_id, policy_name, accept: 0, drop: 0, reject: 0 };
        line[verdict] += 1;
        audit.set(policy_id, line);
      }
    },
    counts: () => ({
      flows,
      by_context: CONTEXT_DECISIONS.flatMap((decision) => {
        const count = byContext.get(decision);
        return count === undefined ? [] : [{ decision, flows: count }];
      }),
      conflicts,
      audit: [...audit.values()].sort((a, b) => (a.policy_name < b.policy_name ? -1 : 1)),
    }),
  };
}
