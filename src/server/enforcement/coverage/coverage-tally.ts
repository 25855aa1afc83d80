import { markerAt, placeKey } from '@/domain/firewall/rule-at';
import type { RulePlace } from '@/domain/firewall/verdict';
import { computeFlowContext } from '@/domain/flow-context/compute-flow-context';
import type { FlowContext } from '@/domain/flow-context/flow-context';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import { openingPackets } from '@/domain/flow-context/opening-packets';
import type { CountedFlow, RuleHitRow, WorkloadCoverageRow } from '../../traffic/storage/coverage-rows';
import type { EscapeFinder } from '../chain/escape-finder';

/** A guest whose flows are evaluated. */
export type CountedGuest = {
  readonly context: GuestContext;
  readonly vmid: number;
  /** Whether flows that the node being counted saw at another guest count here, too, as no other node is nearer. */
  readonly seen_from_here: boolean;
};

type Options = {
  /** Id of this installation, as in its markers. */
  instance: string;
  /** Flows are evaluated from this time on. */
  since: string;
  guest: (workloadId: string) => CountedGuest | null;
  /** Present version of a policy. */
  versionOf: (policyId: string) => number;
  /** Looks at the same flows: what is evaluated once need not be evaluated again. */
  escapes?: Pick<EscapeFinder, 'add' | 'addReply'>;
};

type Decider = 'by_policy' | 'by_other_rule' | 'by_audit' | 'by_default' | 'observed';

const later = (a: string, b: string) => (a > b ? a : b);
const toDay = (time: string) => time.slice(0, 10);

function getDecider({ decided_by: by, decision, conflict }: FlowContext, managed: boolean): Decider {
  // The log says that something else decided than what was read.
  if (conflict) return 'observed';
  if (by.kind === 'rule') return managed ? 'by_policy' : 'by_other_rule';
  if (decision.startsWith('audit_')) return 'by_audit';
  return by.kind === 'default' || by.kind === 'builtin' ? 'by_default' : 'observed';
}

type ManagedRule = Pick<RuleHitRow, 'policy_id' | 'rule_hash' | 'policy_version' | 'rule_position'>;

/** The rule at a place, when this installation wrote it for this guest. */
export function findManagedRule(
  { context, vmid }: Pick<CountedGuest, 'context' | 'vmid'>,
  place: RulePlace,
  instance: string,
): ManagedRule | null {
  const marker = markerAt(context.state, place, { instance, vmid });
  if (!marker) return null;
  const { policy_id, rule_hash, version } = marker;
  return { policy_id, rule_hash, policy_version: version, rule_position: null };
}

/** Whether all that may have opened the conversation went the other way: then the row of that direction counts. */
function isReplyFlow(flow: CountedFlow): boolean {
  const openings = openingPackets(flow, 'source');
  return typeof openings !== 'string' && openings.every(({ turned }) => turned);
}

/**
 * Counts which rules match the flows of one node. A conversation counts once at each guest at its ends: by the row of
 * the direction that opened it, as seen at the guest itself, and if rows differ in their decision, by the logged one.
 * Rows that a log line decided must come first.
 */
export class CoverageTally {
  readonly #options: Options;
  readonly #hits = new Map<string, RuleHitRow>();
  readonly #days = new Map<string, WorkloadCoverageRow>();
  readonly #logged = new Set<string>();
  readonly #managed = new WeakMap<GuestContext, Map<string, ManagedRule | null>>();
  evaluated = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  add(flow: CountedFlow): void {
    if (flow.observed_at < this.#options.since) return;
    if (isReplyFlow(flow)) {
      this.#options.escapes?.addReply(flow);
      return;
    }
    const { source_ip, source_port, destination_ip, destination_port, protocol } = flow;
    const conversation = `${source_ip} ${source_port} ${destination_ip} ${destination_port} ${protocol}`;
    if (flow.decision !== 'observed') this.#logged.add(conversation);
    else if (this.#logged.has(conversation)) return;
    for (const end of ['source', 'destination'] as const) {
      const id = flow[`${end}_workload_id`];
      const guest = id === null ? null : this.#options.guest(id);
      if (guest && (guest.seen_from_here || flow.workload_id === id)) this.#count(guest, flow, end);
    }
  }

  #count(guest: CountedGuest, flow: CountedFlow, end: 'source' | 'destination'): void {
    this.evaluated += 1;
    const context = computeFlowContext(guest.context, flow, end);
    this.#options.escapes?.add(guest.context, flow, end, context);
    const { decided_by: by, conflict } = context;
    const rule = by.kind === 'rule' && !conflict ? this.#ruleOf(guest, by) : null;
    const { workload_id } = guest.context;
    if (rule) this.#hit({ ...rule, workload_id, mode: 'enforced' }, flow);
    for (const { policy_id, rule_hash, rule_position } of context.audit) {
      if (rule_hash === null) continue;
      const policy_version = this.#options.versionOf(policy_id);
      this.#hit({ policy_id, rule_hash, rule_position, policy_version, workload_id, mode: 'audit' }, flow);
    }
    if (flow.began) this.#cover(workload_id, getDecider(context, rule !== null), conflict, flow);
  }

  #ruleOf(guest: CountedGuest, place: RulePlace): ManagedRule | null {
    const rules = this.#managed.get(guest.context) ?? new Map<string, ManagedRule | null>();
    this.#managed.set(guest.context, rules);
    const key = placeKey(place);
    let rule = rules.get(key);
    if (rule === undefined) {
      rule = findManagedRule(guest, place, this.#options.instance);
      rules.set(key, rule);
    }
    return rule;
  }

  #hit(
    rule: Omit<RuleHitRow, 'day' | 'hits' | 'last_hit_at'>,
    { began, first_seen_at, observed_at }: CountedFlow,
  ): void {
    const day = toDay(began ? later(first_seen_at, this.#options.since) : observed_at);
    const key = `${rule.policy_id} ${day} ${rule.workload_id} ${rule.rule_hash} ${rule.mode}`;
    const known = this.#hits.get(key);
    if (known) {
      known.hits += began ? 1 : 0;
      known.last_hit_at = later(known.last_hit_at, observed_at);
    } else this.#hits.set(key, { ...rule, day, hits: began ? 1 : 0, last_hit_at: observed_at });
  }

  #cover(workload_id: string, decider: Decider, conflict: boolean, { first_seen_at, observed_at }: CountedFlow): void {
    const day = toDay(later(first_seen_at, this.#options.since));
    const key = `${workload_id} ${day}`;
    let row = this.#days.get(key);
    if (!row) {
      const none = { flows: 0, by_policy: 0, by_other_rule: 0, by_audit: 0, by_default: 0, observed: 0, conflicts: 0 };
      row = { day, workload_id, ...none, last_flow_at: observed_at };
      this.#days.set(key, row);
    }
    row.flows += 1;
    row[decider] += 1;
    if (conflict) row.conflicts += 1;
    row.last_flow_at = later(row.last_flow_at, observed_at);
  }

  /** Sorted by key, as the store asks for. */
  hits(): RuleHitRow[] {
    return [...this.#hits.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, hit]) => hit);
  }

  /** Sorted by key, as the store asks for. */
  coverage(): WorkloadCoverageRow[] {
    return [...this.#days.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}
