import { HOUR_MS } from '@/domain/durations';
import { formatClassification, formatFlowEnd, toVisibleCidr } from '@/domain/flow/flow-end';
import type { FlowGroup, FlowGrouping, FlowGroups, FlowGroupsInput } from '@/domain/flow/flow-sums';
import { HOURLY_HOURS, planRange } from '@/domain/flow/plan-range';
import { observedAction } from '@/domain/flow-verdict';
import type { Reach } from '@/domain/permissions';
import { mergeVerdicts, NO_VERDICT, NOT_NAMED, type SummedVerdict } from '@/domain/summed-verdict';
import type { Scope } from '../../auth/scope';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import type { GroupConversation, GroupRow } from '../../traffic/storage/flow-rows';
import { canUseRollups, toConversationSelection } from '../../traffic/storage/flow-selection';
import { flowStore } from '../../traffic/storage/flow-store';
import { ANSWERED_STATE, evaluateConversations } from './conversation-verdicts';
import { narrowReach } from './flow-verdicts';
import { selectFlows } from './list-flows';

const ENDS: Record<FlowGrouping, readonly ('source' | 'destination')[]> = {
  workloads: ['source', 'destination'],
  source: ['source'],
  destination: ['destination'],
  service: [],
  decision: [],
  node: [],
};

function formatEndLabel(row: GroupRow, end: 'source' | 'destination'): string | null {
  const address = row[`${end}_ip`];
  const cidr = row[`${end}_cidr`];
  if (address !== null) return formatFlowEnd(address, cidr);
  // Of a workload the name says more than the subnets of its addresses would.
  return row[`${end}_workload_id`] === null ? formatClassification(cidr) : null;
}

/** Conversations of one page that are evaluated, and those of one group: few pages have more. */
const MOST_EVALUATED = 20_000;
const MOST_OF_GROUP = 500;

/**
 * What is reported for a group of which only a part was evaluated: what holds for a part alone is not claimed for
 * all.
 */
function describePart({ action, rules_say, audit_say, differs }: SummedVerdict): SummedVerdict {
  const explanation = 'The group has too many different conversations to evaluate all of them.';
  const known = { workload_id: null, read_at: rules_say?.read_at ?? null };
  return {
    action: action === 'mixed' ? action : 'unknown',
    rules_say:
      rules_say === null || rules_say.action === 'mixed'
        ? rules_say
        : { ...NOT_NAMED, ...known, action: 'unknown', kind: 'unknown', detail: 'too_many', explanation },
    audit_say: audit_say.map((say) => ({ ...say, partly: true })),
    differs,
  };
}

/** The verdict of each group from those of its conversations. */
function mergeGroups(
  conversations: readonly GroupConversation[],
  verdicts: readonly SummedVerdict[],
  most: number,
): Map<string, SummedVerdict> {
  const merged = new Map<string, SummedVerdict>();
  const parts = new Set<string>();
  for (const [index, { group_id, total }] of conversations.entries()) {
    const verdict = verdicts[index] ?? NO_VERDICT;
    const known = merged.get(group_id);
    merged.set(group_id, known ? mergeVerdicts(known, verdict) : verdict);
    if (total > most) parts.add(group_id);
  }
  for (const id of parts) merged.set(id, describePart(merged.get(id) ?? NO_VERDICT));
  return merged;
}

/**
 * What is reported about conversations to this reader; without evidence that rules may be shown, only what was
 * observed.
 */
async function readVerdicts(
  flows: Reach,
  rules: Reach | null,
  conversations: readonly GroupConversation[],
): Promise<SummedVerdict[]> {
  if (rules === null) {
    return conversations.map(({ decision, answered }) => ({
      ...NO_VERDICT,
      action: observedAction({ decision, state: answered ? ANSWERED_STATE : null }),
    }));
  }
  const found = await evaluateConversations(await readFirewallState(), { flows, rules }, conversations);
  return found.map(({ verdict }) => verdict);
}

/**
 * Visible traffic of the time range, aggregated, with what was observed of it and what the rules say about it. Of a
 * page of groups the heaviest conversations are evaluated, up to a fixed number. At most seven queries while the
 * rules are unchanged.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 */
export async function groupFlows(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  input: FlowGroupsInput,
): Promise<FlowGroups> {
  const { selection, since, until, now, retentionHours } = await selectFlows(scope, input);
  const { group_by, tenant_id } = input;
  const byAddress = group_by === 'source' || group_by === 'destination';
  const plan = planRange({ since, until }, { now, retentionHours, summed: !byAddress && canUseRollups(input) });
  const range = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const selected = { ...selection, ...range };
  const page = await flowStore().groups(selected, plan.source, input);
  const most = Math.min(MOST_OF_GROUP, Math.floor(MOST_EVALUATED / input.limit));
  const ids = page.items.map(({ id }) => id);
  const conversations =
    ids.length === 0 ? [] : await flowStore().groupConversations(selected, plan.source, group_by, { ids, most });
  const reach = rules && narrowReach(rules.reach, tenant_id);
  const found = await readVerdicts(narrowReach(scope.reach, tenant_id), reach, conversations);
  const verdicts = mergeGroups(conversations, found, most);
  const items = page.items.map(
    (row): FlowGroup => ({
      ...row,
      source_cidr: toVisibleCidr(row.source_cidr),
      destination_cidr: toVisibleCidr(row.destination_cidr),
      ...(verdicts.get(row.id) ?? NO_VERDICT),
      source_label: ENDS[group_by].includes('source') ? formatEndLabel(row, 'source') : null,
      destination_label: ENDS[group_by].includes('destination') ? formatEndLabel(row, 'destination') : null,
    }),
  );
  const kept_since = plan.source === 'flows' ? selection.cutoff : new Date(now - HOURLY_HOURS * HOUR_MS).toISOString();
  const source = toConversationSelection(selection) ? 'conversations' : plan.source;
  return { ...page, items, kept_since, source, ...range };
}
