import { AccessControl } from '../access/acl';
import type { SimClock } from '../clock';
import type { ClusterAuthority } from '../pki/cluster-authority';
import { PveError } from '../pve-error';
import type { PveVersion } from '../pve-version';
import type { Random } from '../random';
import type { GuestType } from '../schema/guest-nic';
import { ClusterLocks } from './cluster-locks';
import { Guest, type GuestInit, guestConfigPath } from './guest';
import { type NodeInit, PveNode } from './node';
import { copySdnConfig, emptySdnConfig, type IpamEntry, type SdnConfig } from './sdn';
import { StatusCache } from './status-cache';
import { TaskList } from './task-list';

export type Pool = { poolid: string; comment?: string; members: Set<number> };

export type ClusterInit = {
  name: string;
  version: PveVersion;
  authority: ClusterAuthority;
  nodes: NodeInit[];
  clock: SimClock;
  random: Random;
};

/** Everything one simulated cluster knows: the replicated file system, the nodes, the guests, the rights. */
export class ClusterState {
  readonly name: string;
  readonly version: PveVersion;
  readonly authority: ClusterAuthority;
  readonly clock: SimClock;
  readonly random: Random;
  readonly nodes = new Map<string, PveNode>();
  readonly guests = new Map<number, Guest>();
  readonly pools = new Map<string, Pool>();
  /** Firewall files by path below the cluster file system: `firewall/cluster.fw`, `firewall/100.fw`, `nodes/a/host.fw`. */
  readonly files = new Map<string, string>();
  /** Files that are being replaced at this moment: the next call that reads one finds it empty. */
  readonly emptyReads = new Set<string>();
  readonly access: AccessControl;
  readonly locks: ClusterLocks;
  readonly status: StatusCache;
  readonly tasks: TaskList;
  readonly leases: IpamEntry[] = [];
  /** `staged` is what administrators edit, `running` what nodes use since the last apply. */
  readonly sdn = { staged: emptySdnConfig(), running: emptySdnConfig() };
  /** Quorum lost although enough nodes are up, for example by a network partition. */
  quorumLost = false;
  /** Virtual ms a write to the replicated file system takes. */
  fileWriteMs = 0;
  /** Corosync configuration version. */
  configVersion = 1;
  /** Called before any change, so that everything periodic (broadcasts, rule compilation) sees the state of its time. */
  readonly beforeChange: (() => void)[] = [];

  constructor(init: ClusterInit) {
    this.name = init.name;
    this.version = init.version;
    this.authority = init.authority;
    this.clock = init.clock;
    this.random = init.random;
    const now = init.clock.now();
    for (const node of init.nodes) this.nodes.set(node.name, new PveNode(node, now));
    this.configVersion = init.nodes.length;
    this.access = new AccessControl(init.version.major, (vmid) => this.poolOf(vmid)?.poolid);
    this.locks = new ClusterLocks(init.clock, () => this.quorate);
    this.status = new StatusCache(this);
    this.tasks = new TaskList(this);
    this.beforeChange.push(() => this.status.refresh(this.clock.now()));
  }

  get nowSeconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  get quorate(): boolean {
    const online = [...this.nodes.values()].filter((node) => node.online).length;
    return !this.quorumLost && online > this.nodes.size / 2;
  }

  /** A cluster of one node was never joined to another: no cluster object, node id 0. */
  get standalone(): boolean {
    return this.nodes.size === 1;
  }

  /** Applies a change made by an operator or another program. */
  change<T>(apply: () => T): T {
    for (const hook of this.beforeChange) hook();
    return apply();
  }

  addGuest(init: GuestInit): Guest {
    if (this.guests.has(init.vmid)) throw new Error(`VM ${init.vmid} already exists`);
    const guest = new Guest(init, this.clock.now());
    this.guests.set(guest.vmid, guest);
    return guest;
  }

  guestsOn(node: string): Guest[] {
    return [...this.guests.values()].filter((guest) => guest.node === node);
  }

  poolOf(vmid: number): Pool | undefined {
    for (const pool of this.pools.values()) if (pool.members.has(vmid)) return pool;
    return undefined;
  }

  /** The guest as a node finds its configuration file; 500 when it is not in that node's directory. */
  loadGuest(type: GuestType, vmid: number, node: string): Guest {
    const guest = this.guests.get(vmid);
    if (guest && guest.type === type && guest.node === node) return guest;
    throw new PveError(500, `Configuration file '${guestConfigPath(type, vmid, node)}' does not exist`);
  }

  /** Zone that controls the use of a bridge: that of the VNet of this name, else the implicit one. */
  zoneOf(bridge: string): string {
    return this.sdn.running.vnets.get(bridge)?.zone ?? 'localnetwork';
  }

  /** Makes the staged SDN configuration the running one. */
  applySdn(): void {
    const copy: SdnConfig = copySdnConfig(this.sdn.staged);
    this.sdn.running = copy;
  }
}
