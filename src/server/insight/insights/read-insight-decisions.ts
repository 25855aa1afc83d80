import type { InsightsDecisions, InsightsInput } from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { contextDescriber } from '../../enforcement/verdicts/describe-context';
import { readContextRecently } from '../../enforcement/verdicts/live-guest';
import { flowStore } from '../../traffic/storage/flow-store';
import { countDecisions } from './count-decisions';
import { selectInsights } from './select-insights';

/**
 * How many of a workload's flows end how, by what is live at it: looks at each of them.
 * @throws AppError `not_found`, also for a workload out of reach; `malformed` for an empty range
 */
export async function readInsightDecisions(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'>,
  input: InsightsInput,
): Promise<InsightsDecisions> {
  const { selection } = await selectInsights(scope, input);
  const live = await readContextRecently(rules.reach, input.id);
  const contextFor = contextDescriber(live);
  const counter = countDecisions();
  for await (const rows of flowStore().insights.facts(selection)) {
    for (const row of rows) counter.add(contextFor(row));
  }
  return { rules_read_at: live.read_at, kept_since: selection.cutoff, ...counter.counts() };
}
