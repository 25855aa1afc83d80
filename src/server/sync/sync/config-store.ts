import { publishEvent } from '../../events/publish-event';
import type { NetworkIds } from '../../inventory/reconcile/interfaces';
import type { RunSession } from '../../inventory/run-session';
import type { ReadConfig } from './read-configs';
import { storeApart, UNSTORABLE } from './store-apart';
import { storeConfigs } from './store-configs';

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

  /** Takes one more; whoever fills a batch waits until it is stored, so that reading cannot run far ahead. */
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
    this.#storing = this.#storing.then(() => storeApart(batch, (part) => this.#store(part), refuse));
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
