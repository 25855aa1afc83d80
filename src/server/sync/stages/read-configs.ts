import { publishEvent } from '../../events/event-hub';
import type { SyncedWorkload } from '../../inventory/queries/sync-guests';
import type { NetworkIds } from '../../inventory/reconcile/interfaces';
import { describeFailure, isLocal, type RunSession } from '../../inventory/run-session';
import type { GuestConfig } from '../../providers/hypervisor/types';
import { insertWithBisect, storeConfigs, UNSTORABLE } from './store-configs';

export type ReadConfig = { workload: SyncedWorkload; config: GuestConfig };

/** Configs read concurrently per node; the provider further limits what goes to one node. */
const PER_NODE = 4;
/** After this many failures in a row a node is left alone until the next sync. */
const NODE_FAILURES = 3;
/** The node's own fault, or that of the way to it: the next guest there would meet it as well. */
const NODE_FAULTS = new Set(['node_unreachable', 'timeout', 'circuit_open']);

/**
 * Reads the configs of each node's guests, the nodes side by side, and hands over each one. What cannot be read is
 * reported and left out; a fault of the cluster as a whole ends it.
 */
export async function readConfigs(
  session: RunSession,
  guestsOf: ReadonlyMap<string, readonly SyncedWorkload[]>,
  take: (read: ReadConfig) => Promise<void>,
): Promise<void> {
  const { report, provider } = session;
  const stop = new AbortController();
  const signal = AbortSignal.any([session.signal, stop.signal]);

  const readNode = (node: string, guests: readonly SyncedWorkload[]) => {
    const rest = guests.values();
    let failures = 0;
    const readOne = async (workload: SyncedWorkload) => {
      try {
        const config = await provider.inventory.readGuestConfig({ node, kind: workload.kind, vmid: workload.vmid });
        failures = 0;
        report.count({ seen: config.nics.length + config.unreadable.length });
        await take({ workload, config });
      } catch (error) {
        if (!isLocal(error)) throw error;
        const ofNode = NODE_FAULTS.has(error.code);
        failures = ofNode ? failures + 1 : 0;
        report.count({ skipped: 1 });
        // A guest that vanished between two calls is no error: the next list tells.
        if (error.code !== 'not_found' && (!ofNode || failures === 1))
          report.error({ ...describeFailure(error), object: ofNode ? node : workload.external_id });
      }
    };
    return Array.from({ length: Math.min(PER_NODE, guests.length) }, async () => {
      for (const workload of rest) {
        signal.throwIfAborted();
        if (failures < NODE_FAILURES) await readOne(workload);
        else report.count({ skipped: 1 });
        report.step();
      }
    });
  };
  const readers = [...guestsOf].flatMap(([node, guests]) => readNode(node, guests));
  for (const reader of readers) reader.catch((error: unknown) => stop.abort(error));
  // All readers end before the first error is rethrown: nothing keeps running in the background of an aborted run.
  await Promise.allSettled(readers);
  signal.throwIfAborted();
}

/** Configs stored in one transaction. */
const STORE_ROWS = 200;

/** Collects configs and stores them in batches, one after the other. */
export class ConfigStore {
  readonly #session: RunSession;
  readonly #networks: NetworkIds;
  readonly #now: Date;
  #waiting: ReadConfig[] = [];
  #storing: Promise<void> = Promise.resolve();

  constructor(session: RunSession, networks: NetworkIds, now: Date) {
    this.#session = session;
    this.#networks = networks;
    this.#now = now;
  }

  /** Adds one item; the caller that fills a batch waits until it is stored, so that reading cannot run far ahead. */
  async add(read: ReadConfig): Promise<void> {
    this.#waiting.push(read);
    if (this.#waiting.length >= STORE_ROWS) await this.flush();
  }

  /** Stores what has been collected. */
  flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    const { report } = this.#session;
    const refuse = ({ workload }: ReadConfig) => report.error({ ...UNSTORABLE, object: workload.external_id });
    this.#storing = this.#storing.then(() => insertWithBisect(batch, (part) => this.#store(part), refuse));
    return this.#storing;
  }

  async #store(part: readonly ReadConfig[]): Promise<void> {
    const { report, clusterId } = this.#session;
    const stored = await this.#session.write(async (tx) => {
      const result = await storeConfigs(tx, clusterId, part, this.#networks, this.#now);
      if (result.wrote) await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
      return result;
    });
    report.count(stored.counters);
    for (const error of stored.errors) report.error(error);
  }
}
