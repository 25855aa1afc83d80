import { shareSnapshot } from '@/domain/firewall/cluster-changes';
import type { ClusterSnapshot } from '@/domain/firewall/snapshot';
import { db } from '../../../db/client';
import { sharedValue } from '../../../lib/cache';
import { groupBy } from '../../../lib/group-by';
import { getMoment, loadForMoment } from '../../../lib/moment';
import { readLive, type Timed, type TimedGuest } from '../../guest-firewall/live-reader';
import { listAcceptedDrift } from '../../queries/drifts';
import { findClusterSnapshots, findGuestSnapshots, listSnapshotHashes } from '../../queries/firewall-snapshots';
import { type PolicyInputsStamp, policyInputsStamp } from '../../queries/policy-inputs';
import { listAppliedAt, listPlacedPairs, type PlacedPair } from '../../queries/policy-placements';
import { loadPolicyInputs, type PolicyInputs, shareInputs } from '../policy-inputs';
import type { AcceptedDrift } from './compare-drift';
import { FirewallState } from './firewall-state';

type Stored<T> = Timed<T> & { readonly hash: string };

type Known = {
  stamp: PolicyInputsStamp;
  inputs: PolicyInputs;
  placed: PlacedPair[];
  accepted: AcceptedDrift;
  guests: Map<string, TimedGuest & { hash: string }>;
  clusters: Map<string, Stored<ClusterSnapshot>>;
  firewall: FirewallState;
};

type Listed = Awaited<ReturnType<typeof listSnapshotHashes>>[number];

/** Readings as stored, by what was read. What was read before and is still the same is not fetched again. */
async function readChanged<T extends { read_at: string; hash: string }>(
  listed: readonly Listed[],
  before: ReadonlyMap<string, T>,
  fetch: (ids: readonly string[]) => Promise<(T & { id: string })[]>,
): Promise<Map<string, T>> {
  const differing = listed.filter(({ id, state_hash }) => before.get(id)?.hash !== state_hash).map(({ id }) => id);
  const fetched = new Map((await fetch(differing)).map(({ id, ...row }) => [id, row as unknown as T]));
  return new Map(
    listed.flatMap(({ id, read_at }): [string, T][] => {
      const row = fetched.get(id);
      const old = before.get(id);
      return row ? [[id, row]] : old ? [[id, { ...old, read_at }]] : [];
    }),
  );
}

async function readSnapshots(before: Pick<Known, 'guests' | 'clusters'>): Promise<Pick<Known, 'guests' | 'clusters'>> {
  const { guest = [], cluster = [] } = Object.fromEntries(groupBy(await listSnapshotHashes(db), (row) => row.of));
  const [guests, clusters] = await Promise.all([
    readChanged(guest, before.guests, async (ids) =>
      (await findGuestSnapshots(db, ids)).map(({ workload_id, read_at, state, state_hash: hash }) => ({
        ...{ id: workload_id, workload_id, read_at, state, hash },
      })),
    ),
    readChanged(cluster, before.clusters, async (ids) =>
      (await findClusterSnapshots(db, ids)).map(({ cluster_id: id, read_at, state, state_hash: hash }) => ({
        ...{ id, read_at, hash, state: shareSnapshot(before.clusters.get(id)?.state ?? state, state) },
      })),
    ),
  ]);
  return { guests, clusters };
}

/** Differences that someone accepted and that are not expired, with what was last applied at their workloads. */
async function readAccepted(): Promise<AcceptedDrift> {
  const rows = await listAcceptedDrift(db);
  const applied = await listAppliedAt(db, [...new Set(rows.map(({ workload_id }) => workload_id))]);
  const placements = groupBy(applied, ({ workload_id }) => workload_id);
  const pairs = groupBy(rows, ({ policy_id, workload_id }) => `${policy_id} ${workload_id}`);
  return new Map(
    [...pairs].map(([pair, differences]) => {
      const workloadId = differences[0]?.workload_id ?? '';
      return [pair, { differences, applied: placements.get(workloadId) ?? [] }];
    }),
  );
}

/** The inputs as they are now, with what is as before. */
async function readInputs(before: PolicyInputs | undefined): Promise<PolicyInputs> {
  const inputs = await loadPolicyInputs();
  return before ? shareInputs(before, inputs) : inputs;
}

const known = sharedValue<Known>('policy_board', async (before) => {
  // Read the stamp before the data that it covers: the next read then notices a change in between.
  const stamp = await policyInputsStamp(db);
  const isSame = (part: keyof PolicyInputsStamp) => before?.stamp[part] === stamp[part];
  if (before && isSame('inputs') && isSame('placed') && isSame('snapshots') && isSame('accepted')) return before;
  const [inputs, placed, accepted, { guests, clusters }] = await Promise.all([
    before && isSame('inputs') ? before.inputs : readInputs(before?.inputs),
    before && isSame('placed') ? before.placed : listPlacedPairs(db),
    before && isSame('placed') && isSame('accepted') ? before.accepted : readAccepted(),
    readSnapshots(before ?? { guests: new Map(), clusters: new Map() }),
  ]);
  const firewall = new FirewallState(inputs, { guests, clusters }, placed, before?.firewall ?? null, accepted);
  return { stamp, inputs, placed, accepted, guests, clusters, firewall };
});

/** The state from what the database holds, with nothing kept from before. */
async function makeFirewallState(): Promise<FirewallState> {
  const [inputs, placed, accepted, { guests, clusters }] = await Promise.all([
    loadPolicyInputs(),
    listPlacedPairs(db),
    readAccepted(),
    readSnapshots({ guests: new Map(), clusters: new Map() }),
  ]);
  return new FirewallState(inputs, { guests, clusters }, placed, null, accepted);
}

/**
 * The status of all policies from the last snapshots of the clusters; no cluster is contacted. One query when nothing
 * changed, and then the same state. Requests at the same time share the work; each sees what was committed before it asked.
 * Inside `readPast` it is the state of then, without workloads of which it is not known which of two readings was live.
 */
export async function readFirewallState(): Promise<FirewallState> {
  return loadForMoment('firewall_state', makeFirewallState) ?? (await known.readNow()).firewall;
}

/** Another object whenever the firewall state is another one; not when the same was read again. */
export const readFirewallVersion = async (): Promise<object> => (await readFirewallState()).content;

/** The firewall state after reading some guests now, whatever was read a moment ago. */
export async function refreshFirewallState(
  choose: (firewall: FirewallState) => readonly string[],
): Promise<FirewallState> {
  const firewall = await readFirewallState();
  if (getMoment() !== null) return firewall;
  const subjects = choose(firewall).flatMap((id) => firewall.inputs.workloads.get(id) ?? []);
  const groups = groupBy(subjects, (workload) => workload.cluster_id);
  const fresh = await Promise.all(
    [...groups].map(
      async ([clusterId, list]) => [clusterId, await readLive(clusterId, list, { fresh: true })] as const,
    ),
  );
  const guests = new Map(firewall.snapshots.guests);
  const clusters = new Map(firewall.snapshots.clusters);
  for (const [clusterId, snapshots] of fresh) {
    clusters.set(clusterId, snapshots.cluster);
    for (const [id, snapshot] of snapshots.guests) guests.set(id, snapshot);
  }
  return firewall.with({ guests, clusters });
}
