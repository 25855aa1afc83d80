import type { Flow } from '@/domain/flow/flow';
import { observedAction } from '@/domain/flow-verdict';
import type {
  InsightFlow,
  InsightFlowPage,
  InsightFlowsInput,
  InsightsDecisions,
  InsightsInput,
} from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { createContextDescriber } from '../../enforcement/verdicts/describe-context';
import { readRecentContext } from '../../enforcement/verdicts/live-guest';
import { flowStore } from '../../traffic/storage/flow-store';
import { createFlowVerdictEvaluator } from '../flows/flow-verdicts';
import { countDecisions } from './overview';
import { selectInsights } from './select-insights';

/** Stored decisions are among those of contexts; what an agent of another version says is kept as it is. */
const toInsightFlow = (flow: Flow): InsightFlow => ({ ...(flow as InsightFlow), action: observedAction(flow) });

/**
 * One page of a workload's flows, each once, newest first.
 * @param rules evidence that what decides may be shown; null: contexts are left out
 * @throws AppError `not_found`, also for a workload not visible to the caller; `malformed` for an empty range
 */
export async function listInsightFlows(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  input: InsightFlowsInput,
): Promise<InsightFlowPage> {
  const { selection } = await selectInsights(scope, input);
  const [page, live] = await Promise.all([
    flowStore().insights.list(selection, input),
    rules && readRecentContext(rules.reach, input.id),
  ]);
  const kept_since = selection.cutoff;
  if (!live) return { ...page, kept_since, items: page.items.map(toInsightFlow) };
  const contextFor = createContextDescriber(live);
  const verdictOf = createFlowVerdictEvaluator(await readFirewallState(), live.reach, [live]);
  return {
    ...page,
    kept_since,
    items: page.items.map((flow) => ({ ...flow, ...verdictOf(flow), ...contextFor(flow) })),
  };
}

/**
 * Counts a workload's flows by outcome, according to what is live on it: evaluates each of them.
 * @throws AppError `not_found`, also for a workload not visible to the caller; `malformed` for an empty range
 */
export async function readInsightDecisions(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'>,
  input: InsightsInput,
): Promise<InsightsDecisions> {
  const { selection } = await selectInsights(scope, input);
  const live = await readRecentContext(rules.reach, input.id);
  const contextFor = createContextDescriber(live);
  const counter = countDecisions();
  for await (const rows of flowStore().insights.facts(selection)) {
    for (const row of rows) counter.add(contextFor(row));
  }
  return { rules_read_at: live.read_at, kept_since: selection.cutoff, ...counter.counts() };
}
