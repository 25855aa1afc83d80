import { readPermissions } from '../answers/permissions';
import type { PveClient } from '../client';
import type { ClientOptions } from '../client-options';
import { readClusterStatus } from './cluster-status';
import { readGuestResources } from './guest-resources';
import { readNodeSummaries } from './node-summaries';

/** Remembers what `load` answers for `ms` of the caller's clock; failures are not remembered. */
export function createTimedCache<T>(
  ms: number,
  now: () => number,
  load: () => Promise<T>,
): { get(): Promise<T>; fresh(): Promise<T> } {
  let known: { at: number; value: Promise<T> } | null = null;
  const fresh = () => {
    const mine = { at: now(), value: load() };
    known = mine;
    mine.value.catch(() => {
      if (known === mine) known = null;
    });
    return mine.value;
  };
  return {
    fresh,
    get: () => (known !== null && now() - known.at < ms && now() >= known.at ? known.value : fresh()),
  };
}

/** The cluster caches its own overview for 2 s; asking more often would only repeat the answer. */
const OVERVIEW_MS = 2_000;

/** What the parts of the inventory share: the client, and answers that several of them need within a moment. */
export type InventoryContext = ReturnType<typeof createInventoryContext>;

export function createInventoryContext(client: PveClient, { clock, logger, access }: ClientOptions) {
  const now = () => clock.now().getTime();
  return {
    client,
    permissions: createTimedCache(OVERVIEW_MS, now, () => readPermissions(client)),
    clusterStatus: createTimedCache(OVERVIEW_MS, now, () => readClusterStatus(client)),
    resources: createTimedCache(OVERVIEW_MS, now, () => readGuestResources(client)),
    nodes: createTimedCache(OVERVIEW_MS, now, () => readNodeSummaries(client)),
    /** Tells once per call what an answer contained that could not be read. */
    report(problem: string | null): string | null {
      if (problem !== null) logger.warn({ cluster: access.key, problem }, 'could not read a response completely');
      return problem;
    },
  };
}
