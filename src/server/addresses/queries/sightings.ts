import { and, asc, desc, eq, ilike, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import { AddressSighting } from '@/domain/ipam/sighting';
import { getReachableProjects, type Reach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { likePattern, selectColumns } from '../../db/declared-fields';
import { addressSightings } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { ipamConflicts } from '../../db/schema/ipam';
import { workloadOwners } from '../../db/schema/moves';
import { networks } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { batches } from '../../db/update-rows';
import { getMoment } from '../../lib/moment';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';

/** A sighting that is open, of packets as well. */
export type OpenSighting = Pick<
  typeof addressSightings.$inferSelect,
  'id' | 'workload_id' | 'nic' | 'network_id' | 'vlan_tag' | 'address' | 'mac' | 'source' | 'seen_on' | 'last_seen_at'
>;
type NewSighting = Omit<OpenSighting, 'last_seen_at'> & { first_seen_at: string; last_seen_at: string };
/** What a discovery changes: rows that are new, ids of those that were confirmed, and of those that were disproved. */
export type SightingPlan = { create: NewSighting[]; confirm: string[]; end: string[] };

/** Conflicts that follow from sightings, as opposed to those that a discovery detects and settles itself. */
export const isFinding = sql`(${inArray(ipamConflicts.kind, ['moved_address', 'spoofed_address', 'stale_address', 'unmanaged_address'])}
  or (${ipamConflicts.kind} = 'duplicate_address' and ${ipamConflicts.other_source} is not distinct from 'traffic'))`;

const address = sql<string>`host(${addressSightings.address})`.as('address');

/** The sightings of a cluster that no source has disproved. */
export function listOpenSightings(executor: Executor, clusterId: string): Promise<OpenSighting[]> {
  const { id, workload_id, nic, network_id, vlan_tag, mac, source, seen_on, last_seen_at } = addressSightings;
  return executor
    .select({ id, workload_id, nic, network_id, vlan_tag, address, mac, source, seen_on, last_seen_at })
    .from(addressSightings)
    .where(and(eq(addressSightings.cluster_id, clusterId), isNull(addressSightings.ended_at)));
}

/** Stores what a discovery found out about the sources. */
export async function storeSightings(tx: Tx, cluster_id: string, plan: SightingPlan, now: Date): Promise<void> {
  const at = now.toISOString();
  for (const batch of batches(plan.end))
    await tx.update(addressSightings).set({ ended_at: at }).where(inArray(addressSightings.id, batch));
  for (const batch of batches(plan.confirm))
    await tx.update(addressSightings).set({ last_seen_at: at }).where(inArray(addressSightings.id, batch));
  for (const batch of batches(plan.create))
    await tx.insert(addressSightings).values(batch.map((row) => ({ ...row, cluster_id })));
}

/** Addresses from which an interface of a workload sent packets. */
export type SeenSource = {
  workload_id: string;
  nic: string;
  address: string;
  vlan_tag: number | null;
  seen_on: string | null;
  at: string;
};

/** Packets are noted at most this often. */
const TRAFFIC_NOTE_MINUTES = 10;
/** Addresses that one workload may be seen with: a router sends from those of others, a scanner from any. */
const MOST_OF_WORKLOAD = 512;

/** Notes from which addresses interfaces sent packets. What was noted minutes ago costs one look at the index. */
export async function noteSeenSources(tx: Tx, rows: readonly SeenSource[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    with seen as materialized (
      select distinct on (s.workload_id, s.nic, s.address) s.*, w.cluster_id, i.network_id, i.mac,
        coalesce(s.vlan, i.vlan_tag) as vlan_tag
      from jsonb_to_recordset(${JSON.stringify(rows.map(({ vlan_tag, ...row }) => ({ ...row, vlan: vlan_tag })))}::jsonb)
        as s(workload_id uuid, nic text, address inet, vlan int, seen_on text, at timestamptz)
        join ${workloads} w on w.id = s.workload_id
        join ${workloadInterfaces} i on i.workload_id = s.workload_id and i.name = s.nic
      order by s.workload_id, s.nic, s.address, s.at desc)
    insert into ${addressSightings} as k
      (id, cluster_id, workload_id, nic, network_id, vlan_tag, address, mac, source, seen_on, first_seen_at, last_seen_at)
    select gen_random_uuid(), cluster_id, workload_id, nic, network_id, vlan_tag, address, mac, 'traffic', seen_on, at, at
    from seen where not exists (select 1 from ${addressSightings} o where o.workload_id = seen.workload_id and o.nic = seen.nic
        and o.address = seen.address and o.source = 'traffic' and o.ended_at is null
        and o.last_seen_at > seen.at - make_interval(mins => ${TRAFFIC_NOTE_MINUTES}))
      and ((select count(*) from ${addressSightings} o where o.workload_id = seen.workload_id and o.source = 'traffic') < ${MOST_OF_WORKLOAD}
        or exists (select 1 from ${addressSightings} o where o.workload_id = seen.workload_id and o.nic = seen.nic
          and o.address = seen.address and o.source = 'traffic' and o.ended_at is null))
    order by workload_id, nic, address
    on conflict (workload_id, nic, address, source) where ended_at is null
      do update set last_seen_at = greatest(k.last_seen_at, excluded.last_seen_at), mac = excluded.mac,
        network_id = excluded.network_id, vlan_tag = excluded.vlan_tag, seen_on = excluded.seen_on`);
}

/** Since when a reader may know what was seen of a workload: since it belongs to its tenant, or to the project. Null: always. */
function visibleSince(reach: Reach): SQL<string | null> {
  if (reach === 'all') return sql`null::timestamptz`;
  const single = getReachableProjects(reach);
  const ofProject =
    single.length === 0
      ? sql`null::timestamptz`
      : sql`case when ${inArray(workloads.project_id, [...single])} then ${workloads.project_since} end`;
  return sql`greatest(${ofProject}, (select max(o.from_at) from ${workloadOwners} o
    where o.workload_id = ${workloads.id} and o.to_at is null))`;
}

/** When a sighting was last seen, and when it ended, as far as that was known at the time that is read. */
function seenUntil(): { at: SQL; last: SQL<string>; ended: SQL<string | null> } {
  const { last_seen_at, ended_at } = addressSightings;
  const at = sql`coalesce(${getMoment()}::timestamptz, 'infinity'::timestamptz)`;
  return {
    at,
    last: sql<string>`least(${last_seen_at}, ${at})`.mapWith(last_seen_at),
    ended: sql<string | null>`case when ${ended_at} <= ${at} then ${ended_at} end`.mapWith(ended_at),
  };
}

/** Sightings of visible workloads, now or as of a time, those that are open first, then the latest. One query. */
export function findSightings(reach: Reach, condition: SQL | undefined, limit: number): Promise<AddressSighting[]> {
  const since = visibleSince(reach);
  const until = seenUntil();
  return db
    .select(
      selectColumns(AddressSighting, addressSightings, {
        address,
        cluster_name: clusters.name,
        network_name: networks.name,
        workload_name: workloads.name,
        workload_external_id: workloads.external_id,
        first_seen_at: sql<string>`greatest(${addressSightings.first_seen_at}, ${since})`.mapWith(
          addressSightings.first_seen_at,
        ),
        last_seen_at: until.last,
        ended_at: until.ended,
      }),
    )
    .from(addressSightings)
    .innerJoin(workloads, eq(workloads.id, addressSightings.workload_id))
    .innerJoin(clusters, eq(clusters.id, addressSightings.cluster_id))
    .leftJoin(networks, eq(networks.id, addressSightings.network_id))
    .where(
      and(
        condition,
        workloadInReach(reach),
        sql`${addressSightings.first_seen_at} <= ${until.at}`,
        sql`(${since} is null or ${addressSightings.last_seen_at} >= ${since})`,
      ),
    )
    .orderBy(
      sql`${until.ended} is not null`,
      desc(addressSightings.last_seen_at),
      asc(addressSightings.address),
      asc(addressSightings.id),
    )
    .limit(limit);
}

/** When the guest agent and packets of a workload were last seen; one query. */
export async function findObservedAt(
  reach: Reach,
  workloadId: string | null,
): Promise<{ agent: string | null; traffic: string | null }> {
  const observed: { agent: string | null; traffic: string | null } = { agent: null, traffic: null };
  if (workloadId === null) return observed;
  const since = visibleSince(reach);
  const until = seenUntil();
  const rows = await db
    .select({
      source: addressSightings.source,
      at: sql<string>`max(${until.last})`.mapWith(addressSightings.last_seen_at),
    })
    .from(addressSightings)
    .innerJoin(workloads, eq(workloads.id, addressSightings.workload_id))
    .where(
      and(
        eq(addressSightings.workload_id, workloadId),
        inArray(addressSightings.source, ['agent', 'traffic']),
        workloadInReach(reach),
        sql`${addressSightings.first_seen_at} <= ${until.at}`,
        sql`(${since} is null or ${addressSightings.last_seen_at} >= ${since})`,
      ),
    )
    .groupBy(addressSightings.source);
  for (const { source, at } of rows) if (source === 'agent' || source === 'traffic') observed[source] = at;
  return observed;
}

/** Of one address, in one cluster: networks of a cluster may use the same prefixes, so the network is shown with each. */
export const matchAddressAt = (place: { cluster_id: string; address: string }): SQL | undefined =>
  and(eq(addressSightings.cluster_id, place.cluster_id), sql`${addressSightings.address} = ${place.address}::inet`);

export const matchAddress = (text: string): SQL => sql`${addressSightings.address} = ${text}::inet`;
export const matchMac = (mac: string): SQL => sql`${addressSightings.mac} = ${mac}::macaddr`;
export const matchWithin = (cidr: string): SQL => sql`${addressSightings.address} <<= ${cidr}::inet`;
export const matchHolderName = (text: string): SQL | undefined =>
  or(ilike(workloads.name, likePattern(text)), ilike(workloads.external_id, likePattern(text)));

/** How long sightings are kept, and how many of one source at one interface. */
const KEPT_DAYS = 90;
const MOST_OF_PLACE = 20;
/** Packets that were not seen for so long are no longer seen: an address used again begins a new time. */
const TRAFFIC_ENDS_HOURS = 24;

/** Ends sightings of packets that were not seen again. */
export async function endSeenSources(executor: Executor, now: Date): Promise<void> {
  await executor.execute(sql`update ${addressSightings} set ended_at = last_seen_at where source = 'traffic' and ended_at is null
    and last_seen_at < ${now.toISOString()}::timestamptz - make_interval(hours => ${TRAFFIC_ENDS_HOURS})`);
}

/** Deletes sightings that are too old, and the oldest ones of an address that comes and goes. @returns how many */
export async function deleteOldSightings(executor: Executor, now: Date): Promise<number> {
  const { count } = await executor.execute(sql`delete from ${addressSightings} where id in (
    select id from ${addressSightings} where last_seen_at < ${now.toISOString()}::timestamptz - make_interval(days => ${KEPT_DAYS})
    union all
    select id from (select id, row_number() over (partition by workload_id, nic, address, source order by last_seen_at desc) as place
      from ${addressSightings} where ended_at is not null) ended where place > ${MOST_OF_PLACE})`);
  return count;
}
