import { MINUTE_MS } from '@/domain/durations';
import { observedAction } from '@/domain/flow-verdict';
import { parseIp } from '@/domain/net/ip-address';
import { isVisibleAt, isWithinReach, type Reach } from '@/domain/permissions';
import { type SummedVerdict, toSummedVerdict } from '@/domain/summed-verdict';
import type { EdgeVerdict } from '@/domain/topology/edge-verdict';
import { conversationEvaluator } from '@/domain/topology/evaluate-conversation';
import type { Conversation } from '@/domain/topology/fold-conversations';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { policiesById } from '../../enforcement/policies/policy-inputs';
import { createContextView } from '../../enforcement/verdicts/describe-context';
import { guestContext } from '../../enforcement/verdicts/guest-context';
import { objectCache } from '../../lib/cache';
import { clock } from '../../lib/clock';
import { combineEndVerdicts } from './flow-verdicts';

/** A state that represents all states in which replies were seen. */
export const ANSWERED_STATE = 'REPLIED';

type Described = { view: ReturnType<typeof createContextView>; read_at: string | null };

/** Reaches of one reader: whose guests are evaluated for the map, and whose rules may be shown (null: none). */
export type ConversationReach = { readonly flows: Reach; readonly rules: Reach | null };

type Evaluated = {
  readonly edge: EdgeVerdict;
  readonly verdict: SummedVerdict;
  readonly policies: readonly string[];
};
type Evaluate = (conversation: Conversation) => Evaluated;

type Kept = { readonly readers: Map<string, number>; readonly verdicts: Map<string, Evaluated> };

/** What is found out about conversations stays while the rules do: maps, groups and dashboards ask about the same ones again. */
const kept = objectCache<FirewallState, Kept, number>({
  name: 'conversation_verdicts',
  isFresh: (since, now) => now - since < KEPT_MS,
});
/** About 20 MB. The heaviest conversations are asked for first, so that those stay. */
const MOST_KEPT = 10_000;
/** Then those of now are kept instead. */
const KEPT_MS = 10 * MINUTE_MS;

/** All on which a verdict depends besides the rules and the reader. */
const toKey = (reader: number, of: Conversation): string =>
  `${reader} ${of.source_workload_id} ${of.source_prefix} ${of.destination_workload_id} ${of.destination_prefix} ${of.protocol} ${of.port} ${of.decision} ${of.answered}`;

/**
 * Creates an evaluator for conversations whose ends are known as a workload or only as a network: what becomes of
 * each for the map, and the same three values as for a flow; `policies` whose rules it matches, or would match in
 * audit mode, at either end. While the firewall state is the same, what was found out is used again. No query.
 */
export function createConversationVerdictEvaluator(firewall: FirewallState, reach: ConversationReach): Evaluate {
  const { readers, verdicts } = kept.load(firewall, clock.now().getTime(), () => ({
    readers: new Map(),
    verdicts: new Map(),
  }));
  const name = JSON.stringify([reach.flows, reach.rules]);
  const reader = readers.get(name) ?? readers.size;
  readers.set(name, reader);
  let evaluate: Evaluate | undefined;
  return (conversation) => {
    const key = toKey(reader, conversation);
    let found = verdicts.get(key);
    if (found === undefined) {
      evaluate ??= createEvaluator(firewall, reach);
      found = evaluate(conversation);
      if (verdicts.size < MOST_KEPT) verdicts.set(key, found);
    }
    return found;
  };
}

/** Evaluates whatever it is asked. Each guest is prepared once; it holds all of them, so it is not kept. */
function createEvaluator(firewall: FirewallState, { flows, rules }: ConversationReach): Evaluate {
  const { inputs } = firewall;
  const evaluate = conversationEvaluator({
    guestOf: (id) => guestContext(firewall, id, flows),
    addressesOf: (id) => (inputs.workloads.get(id)?.addresses ?? []).flatMap((text) => parseIp(text) ?? []),
  });
  const described = new Map<string, Described | null>();
  const prepare = (id: string): Described | null => {
    const workload = inputs.workloads.get(id);
    const guest = guestContext(firewall, id, flows);
    if (!workload || !guest || rules === null || !isWithinReach(workload, rules)) return null;
    return { view: createContextView({ guest, inputs, workload, reach: rules }), read_at: firewall.readAt([id]) };
  };
  const getDescribed = (id: string) => {
    let known = described.get(id);
    if (known === undefined) {
      known = prepare(id);
      described.set(id, known);
    }
    return known;
  };
  // Policies that the reader may not see are not reported, whatever is evaluated.
  const policies = policiesById(inputs.policies);
  const isVisible = (policyId: string, workloadId: string) => {
    const workload = inputs.workloads.get(workloadId);
    const policy = policies.get(policyId);
    return rules !== null && workload !== undefined && policy !== undefined && isVisibleAt(policy, workload, rules);
  };

  // A workload that went away is in the past of the reader, its addresses of today are not: it is a prefix like any stranger.
  const ownOrNone = (id: string | null): string | null => {
    const workload = id === null ? undefined : inputs.workloads.get(id);
    return workload && isWithinReach(workload, flows) ? id : null;
  };

  return (given) => {
    const conversation = {
      ...given,
      source_workload_id: ownOrNone(given.source_workload_id),
      destination_workload_id: ownOrNone(given.destination_workload_id),
    };
    const { decision, answered } = conversation;
    const { verdict: edge, ends } = evaluate(conversation);
    const asked = ends.flatMap(({ workload_id: id, context }) => {
      const known = getDescribed(id);
      if (!known) return [];
      const { audit, ...view } = known.view(context);
      return [
        { ...view, id, read_at: known.read_at, audit: audit.filter(({ policy_id }) => isVisible(policy_id, id)) },
      ];
    });
    const action = observedAction({ decision, state: answered ? ANSWERED_STATE : null });
    const policies = asked.flatMap(({ decided_by, audit }) => [
      ...(decided_by.policy_id === null ? [] : [decided_by.policy_id]),
      ...audit.map(({ policy_id }) => policy_id),
    ]);
    return { edge, verdict: toSummedVerdict(combineEndVerdicts(action, asked)), policies };
  };
}
