import { setImmediate } from 'node:timers/promises';
import { observedAction } from '@/domain/flow-verdict';
import { parseIp } from '@/domain/net/ip-address';
import { isVisibleAt, isWithinReach, type Reach } from '@/domain/permissions';
import { toSummedVerdict } from '@/domain/summed-verdict';
import {
  type Conversation,
  type ConversationTable,
  readRow,
  type TableService,
  tabulate,
} from '@/domain/topology/conversation-table';
import { combineEdges, createEndEvaluator, type End, toEndEdge } from '@/domain/topology/evaluate-conversation';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { policiesById } from '../../enforcement/policies/policy-inputs';
import { createContextView } from '../../enforcement/verdicts/describe-context';
import { guestContext } from '../../enforcement/verdicts/guest-context';
import { combineEndRules, combineEnds, toEndSays } from './flow-verdicts';
import {
  type ConversationVerdict,
  type FoundEnd,
  type FoundEnds,
  type KnownConversation,
  type KnownEnds,
  type KnownVerdicts,
  openKeptEnds,
  type ReportedEnd,
} from './kept-ends';

export type { ConversationVerdict } from './kept-ends';

/** A state that represents all states in which replies were seen. */
export const ANSWERED_STATE = 'REPLIED';

/** Reaches of one reader: whose guests are evaluated for the map, and whose rules may be shown (null: none). */
export type ConversationReach = { readonly flows: Reach; readonly rules: Reach | null };

/** After so long other requests get their turn. */
const TURN_MS = 10;
/** Rows after which the clock is read, which takes as long as a row. */
const ROWS_A_TURN = 128;
const ENDS = ['source', 'destination'] as const;

/** Leaves other requests their turn. */
class Turn {
  #since = performance.now();

  isOver(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}

/** A conversation at a guest, which is at this end of it. */
type Asked = { readonly conversation: Conversation; readonly at: End; readonly found: FoundEnds };

const isWhole = (known: KnownEnds | undefined): known is FoundEnds & Pick<KnownConversation, 'outcome'> =>
  known !== undefined && known.source !== undefined && known.destination !== undefined;

/** Evaluates conversations at guests, for one reader. */
class GuestQuestions {
  readonly #byGuest = new Map<string, Asked[]>();
  readonly #own = new Map<string, string | null>();
  readonly #policies: ReturnType<typeof policiesById>;

  constructor(
    readonly firewall: FirewallState,
    readonly reach: ConversationReach,
  ) {
    this.#policies = policiesById(firewall.inputs.policies);
  }

  /** Asks what becomes of a conversation at both ends, or at those where it is not known. */
  ask(given: Conversation, known?: KnownEnds): FoundEnds {
    const conversation = {
      ...given,
      source_workload_id: this.#ownOrNone(given.source_workload_id),
      destination_workload_id: this.#ownOrNone(given.destination_workload_id),
    };
    const found: FoundEnds = { source: known?.source ?? null, destination: known?.destination ?? null };
    for (const at of ENDS) {
      const id = conversation[`${at}_workload_id`];
      if (id === null || (known && known[at] !== undefined)) continue;
      const asked = { conversation, at, found };
      const others = this.#byGuest.get(id);
      if (others) others.push(asked);
      else this.#byGuest.set(id, [asked]);
    }
    return found;
  }

  /** Answers everything: guest by guest, because the rules of a guest take longer to prepare than its conversations to evaluate. */
  async answer(): Promise<void> {
    const turn = new Turn();
    for (const [id, asked] of this.#byGuest) {
      const evaluate = this.#prepare(id);
      for (const { conversation, at, found } of asked) {
        found[at] = evaluate(conversation, at);
        if (turn.isOver()) await turn.next();
      }
    }
    this.#byGuest.clear();
  }

  /** A workload that went away is in the past of the reader, its addresses of today are not: it is a prefix like any stranger. */
  #ownOrNone(id: string | null): string | null {
    if (id === null) return null;
    let own = this.#own.get(id);
    if (own === undefined) {
      const workload = this.firewall.inputs.workloads.get(id);
      own = workload && isWithinReach(workload, this.reach.flows) ? id : null;
      this.#own.set(id, own);
    }
    return own;
  }

  #prepare(id: string): (conversation: Conversation, at: End) => FoundEnd | null {
    const { firewall, reach } = this;
    const { inputs } = firewall;
    const workload = inputs.workloads.get(id);
    const guest = guestContext(firewall, id, reach.flows);
    if (!workload || !guest) return () => null;
    const evaluate = createEndEvaluator(guest, (other) =>
      (inputs.workloads.get(other)?.addresses ?? []).flatMap((text) => parseIp(text) ?? []),
    );
    const { rules } = reach;
    const toView =
      rules !== null && isWithinReach(workload, rules)
        ? createContextView({ guest, inputs, workload, reach: rules })
        : null;
    // Policies that the reader may not see are not reported, whatever is evaluated.
    const isVisible = ({ policy_id }: { policy_id: string }) => {
      const policy = this.#policies.get(policy_id);
      return rules !== null && policy !== undefined && isVisibleAt(policy, workload, rules);
    };
    const known = new Map<string, FoundEnd>();
    const deciders = new Map<object, number>();
    return (conversation, at) => {
      const end = evaluate(conversation, at);
      const edge = toEndEdge(end);
      const view = toView?.(end.context);
      const audit = view?.audit.filter(isVisible) ?? [];
      const decider = view ? (deciders.get(view.decided_by) ?? deciders.size) : -1;
      if (view) deciders.set(view.decided_by, decider);
      const key = `${edge} ${view?.verdict} ${view?.direction} ${decider} ${audit.length > 0 ? JSON.stringify(audit) : ''}`;
      let found = known.get(key);
      if (!found) {
        const says = view
          ? { verdict: view.verdict, direction: view.direction, decided_by: view.decided_by, audit }
          : null;
        found = { workload_id: id, edge, says, reported: null, question: null };
        known.set(key, found);
      }
      return found;
    };
  }
}

/**
 * Evaluates conversations whose ends are known as a workload or only as a network. What was found out stays while the rules do.
 * Other requests get their turn in between. No query.
 * @returns the verdict of each row, in their order
 */
export async function evaluateTable(
  firewall: FirewallState,
  reach: ConversationReach,
  table: ConversationTable,
): Promise<ConversationVerdict[]> {
  const kept = openKeptEnds(firewall, JSON.stringify([reach.flows, reach.rules]));
  const keyOf = kept.numberRows(table);
  const questions = new GuestQuestions(firewall, reach);
  const fresh = new Map<number, FoundEnds>();
  const turn = new Turn();
  const sources: FoundEnds['source'][] = new Array(table.size);
  const destinations: FoundEnds['destination'][] = new Array(table.size);
  const verdicts: ConversationVerdict[] = new Array(table.size);
  // What is kept of a conversation does not depend on whether it was answered; its verdict does.
  const isPlain = table.services.map(({ answered }) => answered === undefined);
  const isKept = (row: number) => isPlain[table.service[row] as number] === true;
  const asked: [row: number, found: FoundEnds][] = [];
  for (let row = 0; row < table.size; row++) {
    const key = keyOf(row);
    const known = key === null ? undefined : kept.find(key);
    if (isWhole(known)) {
      if (known.outcome && isKept(row)) verdicts[row] = known.outcome;
      sources[row] = known.source;
      destinations[row] = known.destination;
    } else {
      const found = (key === null ? undefined : fresh.get(key)) ?? questions.ask(readRow(table, row), known);
      if (key !== null) fresh.set(key, found);
      asked.push([row, found]);
    }
    if (row % ROWS_A_TURN === 0 && turn.isOver()) await turn.next();
  }
  await questions.answer();
  for (const [row, { source, destination }] of asked) {
    sources[row] = source;
    destinations[row] = destination;
  }
  for (const [key, found] of fresh) kept.keep(key, found);
  const combine = createCombiner(firewall);
  const combiners: ReturnType<typeof combine>[] = [];
  for (let row = 0; row < table.size; row++) {
    if (verdicts[row] !== undefined) continue;
    const service = table.service[row] as number;
    combiners[service] ??= combine(table.services[service] as TableService);
    const verdict = combiners[service](sources[row] ?? null, destinations[row] ?? null);
    verdicts[row] = verdict;
    const key = keyOf(row);
    // One that a policy decides is an object of this conversation alone.
    if (key !== null && isKept(row) && verdict.policies.length === 0) kept.keepVerdict(key, verdict);
    if (row % ROWS_A_TURN === 0 && turn.isOver()) await turn.next();
  }
  return verdicts;
}

/** The same for conversations one by one. */
export const evaluateConversations = (
  firewall: FirewallState,
  reach: ConversationReach,
  conversations: readonly Conversation[],
): Promise<ConversationVerdict[]> => evaluateTable(firewall, reach, tabulate(conversations));

/** Creates a function for what becomes of conversations by what was found out at their ends, with when their rules were last read. */
function createCombiner(firewall: FirewallState) {
  // What was found for this question is not looked up for each of its conversations.
  const question = {};
  const readings = new Map<string, string | null>();
  const findReading = (id: string): string | null => {
    let read_at = readings.get(id);
    if (read_at === undefined) {
      read_at = firewall.readAt([id]);
      readings.set(id, read_at);
    }
    return read_at;
  };
  /** The same object for an end as long as its guest is not read again. */
  const say = (end: FoundEnd, says: NonNullable<FoundEnd['says']>): ReportedEnd => {
    if (end.question === question && end.reported) return end.reported;
    const { workload_id: id } = end;
    const read_at = findReading(id);
    end.question = question;
    if (end.reported?.rules.read_at === read_at) return end.reported;
    const { policy_id } = says.decided_by;
    const policies = [...(policy_id === null ? [] : [policy_id]), ...says.audit.map((one) => one.policy_id)];
    end.reported = { ...toEndSays({ ...says, id, read_at }), policies, verdicts: {} };
    return end.reported;
  };
  /** For conversations about one service. */
  return ({
    decision,
    answered,
  }: TableService): ((...ends: [FoundEnd | null, FoundEnd | null]) => ConversationVerdict) => {
    const action = observedAction({ decision, state: answered ? ANSWERED_STATE : null });
    const nowhere: KnownVerdicts = {};
    return (source, destination) => {
      const caller = source?.says ? say(source, source.says) : null;
      const service = destination?.says ? say(destination, destination.says) : null;
      const edge = combineEdges(decision, source?.edge, destination?.edge);
      if ((caller?.policies.length ?? 0) + (service?.policies.length ?? 0) > 0) {
        const reported = [caller, service].filter((end) => end !== null);
        const policies = reported.flatMap((end) => end.policies);
        return { edge, verdict: toSummedVerdict(combineEnds(action, reported)), policies };
      }
      // Without a policy, what is reported of all conversations that the same rule decides is the same object.
      const rules_say = caller && service ? combineEndRules(caller, service) : ((caller ?? service)?.rules ?? null);
      const { verdicts = nowhere } = (rules_say === caller?.rules ? caller : service) ?? {};
      verdicts[action] ??= {};
      verdicts[action][edge] ??= {
        ...{ edge, policies: [] },
        verdict: toSummedVerdict({ action, rules_say, audit_say: [] }),
      };
      return verdicts[action][edge];
    };
  };
}
