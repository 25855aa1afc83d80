import type { SyncedWorkload } from '../../inventory/queries/sync-guests';
import { isOtherGuest } from '../../inventory/reconcile/interfaces';
import { describeFailure, isLocal, type RunSession } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import { processState } from '../../lib/process-state';
import type { GuestReading } from './observe';

const FIRST_MS = 10 * 60_000;
const LONGEST_MS = 6 * 60 * 60_000;
const MAX_GUESTS = 200_000;

type Silence = { failures: number; until: number; startedAt: string | null };

/**
 * Remembers in this process which guest agents did not answer, so that automatic runs do not wait for them each time.
 * The pause doubles with each failure and has ±25% jitter, so that they are not all asked again together; a restarted
 * guest is asked immediately.
 */
export class AgentBackoff {
  readonly #silent = new Map<string, Silence>();
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Whether the guest's agent is to be left alone for now. */
  isSilent(guest: string, startedAt: string | null, now: number): boolean {
    const silence = this.#silent.get(guest);
    return silence !== undefined && silence.startedAt === startedAt && now < silence.until;
  }

  failed(guest: string, startedAt: string | null, now: number): void {
    const before = this.#silent.get(guest);
    const failures = before?.startedAt === startedAt ? before.failures + 1 : 1;
    const pause = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
    if (this.#silent.size >= MAX_GUESTS && !before) this.#silent.clear();
    this.#silent.set(guest, { failures, startedAt, until: now + pause * (0.75 + this.#random() / 2) });
  }

  answered(guest: string): void {
    this.#silent.delete(guest);
  }
}

/** Guests read concurrently per node; the provider further limits requests to one node. */
const PER_NODE = 4;
/** After this many failures in a row a node is left alone until the next run. */
const NODE_FAILURES = 3;
const NODE_FAULTS = new Set(['node_unreachable', 'timeout', 'circuit_open']);
/** Refusals for lack of a privilege that are reported individually; the others are counted. */
const MAX_FORBIDDEN = 3;

const state = processState(() => ({ backoff: new AgentBackoff() }));

const OTHER_GUEST = {
  code: 'inventory_outdated',
  message: 'The ID belongs to another workload since the last sync. Its addresses were not stored.',
  remedy: 'Sync the cluster, then run the address discovery again.',
};

/** Whether anything about the guest can be read at all: it is there, complete, and its node is up. */
export const isReadable = (workload: SyncedWorkload): boolean =>
  workload.missing_since === null && !workload.template && workload.lock !== 'create' && workload.lock !== 'clone';

/**
 * Reads the sources of the addresses of each node's guests, the nodes in parallel. Guest agents of a node are asked
 * sequentially, in parallel with everything else: a dead one takes seconds and must not hold up the rest. What cannot
 * be read is reported and left out; a fault of the whole cluster ends it.
 * @param macsOf stored interfaces of a workload, used to recognize a container
 */
export async function readGuests(
  session: RunSession,
  guestsOf: ReadonlyMap<string, readonly SyncedWorkload[]>,
  macsOf: ReadonlyMap<string, readonly { mac: string | null }[]>,
): Promise<GuestReading[]> {
  const { report, provider, run } = session;
  const stop = new AbortController();
  const signal = AbortSignal.any([session.signal, stop.signal]);
  const readings: GuestReading[] = [];
  let forbidden = 0;

  const readNode = (node: string, guests: readonly SyncedWorkload[]): Promise<void>[] => {
    const rest = guests.values();
    let failures = 0;
    let agents: Promise<void> = Promise.resolve();

    const fail = (workload: SyncedWorkload, error: unknown) => {
      if (!isLocal(error)) throw error;
      const ofNode = NODE_FAULTS.has(error.code);
      failures = ofNode ? failures + 1 : 0;
      report.count({ skipped: 1 });
      if (error.code === 'not_found' || error.code === 'not_running') return;
      if (error.code === 'forbidden' && ++forbidden > MAX_FORBIDDEN) report.count({ errors: 1 });
      else if (!ofNode || failures === 1)
        report.error({ ...describeFailure(error), object: ofNode ? node : workload.external_id });
    };

    const askLive = async (workload: SyncedWorkload, reading: GuestReading, at: string) => {
      const key = `${session.clusterId} ${workload.vmid}`;
      try {
        signal.throwIfAborted();
        const { kind, vmid } = workload;
        if (failures >= NODE_FAILURES) return report.count({ skipped: 1 });
        reading.live = await provider.addresses.readGuestInterfaces({ node: at, kind, vmid });
        failures = 0;
        state.backoff.answered(key);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        state.backoff.failed(key, workload.started_at, clock.now().getTime());
        fail(workload, error);
      }
    };

    const readOne = async (workload: SyncedWorkload): Promise<void> => {
      const { kind, vmid, id } = workload;
      const settings = await provider.addresses.readGuestSettings({ node, kind, vmid });
      failures = 0;
      report.count({ seen: 1 });
      if (isOtherGuest(workload, settings, macsOf.get(id) ?? [])) {
        report.error({ ...OTHER_GUEST, object: workload.external_id });
        return report.step();
      }
      const reading: GuestReading = { workload_id: id, vmid, kind, settings, live: null };
      readings.push(reading);
      const running = workload.status === 'running' || workload.status === 'unknown';
      if (!running || (kind === 'qemu' && !settings.agent_enabled)) return report.step();
      if (kind === 'lxc') {
        await askLive(workload, reading, settings.node);
        return report.step();
      }
      const now = clock.now().getTime();
      // A manual run asks all agents; a scheduled run does not wait for agents that are known to be unresponsive.
      if (run.trigger === 'auto' && state.backoff.isSilent(`${session.clusterId} ${vmid}`, workload.started_at, now)) {
        report.count({ skipped: 1 });
        return report.step();
      }
      agents = agents.then(() => askLive(workload, reading, settings.node)).finally(() => report.step());
      agents.catch((error: unknown) => stop.abort(error));
    };

    const reader = async () => {
      for (const workload of rest) {
        signal.throwIfAborted();
        if (failures >= NODE_FAILURES) {
          report.count({ skipped: 1 });
          report.step();
          continue;
        }
        try {
          await readOne(workload);
        } catch (error) {
          if (signal.aborted) throw error;
          fail(workload, error);
          report.step();
        }
      }
    };
    const readers = Array.from({ length: Math.min(PER_NODE, guests.length) }, reader);
    return [...readers, Promise.allSettled(readers).then(() => agents)];
  };

  const all = [...guestsOf].flatMap(([node, guests]) => readNode(node, guests));
  for (const one of all) one.catch((error: unknown) => stop.abort(error));
  // All of them end before the first error is thrown: no work continues behind an aborted run.
  await Promise.allSettled(all);
  signal.throwIfAborted();
  return readings;
}
