import { and, asc, desc, eq, ilike, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { WORKLOAD_SORTS } from '@/domain/choices';
import type { TopTalker } from '@/domain/flow/traffic-sums';
import {
  type FormerWorkload,
  Workload,
  WorkloadAddress,
  type WorkloadDetail,
  WorkloadInterface,
  type WorkloadListInput,
} from '@/domain/inventory';
import type { Page } from '@/domain/list';
import { normalizeMac } from '@/domain/net/mac-address';
import type { Reach, TenantReach } from '@/domain/permissions';
import { db } from '../../db/client';
import {
  buildConditions,
  buildSortKeys,
  hasName,
  isSet,
  likePattern,
  selectColumns,
  skipCondition,
} from '../../db/declared-fields';
import { keyOrder } from '../../db/natural-order';
import { pgArray } from '../../db/pg-array';
import { queryPage } from '../../db/query-page';
import { projects, tenants } from '../../db/schema/access';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters, nodes } from '../../db/schema/clusters';
import { workloadOwners } from '../../db/schema/moves';
import { subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { tenantInReach, workloadInReach } from '../../tenancy/queries/tenant-reach';

/** The start of an address as the database writes it: what is typed so far of `10.0.0.5` or `fd00::1`. */
const ADDRESS_PART = /^[0-9a-f.:]{2,39}$/i;
/** A part of a MAC address: at least two digits, colons or dashes between pairs. */
const MAC_PART = /^[0-9a-f]{2}([:-][0-9a-f]{0,2}){0,5}$/i;

/** The condition for a search text: name, vmid, external id, tag, MAC address or IP address. */
function searchCondition(text: string): SQL | undefined {
  const pattern = likePattern(text);
  const macPart = normalizeMac(text) ?? (MAC_PART.test(text) ? text.replaceAll('-', ':') : null);
  return or(
    ilike(workloads.name, pattern),
    ilike(workloads.external_id, pattern),
    hasName(workloads.cluster_id, clusters)(text),
    hasName(workloads.node_id, nodes)(text),
    hasName(workloads.project_id, projects)(text),
    ilike(sql`array_to_string(${workloads.tags}, chr(10))`, pattern),
    macPart === null
      ? undefined
      : sql`${workloads.id} in (select ${workloadInterfaces.workload_id} from ${workloadInterfaces}
          where ${workloadInterfaces.mac}::text like ${likePattern(macPart.toLowerCase())})`,
    ADDRESS_PART.test(text)
      ? sql`${workloads.id} in (select ${ipAddresses.workload_id} from ${ipAddresses}
          where ${ipAddresses.workload_id} is not null and host(${ipAddresses.address}) like ${`${text.toLowerCase()}%`})`
      : undefined,
  );
}

/** The conditions of a list's filters. */
export const workloadFilters = (input: Omit<WorkloadListInput, 'limit' | 'cursor' | 'sort'>): (SQL | undefined)[] =>
  buildConditions(input, workloads, {
    q: searchCondition,
    tag: (tag) => sql`${workloads.tags} @> array[${tag}]::text[]`,
    missing: isSet(workloads.missing_since),
    project_id: (id) => (id === 'none' ? isNull(workloads.project_id) : eq(workloads.project_id, id)),
    network_id: (id) => sql`${workloads.id} in (select ${workloadInterfaces.workload_id} from ${workloadInterfaces}
      where ${eq(workloadInterfaces.network_id, id)})`,
    enforcement: skipCondition,
    protection: skipCondition,
    protection_reason: skipCondition,
  });

/** A workload as it is stored: its protection follows from what was read of firewalls. */
type Stored<T> = Omit<T, 'protection' | 'protection_reasons' | 'unprotected_interfaces'>;
type StoredDetail = Stored<Omit<WorkloadDetail, 'interfaces'>> & { interfaces: Stored<WorkloadInterface>[] };

/** Addresses in the order of how much their source is trusted; only those in use. */
const PRIMARY_ADDRESSES = 3;
const trust = sql`array_position(array['agent', 'sdn', 'config', 'manual', 'cloudinit'], ${ipAddresses.source})`;
const addressesOf = sql`from ${ipAddresses} where ${eq(ipAddresses.workload_id, workloads.id)}`;
const addressesInUse = sql`select host(${ipAddresses.address}) ${addressesOf}
    and ${ipAddresses.state} in ('active', 'dhcp') order by ${trust}, ${ipAddresses.address}`;
/** The address of a workload that is shown where there is room for one; for a SELECT in which `workloads` stands. */
export const primaryAddress = sql<string | null>`(${addressesInUse} limit 1)`;
const interfacesOf = sql`from ${workloadInterfaces} where ${eq(workloadInterfaces.workload_id, workloads.id)}`;

/** Protection follows from readings. */
const StoredWorkload = Workload.omit({ protection: true, protection_reasons: true, unprotected_interfaces: true });
const columns = selectColumns(StoredWorkload, workloads, {
  cluster_name: clusters.name,
  node_name: nodes.name,
  project_name: projects.name,
  tenant_id: projects.tenant_id,
  primary_addresses: sql<string[]>`array(${addressesInUse} limit ${PRIMARY_ADDRESSES})`,
  addresses_total: sql<number>`(select count(*)::int ${addressesOf})`,
  interfaces_total: sql<number>`(select count(*)::int ${interfacesOf})`,
  interfaces_firewalled: sql<number>`(select count(*)::int ${interfacesOf} and ${workloadInterfaces.firewall})`,
});
const interfaceColumns = selectColumns(
  WorkloadInterface.omit({ protection: true, protection_reasons: true }),
  workloadInterfaces,
  {},
);
const SORTS = {
  ...buildSortKeys(StoredWorkload, WORKLOAD_SORTS, columns),
  name: keyOrder(workloads.sort_name, 'name'),
  cluster_name: keyOrder(clusters.sort_name, 'cluster_name'),
  node_name: keyOrder(nodes.sort_name, 'node_name', true),
};

const select = () =>
  db
    .select(columns)
    .from(workloads)
    .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
    .leftJoin(nodes, eq(nodes.id, workloads.node_id))
    .leftJoin(projects, eq(projects.id, workloads.project_id))
    .$dynamic();

/** Workloads visible to the caller, page by page; `ids` limits them to these. Two queries. */
export async function listWorkloads(
  reach: Reach,
  input: WorkloadListInput,
  ids: readonly string[] | null = null,
): Promise<Page<Stored<Workload>>> {
  const conditions: (SQL | undefined)[] = [
    workloadInReach(reach),
    ids === null ? undefined : sql`${workloads.id} = any (${pgArray('uuid', ids)})`,
    ...workloadFilters(input),
  ];
  return queryPage<Stored<Workload>>(input, { sorts: SORTS, sort: 'name', id: workloads.id }, (paging) => ({
    rows: select()
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(workloads, and(...conditions)),
  }));
}

/** The ids of all visible workloads that match the filters. One query. */
export async function listWorkloadIds(
  reach: Reach,
  input: Omit<WorkloadListInput, 'limit' | 'cursor' | 'sort'>,
): Promise<string[]> {
  const rows = await db
    .select({ id: workloads.id })
    .from(workloads)
    .where(and(workloadInReach(reach), ...workloadFilters(input)));
  return rows.map(({ id }) => id);
}

/** One workload visible to the caller with its interfaces and addresses, or null. Three queries. */
export async function findWorkload(reach: Reach, id: string): Promise<StoredDetail | null> {
  const [[workload], interfaces, addresses] = await Promise.all([
    select().where(and(eq(workloads.id, id), workloadInReach(reach))),
    db
      .select(interfaceColumns)
      .from(workloadInterfaces)
      .where(eq(workloadInterfaces.workload_id, id))
      .orderBy(sql`length(${workloadInterfaces.name})`, asc(workloadInterfaces.name)),
    db
      .select(selectColumns(WorkloadAddress, ipAddresses, { subnet_cidr: subnets.cidr }))
      .from(ipAddresses)
      .innerJoin(subnets, eq(subnets.id, ipAddresses.subnet_id))
      .where(eq(ipAddresses.workload_id, id))
      .orderBy(asc(ipAddresses.address)),
  ]);
  // The other two answers are useful only with the first: a workload not visible to the caller does not exist.
  return workload ? { ...workload, interfaces, ip_addresses: addresses } : null;
}

/** The header of an answer about a workload; null when none is visible to the caller. One query. */
export async function findWorkloadSummary(reach: Reach, id: string) {
  const [row] = await db
    .select({
      id: workloads.id,
      name: workloads.name,
      vmid: workloads.vmid,
      cluster_id: workloads.cluster_id,
      cluster_name: clusters.name,
      node_name: nodes.name,
      status: workloads.status,
    })
    .from(workloads)
    .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
    .leftJoin(nodes, eq(nodes.id, workloads.node_id))
    .where(and(eq(workloads.id, id), workloadInReach(reach)));
  return row ?? null;
}

/** Those of the guests that are visible to the caller, by id. One query. */
export async function findTalkerWorkloads(
  ids: readonly string[],
  reach: Reach,
): Promise<Map<string, TopTalker['workload']>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({
      id: workloads.id,
      name: workloads.name,
      vmid: workloads.vmid,
      kind: workloads.kind,
      cluster_id: workloads.cluster_id,
      cluster_name: clusters.name,
    })
    .from(workloads)
    .innerJoin(clusters, sql`${clusters.id} = ${workloads.cluster_id}`)
    .where(sql`${workloads.id} = any (${pgArray('uuid', ids)}) and ${workloadInReach(reach) ?? sql`true`}`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** When a workload belonged to tenants visible to the caller, as far as that has ended; newest first. One query. */
export async function listFormerPeriods(
  reach: TenantReach,
  workloadId: string,
  limit: number,
): Promise<FormerWorkload['periods']> {
  const rows = await db
    .select({
      tenant_id: tenants.id,
      tenant_name: tenants.name,
      name: workloadOwners.workload_name,
      from_at: workloadOwners.from_at,
      to_at: workloadOwners.to_at,
    })
    .from(workloadOwners)
    .innerJoin(tenants, eq(tenants.id, workloadOwners.tenant_id))
    .where(
      and(
        eq(workloadOwners.workload_id, workloadId),
        isNotNull(workloadOwners.to_at),
        tenantInReach(workloadOwners.tenant_id, reach),
      ),
    )
    .orderBy(desc(workloadOwners.id))
    .limit(limit);
  return rows.flatMap(({ to_at, ...row }) => (to_at === null ? [] : [{ ...row, to_at }]));
}
