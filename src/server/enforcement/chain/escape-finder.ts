import { type EscapeFlow, hasPassed, isDenied, switchOnGuest } from '@/domain/enforcement-chain/escape-check';
import { markerAt } from '@/domain/firewall/rule-at';
import { computeFlowContext } from '@/domain/flow-context/compute-flow-context';
import type { FlowContext, FlowDecider } from '@/domain/flow-context/flow-context';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import type { CountedFlow } from '../../traffic/storage/coverage-rows';
import type { FirewallState } from '../policies/firewall-state/firewall-state';

/** A conversation that the rules of a guest deny, and that passed. */
export type FoundEscape = {
  readonly workload_id: string;
  readonly flow: CountedFlow;
  readonly direction: 'in' | 'out';
  /** Number of the guest's interface that saw it; null: another saw it. */
  readonly nic: number | null;
  readonly denied_by: string;
  /** Of the rule that denies it; null: no rule of a policy does. */
  readonly policy_id: string | null;
  readonly peer_workload_id: string | null;
  readonly watched_since: string;
};

/** Candidates of one node in one count. More at a time are a scan, and are found when they go on. */
const MOST = 1_000;

type Ends = Pick<
  CountedFlow,
  'source_ip' | 'source_port' | 'destination_ip' | 'destination_port' | 'protocol' | 'icmp_type'
>;
const toKey = (flow: Ends) =>
  `${flow.source_ip} ${flow.source_port} ${flow.destination_ip} ${flow.destination_port} ${flow.protocol}`;
const reverse = (flow: Ends): Ends => ({
  ...flow,
  source_ip: flow.destination_ip,
  source_port: flow.destination_port,
  destination_ip: flow.source_ip,
  destination_port: flow.source_port,
});

function formatDecider(by: FlowDecider): string {
  if (by.kind === 'rule') {
    const inside = by.group_position === undefined ? '' : `, position ${by.group_position}`;
    return by.group === undefined ? `Position ${by.position}` : `PVE security group ${by.group}${inside}`;
  }
  return by.kind === 'default' ? `Default policy ${by.policy}` : 'Built-in rule';
}

/** Finds conversations that passed although rules deny them, among flows that are evaluated anyway. No query. */
export class EscapeFinder {
  readonly #firewall: FirewallState;
  readonly #since: string;
  readonly #found: (FoundEscape & { key: string })[] = [];
  readonly #answered = new Set<string>();
  readonly #switchedOn = new Map<string, GuestContext | null>();

  /** @param since when flows of the node began to be counted */
  constructor(firewall: FirewallState, since: string) {
    this.#firewall = firewall;
    this.#since = since;
  }

  /** The answering direction of a conversation: it passed. */
  addReply(flow: CountedFlow): void {
    if (flow.decision === 'observed' || flow.decision === 'accept') this.#answered.add(toKey(reverse(flow)));
  }

  /** @param context of the flow at a guest at one of its ends */
  add(guest: GuestContext, flow: CountedFlow, end: 'source' | 'destination', context: FlowContext): void {
    if (flow.decision === 'drop' || flow.decision === 'reject' || this.#found.length >= MOST) return;
    const off = context.decided_by.kind === 'not_enforced';
    const rules = off ? this.#getSwitchedOn(guest) : guest;
    if (!rules) return;
    const found = off ? computeFlowContext(rules, flow, end) : context;
    const counts = off ? (one: FlowContext) => this.#isOfPolicies(rules, one) : undefined;
    if (!isDenied(rules, flow satisfies EscapeFlow, end, found, counts) || found.direction === null) return;
    this.#found.push({
      key: toKey(flow),
      workload_id: guest.workload_id,
      flow,
      direction: found.direction,
      nic: flow.workload_id === guest.workload_id ? flow.nic : null,
      denied_by: formatDecider(found.decided_by),
      policy_id: this.#findPolicy(rules, found.decided_by),
      peer_workload_id: end === 'source' ? flow.destination_workload_id : flow.source_workload_id,
      watched_since: this.#since,
    });
  }

  #findPolicy({ state, workload_id }: GuestContext, by: FlowDecider): string | null {
    const { workloads, instance } = this.#firewall.inputs;
    const vmid = workloads.get(workload_id)?.vmid;
    if (by.kind !== 'rule' || vmid === undefined) return null;
    return markerAt(state, by, { instance, vmid })?.policy_id ?? null;
  }

  /** Whether policies have put there what decides: one of their rules, or a default that drops. */
  #isOfPolicies(rules: GuestContext, { decided_by: by, direction }: FlowContext): boolean {
    if (by.kind !== 'default') return this.#findPolicy(rules, by) !== null;
    if (by.scope !== undefined || by.policy !== 'DROP' || direction === null) return false;
    return this.#firewall.wasDropApplied(rules.workload_id, direction);
  }

  /** Where a switch is off and enforced policies want rules: the guest with its switches on. */
  #getSwitchedOn(guest: GuestContext): GuestContext | null {
    const { workload_id: id } = guest;
    let known = this.#switchedOn.get(id);
    if (known === undefined) {
      const nics = this.#firewall.desiredAt(id) ? this.#firewall.snapshots.guests.get(id)?.state.nics : null;
      known = nics ? switchOnGuest(guest, nics) : null;
      this.#switchedOn.set(id, known);
    }
    return known;
  }

  /** Those that passed. The answer may be a later row than the question. */
  found(): FoundEscape[] {
    return this.#found.filter(({ key, flow }) => hasPassed(flow, this.#answered.has(key)));
  }
}
