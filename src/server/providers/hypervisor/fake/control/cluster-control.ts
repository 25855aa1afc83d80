import type { StandardTokens } from '../scenarios/standard-access';
import type { ClusterState } from '../state/cluster-state';
import type { AgentBehaviour, Guest, RunState } from '../state/guest';
import type { NodeReachability, PveNode } from '../state/node';
import type { LoadMeter } from '../transport/load-meter';
import type { NodeListener } from '../transport/node-listener';

export type NodeAddress = {
  name: string;
  /** Base address of the API, `https://127.0.x.y:port`. */
  url: string;
  ip: string;
  port: number;
  /** SHA-256 of the certificate presented now, upper-case hex with colons. */
  fingerprint256: string;
  /** CA of the cluster. */
  caPem: string;
};

/** What a test may do to one cluster behind the back of its clients, and what it may ask. */
export class ClusterControl {
  readonly name: string;
  /** The simulated state itself, for whatever has no method of its own. Change it inside `state.change(…)`. */
  readonly state: ClusterState;
  readonly tokens: StandardTokens;
  /** Calls in flight, now and at most, per node and kind. */
  readonly load: LoadMeter;
  readonly #listeners: Map<string, NodeListener>;

  constructor(state: ClusterState, tokens: StandardTokens, load: LoadMeter, listeners: Map<string, NodeListener>) {
    this.name = state.name;
    this.state = state;
    this.tokens = tokens;
    this.load = load;
    this.#listeners = listeners;
  }

  get nodes(): NodeAddress[] {
    return [...this.state.nodes.values()].map((node) => this.#address(node));
  }

  node(name: string): NodeAddress {
    return this.#address(this.#node(name));
  }

  guest(vmid: number): Guest {
    const guest = this.state.guests.get(vmid);
    if (!guest) throw new Error(`no guest ${vmid} in ${this.name}`);
    return guest;
  }

  /** Powers a node off or on, stops its API service, or lets it swallow packets. */
  async setNode(name: string, reachability: NodeReachability): Promise<void> {
    const node = this.#node(name);
    this.state.change(() => {
      if (node.reachability === 'down' && reachability === 'up') node.bootedAt = this.state.clock.now();
      node.reachability = reachability;
    });
    await this.#listeners.get(name)?.follow();
  }

  /** Takes quorum away or gives it back, independent of the nodes that are up. */
  setQuorum(quorate: boolean): void {
    this.state.change(() => {
      this.state.quorumLost = !quorate;
    });
  }

  /** Issues a new leaf certificate; returns its fingerprint. Connections that exist keep the old one. */
  renewCertificate(name: string): string {
    const node = this.#node(name);
    const issuedAt = new Date(this.state.clock.now());
    node.certificate = this.state.authority.issueLeaf(node, issuedAt);
    this.#listeners.get(name)?.reloadCertificate();
    return node.certificate.fingerprint256;
  }

  setRunState(vmid: number, state: RunState): void {
    this.state.change(() => {
      const guest = this.guest(vmid);
      if (!guest.isRunning && state !== 'stopped') guest.startedAt = this.state.clock.now();
      guest.state = state;
    });
  }

  setAgent(vmid: number, agent: AgentBehaviour): void {
    this.guest(vmid).agent = agent;
  }

  /** Sets options of the live configuration; `undefined` removes one. */
  setConfig(vmid: number, options: Record<string, string | undefined>): void {
    this.state.change(() =>
      this.guest(vmid).editConfig(({ current }) => {
        for (const [name, value] of Object.entries(options)) {
          if (value === undefined) current.delete(name);
          else current.set(name, value);
        }
      }),
    );
  }

  setTags(vmid: number, tags: string[]): void {
    this.setConfig(vmid, { tags: tags.length > 0 ? tags.join(';') : undefined });
  }

  /** Sets or removes the lock of a guest. */
  lockGuest(vmid: number, lock: string | undefined): void {
    this.setConfig(vmid, { lock });
  }

  /** The guest's configuration appears on another node at once. */
  migrate(vmid: number, node: string): void {
    this.#node(node);
    this.state.change(() => {
      this.guest(vmid).node = node;
    });
  }

  /** Removes a guest with its firewall file. */
  destroyGuest(vmid: number): void {
    this.state.change(() => {
      this.guest(vmid);
      this.state.guests.delete(vmid);
      this.state.files.delete(`firewall/${vmid}.fw`);
      for (const pool of this.state.pools.values()) pool.members.delete(vmid);
    });
  }

  /** The token stops working from the next request on. Accepts the token id or the full header value. */
  revokeToken(token: string): void {
    this.state.access.tokens.delete(token.split('=')[0] ?? token);
  }

  #node(name: string): PveNode {
    const node = this.state.nodes.get(name);
    if (!node) throw new Error(`no node ${name} in ${this.name}`);
    return node;
  }

  #address(node: PveNode): NodeAddress {
    const port = this.#listeners.get(node.name)?.port ?? 0;
    return {
      name: node.name,
      url: `https://${node.ip}:${port}`,
      ip: node.ip,
      port,
      fingerprint256: node.servedCertificate?.fingerprint256 ?? '',
      caPem: this.state.authority.caPem,
    };
  }
}
