import { nicNames } from '../config/guest-config';
import { Enforcement } from '../enforcement/enforcement';
import { createClusterAuthority } from '../pki/cluster-authority';
import { addGuestFromRecipe, type GuestRecipe } from '../scenarios/guest-recipe';
import type { StandardTokens } from '../scenarios/standard-access';
import type { ClusterState } from '../state/cluster-state';
import type { AgentBehaviour, Guest, RunState } from '../state/guest';
import type { NodeReachability, PveNode } from '../state/node';
import type { LoadMeter } from '../transport/load-meter';
import type { NodeListener } from '../transport/node-listener';
import { FirewallControl } from './firewall-control';

export type NodeAddress = {
  name: string;
  /** Base address of the API, `https://127.0.x.y:port`. */
  url: string;
  ip: string;
  port: number;
  /** SHA-256 of the certificate presented now, upper-case hex with colons. */
  fingerprint256: string;
  /** CA of the certificate presented now: the cluster's own unless a custom certificate is installed. */
  caPem: string;
};

export type GuestBackup = { config: string; firewall: string | undefined };

/** What a test may do to one cluster behind the back of its clients, and what it may ask. */
export class ClusterControl {
  readonly name: string;
  /** The simulated state itself, for whatever has no method of its own. Change it inside `state.change(…)`. */
  readonly state: ClusterState;
  readonly tokens: StandardTokens;
  /** Calls in flight, now and at most, per node and kind. */
  readonly load: LoadMeter;
  readonly firewall: FirewallControl;
  /** What the packet filters of the nodes do with the files. */
  readonly enforcement: Enforcement;
  readonly #listeners: Map<string, NodeListener>;

  constructor(state: ClusterState, tokens: StandardTokens, load: LoadMeter, listeners: Map<string, NodeListener>) {
    this.name = state.name;
    this.state = state;
    this.tokens = tokens;
    this.load = load;
    this.firewall = new FirewallControl(state);
    this.enforcement = new Enforcement(state);
    this.enforcement.compileNow();
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

  /** Puts a certificate from another authority in front, as ACME does, or goes back to the default one. */
  setCustomCertificate(name: string, installed: boolean): void {
    const node = this.#node(name);
    const now = new Date(this.state.clock.now());
    const authority = createClusterAuthority('acme', now);
    node.customCertificate = installed ? authority.issueLeaf(node, now) : undefined;
    node.customCaPem = installed ? authority.caPem : undefined;
    this.#listeners.get(name)?.reloadCertificate();
  }

  /** Stops or starts the status daemon of a node alone. */
  setStatusDaemon(name: string, running: boolean): void {
    this.state.change(() => {
      this.#node(name).statusDaemonRunning = running;
    });
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

  /** The guest's configuration appears on another node immediately. */
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

  /** A new guest, unknown to status readers until the next broadcast of its node. */
  createGuest(recipe: GuestRecipe): Guest {
    this.#node(recipe.node);
    return this.state.change(() => {
      const guest = addGuestFromRecipe(this.state, recipe);
      guest.startedAt = this.state.clock.now();
      return guest;
    });
  }

  /** Another guest takes over the id of one that is destroyed. */
  reuseVmid(recipe: GuestRecipe): Guest {
    this.destroyGuest(recipe.vmid);
    return this.createGuest({ ...recipe, generation: this.state.random.hex(8) });
  }

  /** A copy with new identifiers and addresses. The firewall file is copied as it is, foreign markers included. */
  cloneGuest(vmid: number, newVmid: number, name: string): Guest {
    const source = this.guest(vmid);
    return this.state.change(() => {
      const clone = this.state.addGuest({
        vmid: newVmid,
        type: source.type,
        node: source.node,
        config: source.configText,
        state: 'stopped',
      });
      clone.editConfig((config) => {
        config.snapshots.clear();
        config.pending.clear();
        config.pendingDelete.clear();
        const { current } = config;
        current.delete('template');
        current.set(source.type === 'qemu' ? 'name' : 'hostname', name);
        if (source.type === 'qemu') {
          current.set('smbios1', `uuid=${this.state.random.uuid()}`);
          current.set('vmgenid', this.state.random.uuid());
        }
        for (const nic of nicNames(current)) current.set(nic, this.#withNewMac(current.get(nic) ?? ''));
      });
      const rules = this.state.files.get(`firewall/${vmid}.fw`);
      if (rules !== undefined) this.state.files.set(`firewall/${newVmid}.fw`, rules);
      return clone;
    });
  }

  /** What a backup of the guest contains. */
  backupGuest(vmid: number): GuestBackup {
    return { config: this.guest(vmid).configText, firewall: this.state.files.get(`firewall/${vmid}.fw`) };
  }

  /** Puts configuration and firewall file back to the time of the backup. */
  restoreGuest(vmid: number, backup: GuestBackup): void {
    this.state.change(() => {
      this.guest(vmid).configText = backup.config;
      if (backup.firewall === undefined) this.state.files.delete(`firewall/${vmid}.fw`);
      else this.state.files.set(`firewall/${vmid}.fw`, backup.firewall);
    });
  }

  /** A migration that takes `ms` virtual milliseconds, during which the configuration is locked. */
  async migrateSlowly(vmid: number, node: string, ms: number): Promise<void> {
    this.lockGuest(vmid, 'migrate');
    await this.state.clock.sleep(ms);
    this.migrate(vmid, node);
    this.lockGuest(vmid, undefined);
  }

  /** The token stops working from the next request on. Accepts the token id or the full header value. */
  revokeToken(token: string): void {
    this.state.access.tokens.delete(token.split('=')[0] ?? token);
  }

  #withNewMac(nic: string): string {
    const digits = this.state.random
      .hex(6)
      .toUpperCase()
      .replace(/(..)(..)(..)/, '$1:$2:$3');
    return nic.replace(/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/i, `BC:24:11:${digits}`);
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
      caPem: node.customCaPem ?? this.state.authority.caPem,
    };
  }
}
