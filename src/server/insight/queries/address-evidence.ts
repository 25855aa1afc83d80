import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { AddressEvidence } from '@/domain/ipam/findings/address-evidence';
import { isFinding } from '../../addresses/queries/sightings';
import type { Executor, Tx } from '../../db/client';
import { addressSightings, ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { ipamConflicts } from '../../db/schema/ipam';
import { subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';

/** Older sightings contradict nothing: a move and an unseen address are measured in days. */
const READ_DAYS = 30;
const MOST_SIGHTINGS = 300_000;

/** Ids of the clusters with sightings. */
export const listClustersWithSightings = async (executor: Executor): Promise<string[]> =>
  (
    await executor
      .select({ id: clusters.id })
      .from(clusters)
      .where(sql`exists (select 1 from ${addressSightings} where ${eq(addressSightings.cluster_id, clusters.id)})`)
      .orderBy(clusters.id)
  ).map(({ id }) => id);

/** Lets no one else settle the findings of the cluster until the transaction ends. */
export async function lockFindings(tx: Tx, clusterId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`address-findings:${clusterId}`}, 0))`);
}

/** What is stored of the addresses of a cluster, as the search for findings needs it. Five queries. */
export async function loadAddressEvidence(
  tx: Tx,
  clusterId: string,
  now: Date,
): Promise<Omit<AddressEvidence, 'forbids'>> {
  const since = sql`${now.toISOString()}::timestamptz - make_interval(days => ${READ_DAYS})`;
  const [sightings, registrations, prefixes, interfaces, running] = await Promise.all([
    tx
      .select({
        workload_id: addressSightings.workload_id,
        nic: addressSightings.nic,
        network_id: addressSightings.network_id,
        vlan_tag: addressSightings.vlan_tag,
        address: sql<string>`host(${addressSightings.address})`,
        mac: addressSightings.mac,
        source: addressSightings.source,
        first: addressSightings.first_seen_at,
        last: addressSightings.last_seen_at,
        ended: sql<boolean>`${addressSightings.ended_at} is not null`,
      })
      .from(addressSightings)
      .innerJoin(workloads, eq(workloads.id, addressSightings.workload_id))
      .where(
        and(
          eq(addressSightings.cluster_id, clusterId),
          sql`${addressSightings.last_seen_at} >= ${since}`,
          isNull(workloads.missing_since),
        ),
      )
      .limit(MOST_SIGHTINGS),
    tx
      .select({
        id: ipAddresses.id,
        network_id: ipAddresses.network_id,
        address: sql<string>`host(${ipAddresses.address})`,
        workload_id: ipAddresses.workload_id,
        state: ipAddresses.state,
        since: ipAddresses.created_at,
      })
      .from(ipAddresses)
      .where(eq(ipAddresses.cluster_id, clusterId)),
    tx
      .select({
        network_id: subnets.network_id,
        cidr: sql<string>`${subnets.cidr}::text`,
        vlan_tag: subnets.vlan_tag,
        gateway: sql<string | null>`host(${subnets.gateway})`,
      })
      .from(subnets)
      .where(and(eq(subnets.cluster_id, clusterId), isNull(subnets.missing_since))),
    tx
      .select({
        workload_id: workloadInterfaces.workload_id,
        nic: workloadInterfaces.name,
        network_id: workloadInterfaces.network_id,
        vlan_tag: workloadInterfaces.vlan_tag,
      })
      .from(workloadInterfaces)
      .innerJoin(workloads, eq(workloads.id, workloadInterfaces.workload_id))
      .where(eq(workloads.cluster_id, clusterId)),
    tx
      .select({ id: workloads.id, started_at: workloads.started_at })
      .from(workloads)
      .where(
        and(
          eq(workloads.cluster_id, clusterId),
          eq(workloads.status, 'running'),
          isNull(workloads.missing_since),
          isNotNull(workloads.started_at),
        ),
      ),
  ]);
  return {
    now: now.getTime(),
    sightings: sightings.map((row) => ({ ...row, first: Date.parse(row.first), last: Date.parse(row.last) })),
    registrations: registrations.map((row) => ({ ...row, since: Date.parse(row.since) })),
    prefixes,
    interfaces,
    running: new Map(running.map(({ id, started_at }) => [id, Date.parse(started_at ?? '')])),
  };
}

/** The findings that are stored, open or not. */
export const listStoredFindings = (tx: Tx, clusterId: string) =>
  tx
    .select({
      id: ipamConflicts.id,
      kind: ipamConflicts.kind,
      key: ipamConflicts.key,
      status: ipamConflicts.status,
      evidence_at: ipamConflicts.evidence_at,
      ip_address_id: ipamConflicts.ip_address_id,
    })
    .from(ipamConflicts)
    .where(and(eq(ipamConflicts.cluster_id, clusterId), isFinding));
