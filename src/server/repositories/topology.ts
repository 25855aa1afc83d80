import { asc, eq, type SQL, sql } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import type { Conversation } from '@/domain/topology/fold-conversations';
import type { TopologyWorkload } from '@/domain/topology/topology';
import { db } from '../db/client';
import { projects } from '../db/schema/access';
import { clusters } from '../db/schema/clusters';
import { networks } from '../db/schema/networks';
import { workloadInterfaces, workloads } from '../db/schema/workloads';
import type { BoundedSelection } from './flow-groups';
import { cidrIfVisible, type FlowReach, ifVisible } from './flow-reach';
import { countedRollups } from './rollup-conditions';
import { workloadInReach } from './tenant-reach';

/** More different conversations than this are not read: the lightest are left out. */
export const MAX_CONVERSATIONS = 100_000;

const raw = (text: string): SQL => sql.raw(text);

/**
 * The caller's or the service's side of a sum: an answer is counted to the conversation that it answers. A workload that may
 * not be seen is none, and a subnet that may not be seen is every address.
 */
export function conversationSide(end: 'caller' | 'service', reach: FlowReach): SQL {
  const [plain, turned] = end === 'caller' ? ['source', 'destination'] : ['destination', 'source'];
  const column = (name: string) => raw(`(case when t.reply then t.${turned}_${name} else t.${plain}_${name} end)`);
  const [workload, prefix, internal] = [column('workload_id'), column('prefix'), column('internal')];
  return sql`${ifVisible(workload, reach.visible)} as ${raw(plain)}_workload_id,
    case when ${internal} then ${cidrIfVisible(prefix, workload, reach)} else ${prefix} end as ${raw(plain)}_prefix,
    ${internal} as ${raw(plain)}_internal`;
}

/**
 * Traffic of the range from sums per minute or hour: who opened conversations with whom, by service and verdict, the heaviest
 * first. Each counts once, however many nodes reported it. Ends
 * with no workload that may be seen on either side are left out. One query.
 */
export async function listConversations(
  selection: BoundedSelection,
  source: 'minutes' | 'hours',
): Promise<Conversation[]> {
  const rows = await db.execute<Conversation>(sql`
    with t as (select * from (${countedRollups(selection, source)}) as c
      where c.counted and (c.source_workload_id is not null or c.destination_workload_id is not null)),
    turned as (select ${conversationSide('caller', selection)}, ${conversationSide('service', selection)},
      t.protocol, t.service_port as port, t.decision, t.bytes, t.packets, t.flows, t.bucket_at from t)
    select source_workload_id, source_prefix::text, source_internal, destination_workload_id, destination_prefix::text,
      destination_internal, protocol, port, decision, sum(bytes)::float8 as bytes, sum(packets)::float8 as packets,
      sum(flows)::float8 as flows, to_char(max(bucket_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_seen_at
    from turned group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    order by bytes desc, 1, 2, 4, 5, 7, 8, 9 limit ${MAX_CONVERSATIONS}`);
  return [...rows];
}

export type TopologyCard = {
  workload_id: string;
  network_id: string;
  network_name: string;
  vlan_tag: number | null;
};

/** Workloads within reach that could be on a map; templates and those that are gone are not. One query. */
export function listTopologyWorkloads(
  tenants: Reach,
  clusterId: string | undefined,
): Promise<Omit<TopologyWorkload, 'network_ids' | 'addresses'>[]> {
  return db
    .select({
      id: workloads.id,
      cluster_id: workloads.cluster_id,
      name: workloads.name,
      vmid: workloads.vmid,
      kind: workloads.kind,
      status: workloads.status,
      tags: workloads.tags,
      project_id: workloads.project_id,
      project_name: projects.name,
    })
    .from(workloads)
    .leftJoin(projects, eq(projects.id, workloads.project_id))
    .where(
      sql`not ${workloads.template} and ${workloads.missing_since} is null and ${workloadInReach(tenants) ?? sql`true`}
        and ${clusterId === undefined ? sql`true` : eq(workloads.cluster_id, clusterId)}`,
    )
    .orderBy(asc(workloads.name), asc(workloads.id));
}

/** Networks of the cards of workloads within reach, in the order of the cards. One query. */
export function listTopologyCards(tenants: Reach, clusterId: string | undefined): Promise<TopologyCard[]> {
  return db
    .select({
      workload_id: workloadInterfaces.workload_id,
      network_id: networks.id,
      network_name: networks.name,
      vlan_tag: workloadInterfaces.vlan_tag,
    })
    .from(workloadInterfaces)
    .innerJoin(networks, eq(networks.id, workloadInterfaces.network_id))
    .innerJoin(workloads, eq(workloads.id, workloadInterfaces.workload_id))
    .where(
      sql`${workloadInReach(tenants) ?? sql`true`}
        and ${clusterId === undefined ? sql`true` : eq(workloads.cluster_id, clusterId)}`,
    )
    .orderBy(sql`length(${workloadInterfaces.name})`, asc(workloadInterfaces.name));
}

/** Names of all clusters. One query. */
export const listClusterNames = (): Promise<{ id: string; name: string }[]> =>
  db.select({ id: clusters.id, name: clusters.name }).from(clusters).orderBy(asc(clusters.name));
