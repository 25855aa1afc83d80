import { nicNames } from '../config/guest-config';
import { LOG_LEVEL_NUMBERS } from '../firewall/vocabulary';
import { type GuestType, nicMac, parseNic } from '../schema/guest-nic';
import type { ClusterState } from '../state/cluster-state';
import type { PveNode } from '../state/node';
import { type CompiledNode, compileNode, nftablesEnabled } from './compiled-node';
import { evaluateIptables } from './evaluate';
import { evaluateForwarded, evaluateGuestForwarding } from './forward-traffic';
import { firewallLogLine } from './log-line';
import { evaluateNftables } from './nftables';
import { evaluateNodePacket } from './node-traffic';
import { type ForwardedPacket, flowKey, isTracked, type NodePacket, type Packet, type Verdict } from './packet';
import { ParsedFiles } from './parsed-files';

const NOTHING: Set<string> = new Set();
/** A packet of a node is at no interface of a guest. */
const NOWHERE = { vmid: 0, nic: '' } as const;
const INTERVAL = { iptables: 10_000, nftables: 5_000 };

type NodeState = {
  lastTick: number;
  compiled: CompiledNode | undefined;
  /** Why the latest compile had no effect. */
  failure: string | undefined;
  failedAt: number | undefined;
  /** Connections the node has accepted. */
  established: Set<string>;
};

export type NicEnforcement = {
  nic: string;
  /** `firewall=1` in the live configuration. */
  live_flag: boolean;
  /** A chain for it is loaded. */
  compiled: boolean;
};

export type EnforcementView = {
  cluster_enabled: boolean;
  guest_enabled: boolean;
  running: boolean;
  nics: NicEnforcement[];
  /** Virtual ms of the active ruleset of the node. */
  compiled_at: number | undefined;
  /** Why newer files have not taken effect. */
  failure: string | undefined;
  /** Virtual ms of the first compile that failed since the active ruleset was loaded. */
  failed_at: number | undefined;
};

/** What the firewall service of a node did last. */
export type NodeCompile = Pick<EnforcementView, 'compiled_at' | 'failure' | 'failed_at'> & {
  implementation: 'iptables' | 'nftables';
};

/**
 * What the packet filters of the nodes really do: every node compiles the files at its own interval, wiring follows
 * the live flag immediately, accepted connections outlive the rules that allowed them.
 */
export class Enforcement {
  readonly #cluster: ClusterState;
  readonly #nodes = new Map<string, NodeState>();
  readonly #parsed = new ParsedFiles();

  constructor(cluster: ClusterState) {
    this.#cluster = cluster;
    cluster.beforeChange.push(() => this.refresh());
  }

  /** Performs the compiles that became due; each sees the files of its own time, because every change calls this first. */
  refresh(): void {
    const now = this.#cluster.clock.now();
    for (const node of this.#cluster.nodes.values()) {
      if (!node.online) continue;
      const state = this.#state(node);
      const interval = INTERVAL[nftablesEnabled(this.#cluster, node) ? 'nftables' : 'iptables'];
      const tick = Math.floor(now / interval) * interval;
      if (tick <= state.lastTick) continue;
      state.lastTick = tick;
      this.#compile(node, state, tick);
    }
  }

  /** Loads the present files on every node, as if they had not changed for long. */
  compileNow(): void {
    for (const node of this.#cluster.nodes.values()) this.#compile(node, this.#state(node), this.#cluster.clock.now());
  }

  /** What filters a guest's packets. */
  view(vmid: number): EnforcementView {
    this.refresh();
    const guest = this.#guest(vmid);
    const node = this.#nodeOf(vmid);
    const { compiled, failure, failedAt } = this.#state(node);
    const chains = compiled?.guests.get(vmid);
    const nics = nicNames(guest.config.current).map((nic) => ({
      nic,
      live_flag: this.#liveFlag(vmid, nic),
      compiled: chains?.guest === guest && chains.nics.has(nic),
    }));
    return {
      cluster_enabled:
        compiled !== undefined &&
        compiled.datacenter.options.enable !== undefined &&
        compiled.datacenter.options.enable !== 0,
      guest_enabled: chains !== undefined,
      running: guest.isRunning,
      nics,
      compiled_at: compiled?.at,
      failure,
      failed_at: failedAt,
    };
  }

  /** When a node loaded its active ruleset, and why it loaded no newer one. */
  compileOf(nodeName: string): NodeCompile {
    this.refresh();
    const node = this.#cluster.nodes.get(nodeName);
    if (!node) throw new Error(`no node ${nodeName}`);
    const { compiled, failure, failedAt } = this.#state(node);
    const implementation = nftablesEnabled(this.#cluster, node) ? 'nftables' : 'iptables';
    return { implementation, compiled_at: compiled?.at, failure, failed_at: failedAt };
  }

  /** Sends a packet through the filter of the guest's node; an accepted one opens a connection there. */
  send(packet: Packet): Verdict {
    this.refresh();
    const node = this.#nodeOf(packet.vmid);
    const state = this.#state(node);
    const verdict = this.#decide(packet, state);
    if (verdict.verdict === 'accept' && isTracked(packet)) state.established.add(flowKey(packet));
    if (verdict.by === 'rule' || verdict.verdict !== 'accept') this.#log(packet, verdict, node, state);
    return verdict;
  }

  /**
   * The verdict on a packet that opens a connection, and its line in the firewall log (undefined: none).
   *  Nothing is sent, remembered or logged.
   */
  evaluatePacket(packet: Packet, at: Date): { verdict: Verdict; line: string | undefined } {
    this.refresh();
    const state = this.#state(this.#nodeOf(packet.vmid));
    const verdict = this.#decide(packet, { ...state, established: NOTHING });
    const isLogged = verdict.by === 'rule' || verdict.verdict !== 'accept';
    const level = isLogged ? this.#logLevel(packet, verdict, state) : undefined;
    const type = this.#guest(packet.vmid).type;
    const line = level === undefined ? undefined : this.#logLine(packet, verdict, level, type, at, state);
    return { verdict, line };
  }

  /** What becomes of a packet to or from a node that opens a connection. Nothing is sent, remembered or logged. */
  evaluateNodePacket({ node, ...packet }: NodePacket): Verdict {
    const compiled = this.compiledOf(node);
    if (!compiled?.enabled) return { verdict: 'accept', by: 'not-enforced' };
    return evaluateNodePacket({ ...packet, ...NOWHERE }, compiled);
  }

  /** What becomes of a packet that a node forwards and that opens a connection. */
  evaluateForwardedPacket({ node, vnet, ...packet }: ForwardedPacket): Verdict {
    const compiled = this.compiledOf(node);
    if (!compiled?.enabled) return { verdict: 'accept', by: 'not-enforced' };
    return evaluateForwarded({ ...packet, ...NOWHERE, direction: 'in' }, vnet, compiled);
  }

  /** The active ruleset of a node; undefined: none was loaded. */
  compiledOf(nodeName: string): CompiledNode | undefined {
    this.refresh();
    const node = this.#cluster.nodes.get(nodeName);
    if (!node) throw new Error(`no node ${nodeName}`);
    return this.#state(node).compiled;
  }

  /** What a guest's node has read for one NIC: the files as they were then, and whom the NIC is. For comparisons. */
  compiledGuest(vmid: number, nic: string) {
    const { compiled, failure } = this.#state(this.#nodeOf(vmid));
    const file = compiled?.files.get(vmid);
    const { type, config } = this.#guest(vmid);
    const values = parseNic(type, config.current.get(nic) ?? '');
    if (!compiled || !file || !values || failure !== undefined) {
      throw new Error(`nothing is loaded for ${nic} of guest ${vmid}: ${failure ?? 'the firewall is off'}`);
    }
    const statics = (type === 'lxc' ? [values.ip, values.ip6] : []).filter((text) => text?.includes('/'));
    const mac = (nicMac(type, values) ?? '').toLowerCase();
    return { guest: file, datacenter: compiled.datacenter, host: compiled.host, mac, statics };
  }

  /** Forgets the connections of a node, as a restart of the guest or `conntrack -D` does. */
  flushConnections(node: string): void {
    this.#nodes.get(node)?.established.clear();
  }

  /** Carries connections over, as a migration with connection state does. */
  copyConnections(from: string, to: string): void {
    const target = this.#cluster.nodes.get(to);
    if (!target) throw new Error(`no node ${to}`);
    for (const flow of this.#nodes.get(from)?.established ?? []) this.#state(target).established.add(flow);
  }

  #decide(packet: Packet, state: NodeState): Verdict {
    const { compiled } = state;
    if (!compiled?.enabled) return { verdict: 'accept', by: 'not-enforced' };
    const own = this.#atGuest(packet, compiled, state);
    if (compiled.implementation === 'iptables') return own;
    if (isTracked(packet) && state.established.has(flowKey(packet))) return own;
    const around = evaluateGuestForwarding(packet, this.#bridge(packet), compiled);
    const [first, second] = packet.direction === 'in' ? [around, own] : [own, around];
    if (first.verdict !== 'accept') return first;
    return second.verdict === 'accept' ? own : second;
  }

  #atGuest(packet: Packet, compiled: CompiledNode, state: NodeState): Verdict {
    if (!this.#liveFlag(packet.vmid, packet.nic)) return { verdict: 'accept', by: 'not-enforced' };
    const chains = compiled.guests.get(packet.vmid);
    const own = chains?.guest === this.#guest(packet.vmid) && chains.nics.has(packet.nic) ? chains : undefined;
    if (isTracked(packet) && state.established.has(flowKey(packet))) {
      return { verdict: 'accept', by: own ? 'established' : 'not-enforced' };
    }
    return (compiled.implementation === 'nftables' ? evaluateNftables : evaluateIptables)(packet, own, compiled);
  }

  #log(packet: Packet, verdict: Verdict, node: PveNode, state: NodeState): void {
    const chains = state.compiled?.guests.get(packet.vmid);
    const level = this.#logLevel(packet, verdict, state);
    if (level === undefined || !chains) return;
    const at = new Date(this.#cluster.clock.now());
    node.firewallLog.current.push(this.#logLine(packet, verdict, level, chains.guest.type, at, state));
  }

  #logLine(
    packet: Packet,
    verdict: Verdict,
    level: number,
    type: GuestType,
    at: Date,
    { compiled }: NodeState,
  ): string {
    const bridge = compiled?.implementation === 'nftables' ? this.#bridge(packet) : undefined;
    return firewallLogLine(packet, verdict, level, type, at, bridge);
  }

  #logLevel(packet: Packet, verdict: Verdict, state: NodeState): number | undefined {
    // Chains other than the guest's own log by options of their own, which are never set here.
    if (verdict.scope !== undefined) return undefined;
    const file = state.compiled?.guests.get(packet.vmid)?.file;
    const name =
      verdict.by === 'policy'
        ? file?.options[`log_level_${packet.direction}`]
        : file?.rules[verdict.position ?? -1]?.log;
    return name === undefined ? undefined : LOG_LEVEL_NUMBERS[String(name)];
  }

  #compile(node: PveNode, state: NodeState, at: number): void {
    const result = compileNode(this.#cluster, node, at, this.#parsed);
    if ('reason' in result) {
      state.failure = result.reason;
      state.failedAt ??= at;
    } else {
      state.compiled = result;
      state.failure = undefined;
      state.failedAt = undefined;
    }
  }

  #state(node: PveNode): NodeState {
    const known = this.#nodes.get(node.name);
    if (known) return known;
    const fresh: NodeState = {
      lastTick: 0,
      compiled: undefined,
      failure: undefined,
      failedAt: undefined,
      established: new Set(),
    };
    this.#nodes.set(node.name, fresh);
    return fresh;
  }

  #guest(vmid: number) {
    const guest = this.#cluster.guests.get(vmid);
    if (!guest) throw new Error(`no guest ${vmid}`);
    return guest;
  }

  #nodeOf(vmid: number): PveNode {
    const node = this.#cluster.nodes.get(this.#guest(vmid).node);
    if (!node) throw new Error(`guest ${vmid} stands on an unknown node`);
    return node;
  }

  #liveFlag(vmid: number, nic: string): boolean {
    return this.#nic({ vmid, nic })?.firewall === '1';
  }

  #bridge(at: Pick<Packet, 'vmid' | 'nic'>): string | undefined {
    return this.#nic(at)?.bridge;
  }

  #nic({ vmid, nic }: Pick<Packet, 'vmid' | 'nic'>) {
    const guest = this.#guest(vmid);
    return parseNic(guest.type, guest.config.current.get(nic) ?? '');
  }
}
