import type { ClusterState } from './cluster-state';
import type { Guest } from './guest';
import { type GuestStatistics, guestStatistics } from './guest-statistics';

const BROADCAST_INTERVAL = 10_000;
const DUMP_LIFETIME = 2_000;
const ENTRY_LIFETIME = 300_000;

type Entry<T> = { at: number; node: string; statistics: T };
export type NodeStatistics = { uptime: number; cpu: number; mem: number; disk: number; maxdisk: number };
export type StatusDump = {
  /** `guest` tells a successor with the same id from the guest the data is about. */
  guests: Map<number, Entry<GuestStatistics> & { guest: Guest }>;
  nodes: Map<string, Entry<NodeStatistics>>;
};

/**
 * Status data as the cluster shares it: every node broadcasts its guests every ten seconds, readers see a dump that is
 * up to two seconds old, and an entry that was not renewed for 300 s is gone.
 */
export class StatusCache {
  readonly #cluster: ClusterState;
  readonly #lastTick = new Map<string, number>();
  readonly #guests: StatusDump['guests'] = new Map();
  readonly #nodes: StatusDump['nodes'] = new Map();
  #dump: { at: number; content: StatusDump } | undefined;

  constructor(cluster: ClusterState) {
    this.#cluster = cluster;
  }

  /**
   * Performs the broadcasts that became due. Called before every change and every read, so a broadcast always carries
   * the state of its own time.
   */
  refresh(now: number): void {
    for (const node of this.#cluster.nodes.values()) {
      if (!node.online || !node.statusDaemonRunning) continue;
      const tick = this.#tickOf(node.id, now);
      if (tick <= (this.#lastTick.get(node.name) ?? Number.NEGATIVE_INFINITY)) continue;
      this.#lastTick.set(node.name, tick);
      this.#broadcast(node.name, tick);
    }
  }

  /** What readers see at `now`. */
  dump(now: number): StatusDump {
    this.refresh(now);
    if (this.#dump && now - this.#dump.at < DUMP_LIFETIME) return this.#dump.content;
    const alive = <K, E extends { at: number }>(entries: Map<K, E>) =>
      new Map([...entries].filter(([, entry]) => now - entry.at <= ENTRY_LIFETIME));
    const content = { guests: alive(this.#guests), nodes: alive(this.#nodes) };
    this.#dump = { at: now, content };
    return content;
  }

  /** Everything is known from the first moment, as in a cluster that has been running for long. */
  prime(now: number): void {
    for (const node of this.#cluster.nodes.values()) {
      this.#lastTick.set(node.name, this.#tickOf(node.id, now));
      if (node.online) this.#broadcast(node.name, now);
    }
  }

  /** The daemons of the nodes do not tick together. */
  #tickOf(nodeId: number, now: number): number {
    const phase = (nodeId * 3_700) % BROADCAST_INTERVAL;
    return Math.floor((now - phase) / BROADCAST_INTERVAL) * BROADCAST_INTERVAL + phase;
  }

  #broadcast(nodeName: string, at: number): void {
    const node = this.#cluster.nodes.get(nodeName);
    if (!node) return;
    let mem = 0;
    for (const guest of this.#cluster.guestsOn(nodeName)) {
      const statistics = guestStatistics(guest, at);
      mem += statistics.mem;
      this.#guests.set(guest.vmid, { at, node: nodeName, guest, statistics });
    }
    const statistics = {
      uptime: Math.floor((at - node.bootedAt) / 1000),
      cpu: 0.05 + (node.id % 7) / 50,
      mem: Math.min(mem + 2 * 1024 ** 3, node.memory),
      disk: 12 * 1024 ** 3,
      maxdisk: 96 * 1024 ** 3,
    };
    this.#nodes.set(nodeName, { at, node: nodeName, statistics });
    for (const vmid of this.#guests.keys()) if (!this.#cluster.guests.has(vmid)) this.#guests.delete(vmid);
  }
}
