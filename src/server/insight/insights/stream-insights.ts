import { observedAction } from '@/domain/flow-verdict';
import type { InsightDecider, Insights, InsightsQuery } from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { ruleNamer } from '../../enforcement/guest-firewall/named-rules';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { viewAuditPolicies } from '../../enforcement/verdicts/audit-policies';
import { createContextDescriber } from '../../enforcement/verdicts/describe-context';
import { type LiveGuestContext, readLiveContext } from '../../enforcement/verdicts/live-guest';
import { logger } from '../../lib/logger';
import { produceStream } from '../../lib/produce-stream';
import { flowStore } from '../../traffic/storage/flow-store';
import { createFlowVerdictEvaluator, type VerdictFacts } from '../flows/flow-verdicts';
import { countDecisions, listActiveRules, readWorkloadTraffic } from './overview';
import { selectInsights } from './select-insights';

/**
 * As `createContextDescriber`, for very many flows: the fields `rules_say`, `audit_say`, `decision` and `context` as JSON without braces around, and how
 * many flows end how. There are few deciders, so each is put into words once.
 */
export function describeAsText(
  firewall: FirewallState,
  live: LiveGuestContext,
): {
  add: (flow: VerdictFacts) => string;
  counts: ReturnType<typeof countDecisions>['counts'];
} {
  const contextFor = createContextDescriber(live);
  const verdictOf = createFlowVerdictEvaluator(firewall, live.reach, [live]);
  const counter = countDecisions();
  const texts = new Map<InsightDecider, string>();
  const encodeDecider = (decider: InsightDecider) => {
    let text = texts.get(decider);
    if (text === undefined) {
      text = JSON.stringify(decider);
      texts.set(decider, text);
    }
    return text;
  };
  return {
    add(flow) {
      const decided = contextFor(flow);
      counter.add(decided);
      const { logged, verdict, direction, decided_by, audit, conflict } = decided.context;
      const { rules_say, audit_say } = verdictOf(flow);
      const says = `"rules_say":${JSON.stringify(rules_say)},"audit_say":${audit_say.length === 0 ? '[]' : JSON.stringify(audit_say)}`;
      const way = direction === null ? 'null' : `"${direction}"`;
      const policies = audit.length === 0 ? '[]' : JSON.stringify(audit);
      return `${says},"decision":"${decided.decision}","context":{"logged":${logged},"verdict":"${verdict}","direction":${way},"decided_by":${encodeDecider(decided_by)},"audit":${policies},"conflict":${conflict}}`;
    },
    counts: counter.counts,
  };
}

/** How long a client may take nothing: it holds a connection of the database. */
const STALL_MS = 60_000;

type Part = Partial<Omit<Insights, 'flows' | 'summary'>>;

/** Fields of an object that continues. */
const fields = (part: Part) => JSON.stringify(part).slice(1, -1);

/**
 * Everything about a workload's traffic as one JSON text of any length, written while it is sent: first what is
 * known immediately, then all flows as the database finds them, finally their totals, as of the same moment.
 * @param rules evidence that what decides may be shown, when requested; else null
 * @throws AppError `not_found`, also for a workload not visible to the caller; `malformed` for an empty range. Later
 *   failures cut the text short.
 */
export async function streamInsights(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  workloadId: string,
  query: InsightsQuery,
): Promise<ReadableStream<Uint8Array>> {
  const traffic_mode = query.traffic_mode ?? query.traffic ?? 'all';
  const { since, until } = query;
  const selected = await selectInsights(scope, { id: workloadId, since, until, traffic_mode });
  const { workload, range, selection } = selected;
  const failed = (error: unknown) => logger.error({ err: error, workload_id: workloadId }, 'insights stream aborted');

  return produceStream(
    async (write) => {
      const traffic = await readWorkloadTraffic(selected);
      await write(`{${fields({ workload, range, kept_since: selection.cutoff, traffic_mode, traffic })}`);
      const live = rules && (await readLiveContext(rules.reach, workloadId));
      const inputs = live ? live.inputs : (await readFirewallState()).inputs;
      const reach = rules ? rules.reach : scope.reach;
      const audit_policies = viewAuditPolicies(inputs, workloadId, reach);
      await write(`,${fields({ audit_policies })}`);
      if (live && query.include_rules) {
        const { show } = ruleNamer(inputs, reach, live.workload);
        const active_firewall_rules = listActiveRules(live.guest.state, workload.vmid, show);
        await write(`,${fields({ active_firewall_rules, unreadable: live.unreadable })}`);
      }
      if (live) await write(`,${fields({ rules_read_at: live.read_at })}`);
      await write(',"flows":[');
      const describer = live && query.include_flow_context ? describeAsText(await readFirewallState(), live) : null;
      let separator = '';
      for await (const batch of flowStore().insights.stream(selection, describer !== null)) {
        if ('summary' in batch) {
          const { by_context, conflicts } = describer?.counts() ?? {};
          await write(`],"summary":${JSON.stringify({ ...batch.summary, by_context, conflicts })}}`);
          return;
        }
        const texts = batch.flows.map(({ json, decision, state, facts }) => {
          const seen = `${json},"action":"${observedAction({ decision, state })}"`;
          return describer && facts
            ? `${seen},${describer.add({ ...facts, state })}}`
            : `${seen},"decision":${JSON.stringify(decision)}}`;
        });
        await write(`${separator}${texts.join(',')}`);
        separator = ',';
      }
    },
    { stallMs: STALL_MS, failed },
  );
}
