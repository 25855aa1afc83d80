import { createHash } from 'node:crypto';
import { guestCompileFailures } from '@/domain/firewall/compile-failure';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { clusterAccess, openProvider } from '../../inventory/cluster-access';
import { cache } from '../../lib/cache';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { forEachConcurrent } from '../../lib/for-each-concurrent';
import { logger } from '../../lib/logger';
import { notFound } from '../../lib/refusals';
import { ProviderError } from '../../providers/hypervisor/errors';
import type { HypervisorProvider } from '../../providers/hypervisor/types';
import {
  findGuestSnapshots,
  findObservedCluster,
  listKnownContent,
  type StoredClusterSnapshot,
  storeClusterSnapshot,
  storeGuestSnapshots,
} from '../queries/firewall-snapshots';
import type { InputWorkload } from '../queries/policy-inputs';
import { withCompileFailures } from './compile-failures';
import type { Content } from './emptied';
import { readGuestSnapshot, unreadableGuest } from './read-guest-snapshot';
import { recordFilters } from './record-filters';

/** A state and the time at which its read started. */
export type Timed<T> = { readonly state: T; readonly read_at: string };
export type TimedGuest = Timed<GuestSnapshot> & { readonly workload_id: string };
export type ClusterSnapshots = {
  readonly cluster: Timed<ClusterSnapshot>;
  readonly guests: ReadonlyMap<string, TimedGuest>;
};

/** A guest to read, as far as the inventory knows it. */
export type LiveSubject = Pick<
  InputWorkload,
  'id' | 'cluster_id' | 'node_name' | 'kind' | 'vmid' | 'creation_fingerprint'
>;

type Options = {
  /** Guests read concurrently; the provider also limits the calls to one node. */
  concurrency?: number;
  signal?: AbortSignal;
  /** The caller asked for the current state: a read that began before the call does not count. */
  fresh?: boolean;
  /** Something was written just before: what was read earlier is stored no longer, whatever can be read now. */
  replace?: boolean;
  openProvider?: typeof openProvider;
  pause?: (ms: number) => Promise<void>;
};

/** Pages that are opened one after another share a snapshot. */
const CACHE_MS = 3_000;
/** An incomplete snapshot does not take the place of a complete one that is younger than this. */
const KEEP_MS = 10 * 60_000;
const CONCURRENCY = 12;

type Asked = { readonly at: number; readonly fresh: boolean };
const LIMITS = {
  maxEntries: 5_000,
  isFresh: (kept: Asked, { at, fresh }: Asked) => !fresh && at >= kept.at && at - kept.at < CACHE_MS,
  isOver: (kept: Asked, { at }: Asked) => at - kept.at >= CACHE_MS,
};
/** By workload and by cluster: who may see which of them is decided before. */
const guestCache = cache<Promise<TimedGuest>, Asked>({ name: 'guest_readings', ...LIMITS });
const clusterCache = cache<Promise<Timed<ClusterSnapshot>>, Asked>({ name: 'cluster_readings', ...LIMITS });
/** What pages of one guest show, with what could not be read: stored once for all of them. */
const shownCache = cache<Promise<ClusterSnapshots>, Asked>({ name: 'shown_guests', ...LIMITS });
const toReadRequest = (fresh: boolean): Asked => ({ at: clock.now().getTime(), fresh });

/** Forgets what was read: after writing, or in tests. */
export function clearSnapshotCaches(): void {
  guestCache.clear();
  clusterCache.clear();
  shownCache.clear();
}

export const hashSnapshot = (state: unknown): string =>
  createHash('sha256').update(JSON.stringify(state)).digest('base64');

type Failure = { code: string; message: string; remedy?: string };

const toFailure = (error: unknown): Failure => {
  if (error instanceof ProviderError) {
    return { code: error.code, message: error.message.slice(0, 500), remedy: error.remedy.slice(0, 500) };
  }
  if (error instanceof AppError) return { code: error.code, message: error.message };
  throw error;
};

const unreadableCluster = (failure: Failure): ClusterSnapshot => ({
  firewall_enabled: null,
  groups: null,
  ipsets: null,
  aliases: null,
  unreadable: [{ part: 'options', ...failure }],
});

const isComplete = ({ unreadable }: GuestSnapshot) => unreadable.length === 0 || unreadable[0]?.code === 'replaced';

/**
 * Stores snapshots for readers that do not ask the cluster; notifies the pages of changes.
 * @returns the snapshots, with what keeps nodes from compiling
 */
async function store(
  clusterId: string,
  snapshots: ClusterSnapshots,
  before: StoredClusterSnapshot | null,
  subjects: readonly LiveSubject[],
  replace: boolean,
): Promise<ClusterSnapshots> {
  const guests = [...snapshots.guests.values()].map((guest) => ({ ...guest, state_hash: hashSnapshot(guest.state) }));
  const incomplete = guests.filter(({ state }) => state.presence !== 'absent' && !isComplete(state));
  const ids = incomplete.map(({ workload_id }) => workload_id);
  const known = new Map((await findGuestSnapshots(db, ids)).map((row) => [row.workload_id, row]));
  const keep = ({ workload_id, read_at }: TimedGuest) => {
    const before = known.get(workload_id);
    return (
      before !== undefined &&
      isComplete(before.state) &&
      new Date(read_at).getTime() - new Date(before.read_at).getTime() < KEEP_MS
    );
  };
  const vmids = new Map(subjects.map(({ id, vmid }) => [id, vmid]));
  const rows = guests
    .filter((snapshot) => replace || !(ids.includes(snapshot.workload_id) && keep(snapshot)))
    .map(({ workload_id, read_at, state, state_hash }) => {
      // What could not be read again is no proof that it was fixed.
      const unread = state.presence === 'unknown' || state.rules === null || state.ipsets === null;
      const compile_failures = unread
        ? known.get(workload_id)?.compile_failures
        : guestCompileFailures(snapshots.cluster.state, vmids.get(workload_id) ?? 0, state);
      return {
        workload_id,
        read_at,
        state,
        state_hash,
        ...(compile_failures && { compile_failures }),
      };
    });
  const { read_at } = snapshots.cluster;
  const changed = await storeGuestSnapshots(db, rows);
  const { state, nftables } = await withCompileFailures(
    clusterId,
    snapshots.cluster.state,
    before?.state ?? null,
    read_at,
  );
  const clusterRow = { cluster_id: clusterId, read_at, state_hash: hashSnapshot(state), state };
  await storeClusterSnapshot(db, clusterRow);
  await recordFilters(clusterRow, guests, subjects, nftables);
  if (changed > 0 || before?.state_hash !== clusterRow.state_hash)
    await publishEvent(db, { type: 'firewall.changed', cluster_id: clusterId });
  return { ...snapshots, cluster: { state, read_at } };
}

const at = () => clock.now().toISOString();

function readOne(
  provider: HypervisorProvider,
  subject: LiveSubject,
  known: Content | undefined,
  { fresh = false, pause }: Options,
): Promise<TimedGuest> {
  return guestCache.load(subject.id, toReadRequest(fresh), async () => {
    const read_at = at();
    const { id, node_name, kind, vmid, creation_fingerprint } = subject;
    const state =
      node_name === null
        ? unreadableGuest({
            code: 'not_found',
            message: 'The inventory does not have the node of this workload. Sync the cluster.',
          })
        : await readGuestSnapshot(provider, { node: node_name, kind, vmid, creation_fingerprint }, known, pause);
    return { workload_id: id, read_at, state };
  });
}

/** One guest as a page shows it: read and stored once for all who ask within a few seconds, also when it cannot be read. */
export function readShownGuest(subject: LiveSubject): Promise<ClusterSnapshots> {
  return shownCache.load(subject.id, toReadRequest(false), () => readLive(subject.cluster_id, [subject]));
}

/**
 * Reads what is live on one cluster: what its guests share, and these guests, each at most once within a few seconds unless
 * `fresh`. A cluster that cannot be reached has snapshots without content. What was read is stored as well.
 */
export async function readLive(
  clusterId: string,
  subjects: readonly LiveSubject[],
  options: Options = {},
): Promise<ClusterSnapshots> {
  const { concurrency = CONCURRENCY, signal = new AbortController().signal, fresh = false, replace = false } = options;
  const guests = new Map<string, TimedGuest>();
  let provider: HypervisorProvider | undefined;
  let before: StoredClusterSnapshot | null = null;
  let snapshots: ClusterSnapshots;
  try {
    const row = await findObservedCluster(db, clusterId);
    if (!row) throw notFound('cluster');
    before = row.stored;
    const opened = (options.openProvider ?? openProvider)(clusterAccess(row.cluster));
    provider = opened;
    const cluster = await clusterCache.load(clusterId, toReadRequest(fresh), async () => {
      const read_at = at();
      return { state: await opened.firewallReader.readClusterFirewall(), read_at };
    });
    const ids = subjects.map(({ id }) => id);
    const known = await listKnownContent(db, ids, replace);
    await forEachConcurrent(subjects, concurrency, signal, async (subject) => {
      guests.set(subject.id, await readOne(opened, subject, known.get(subject.id), options));
    });
    snapshots = { cluster, guests };
  } catch (error) {
    signal.throwIfAborted();
    const failure = toFailure(error);
    const read_at = at();
    for (const { id } of subjects) {
      if (!guests.has(id)) guests.set(id, { workload_id: id, read_at, state: unreadableGuest(failure) });
    }
    snapshots = { cluster: { state: unreadableCluster(failure), read_at }, guests };
  } finally {
    provider?.close();
  }
  return store(clusterId, snapshots, before, subjects, replace).catch((error: unknown) => {
    // The caller gets the snapshots in any case.
    logger.warn({ err: error, cluster_id: clusterId }, 'failed to store firewall snapshots');
    return snapshots;
  });
}

type ReadAt = { readonly read_at: string };

/**
 * The time of the oldest snapshot that an answer is built from: no part of the answer is older. Null when one of
 * them was never read.
 */
export function oldestReadAt(first: ReadAt, ...others: readonly ReadAt[]): string;
export function oldestReadAt(...snapshots: readonly (ReadAt | null | undefined)[]): string | null;
export function oldestReadAt(...snapshots: readonly (ReadAt | null | undefined)[]): string | null {
  const times = snapshots.map((snapshot) => snapshot?.read_at);
  if (times.includes(undefined)) return null;
  return times.sort((a = '', b = '') => Date.parse(a) - Date.parse(b))[0] ?? null;
}
