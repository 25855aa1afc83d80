import { observedAction } from '@/domain/flow-verdict';
import type { Insights, InsightsQuery } from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { ruleNamer } from '../../enforcement/guest-firewall/named-rules';
import { readBoard } from '../../enforcement/policies/board/read-board';
import { viewAuditPolicies } from '../../enforcement/verdicts/audit-policies';
import { readContextNow } from '../../enforcement/verdicts/live-guest';
import { logger } from '../../lib/logger';
import { produceStream } from '../../lib/produce-stream';
import { flowStore } from '../../traffic/storage/flow-store';
import { activeRules } from './active-rules';
import { describeAsText } from './describe-as-text';
import { readWorkloadTraffic } from './read-workload-traffic';
import { selectInsights } from './select-insights';

/** How long a client may take nothing: it holds a connection of the database. */
const STALL_MS = 60_000;

type Part = Partial<Omit<Insights, 'flows' | 'summary'>>;

/** Fields of an object that goes on. */
const fields = (part: Part) => JSON.stringify(part).slice(1, -1);

/**
 * Everything about a workload's traffic as one JSON text of any length, written while it is sent: first what is known at
 * once, then all flows as the database finds them, at last their sums, of the same moment.
 * @param rules evidence that what decides may be shown, when it is asked for; else null
 * @throws AppError `not_found`, also for a workload out of reach; `malformed` for an empty range. Later failures break the
 *   text off.
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
  const failed = (error: unknown) => logger.error({ err: error, workload_id: workloadId }, 'insights broke off');

  return produceStream(
    async (write) => {
      const traffic = await readWorkloadTraffic(selected);
      await write(`{${fields({ workload, range, kept_since: selection.cutoff, traffic_mode, traffic })}`);
      const live = rules && (await readContextNow(rules.reach, workloadId));
      const world = live ? live.world : (await readBoard()).world;
      const reach = rules ? rules.reach : scope.reach;
      const audit_policies = viewAuditPolicies(world, workloadId, reach);
      await write(`,${fields({ audit_policies })}`);
      if (live && query.include_rules) {
        const { show } = ruleNamer(world, reach, live.workload);
        const active_firewall_rules = activeRules(live.guest.state, workload.vmid, show);
        await write(`,${fields({ active_firewall_rules, unreadable: live.unreadable })}`);
      }
      if (live) await write(`,${fields({ rules_read_at: live.read_at })}`);
      await write(',"flows":[');
      const describer = live && query.include_flow_context ? describeAsText(await readBoard(), live) : null;
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
