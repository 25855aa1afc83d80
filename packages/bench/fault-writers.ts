import { setTimeout as delay } from 'node:timers/promises';
import type { Person } from './person';

/** What was written and what is known about it. */
export type Ledger = {
  /** Answered with success: it must be there. By name, with the id that was answered. */
  accepted: Map<string, string>;
  /** No answer, or one of trouble: it may be there once or not at all. */
  uncertain: Set<string>;
  /** Newest number of each node's heartbeat that the service took. */
  heartbeats: Map<number, { sequence: number; bootId: string }>;
  /** Runs of syncs that were promised. */
  runs: Set<string>;
};

export const createLedger = (): Ledger => ({
  accepted: new Map(),
  uncertain: new Set(),
  heartbeats: new Map(),
  runs: new Set(),
});

/** Creates tenants one after the other until the signal, and keeps account of what the service said. */
export async function writeTenants(person: Person, name: string, ledger: Ledger, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const tenant = `${name} ${n}`;
    const made = await person.measure('write', () => person.rest<{ id: string }>('POST', '/tenants', { name: tenant }));
    if (made) ledger.accepted.set(tenant, made.id);
    else ledger.uncertain.add(tenant);
    await delay(20 + Math.random() * 100);
  }
}

/** Asks for syncs of a cluster again and again. */
export async function requestSyncs(
  person: Person,
  clusterId: string,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const run = await person.measure('ask for a sync', () =>
      person.rest<{ run_id: string }>('POST', `/clusters/${clusterId}/sync`, {}),
    );
    if (run) ledger.runs.add(run.run_id);
    await delay(1_000 + Math.random() * 2_000);
  }
}
