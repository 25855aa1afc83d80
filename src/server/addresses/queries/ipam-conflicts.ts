import { type AnyColumn, and, count, eq, ilike, or, type SQL, sql } from 'drizzle-orm';
import { CONFLICT_SORTS } from '@/domain/choices';
import { type ConflictListInput, IpamConflict } from '@/domain/ipam/conflict';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, likePattern, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { ipamConflicts } from '../../db/schema/ipam';
import { networks } from '../../db/schema/networks';
import { workloads } from '../../db/schema/workloads';
import { addressInReach } from '../../inventory/queries/ipam-reach';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';

export type ConflictRow = typeof ipamConflicts.$inferSelect;

/** A workload as a party of a conflict, null when it is not visible. */
const selectParty = (id: typeof ipamConflicts.workload_id | typeof ipamConflicts.other_workload_id, tenants: Reach) => {
  const reach = workloadInReach(tenants);
  return sql<IpamConflict['workload']>`(select json_build_object('id', ${workloads.id}, 'name', ${workloads.name},
    'external_id', ${workloads.external_id}) from ${workloads} where ${and(eq(workloads.id, id), reach)})`;
};

/** A fact about a party, null to those who may not see that party. */
function selectPartyField(
  id: typeof ipamConflicts.workload_id | typeof ipamConflicts.other_workload_id,
  fact: AnyColumn,
  tenants: Reach,
): SQL<string | null> {
  const reach = workloadInReach(tenants);
  return reach ? sql`(select ${fact} from ${workloads} where ${and(eq(workloads.id, id), reach)})` : sql`${fact}`;
}

/** The MAC address of the holder; where two cards have the same one, that of both. */
const selectMac = (tenants: Reach): SQL<string | null> =>
  sql`case when ${ipamConflicts.kind} = 'duplicate_mac' then ${ipamConflicts.mac}
    else ${selectPartyField(ipamConflicts.workload_id, ipamConflicts.mac, tenants)} end`;

/** The stored address, which is hidden when its holder is not visible. */
const selectAddressId = (tenants: Reach): SQL<string | null> =>
  tenants === 'all'
    ? sql`${ipamConflicts.ip_address_id}`
    : sql`(select ${ipAddresses.id} from ${ipAddresses}
        where ${eq(ipAddresses.id, ipamConflicts.ip_address_id)} and ${addressInReach(tenants)})`;

const columns = (tenants: Reach) =>
  selectColumns(IpamConflict, ipamConflicts, {
    cluster_name: clusters.name,
    ip_address_id: selectAddressId(tenants),
    network_name: networks.name,
    address: sql<string | null>`host(${ipamConflicts.address})`.as('address'),
    mac: selectMac(tenants),
    workload: selectParty(ipamConflicts.workload_id, tenants),
    interface_name: selectPartyField(ipamConflicts.workload_id, ipamConflicts.interface_name, tenants),
    other_workload: selectParty(ipamConflicts.other_workload_id, tenants),
    other_interface_name: selectPartyField(
      ipamConflicts.other_workload_id,
      ipamConflicts.other_interface_name,
      tenants,
    ),
    other_mac: selectPartyField(ipamConflicts.other_workload_id, ipamConflicts.other_mac, tenants),
    other_source: selectPartyField(ipamConflicts.other_workload_id, ipamConflicts.other_source, tenants),
  });

const SORTS = buildSortKeys(IpamConflict, CONFLICT_SORTS, { ...columns('all'), address: ipamConflicts.address });

/** Whether a visible party meets the condition. */
const hasParty = (condition: SQL, tenants: Reach): SQL =>
  sql`exists (select 1 from ${workloads} where (${eq(workloads.id, ipamConflicts.workload_id)}
    or ${eq(workloads.id, ipamConflicts.other_workload_id)}) and ${and(condition, workloadInReach(tenants))})`;

/** A tenant sees the conflicts in which one of its workloads is a party. */
export const conflictInReach = (tenants: Reach): SQL | undefined =>
  tenants === 'all' ? undefined : hasParty(sql`true`, tenants);

const select = (executor: Executor, tenants: Reach) =>
  executor
    .select(columns(tenants))
    .from(ipamConflicts)
    .innerJoin(clusters, eq(clusters.id, ipamConflicts.cluster_id))
    .leftJoin(networks, eq(networks.id, ipamConflicts.network_id))
    .$dynamic();

/** Visible conflicts, newest first unless another order is requested. Two queries. */
export async function listConflicts(tenants: Reach, input: ConflictListInput): Promise<Page<IpamConflict>> {
  const search = (text: string) =>
    or(
      ilike(sql`host(${ipamConflicts.address})`, likePattern(text)),
      ilike(sql`(${selectMac(tenants)})::text`, likePattern(text)),
      hasName(ipamConflicts.cluster_id, clusters)(text),
      hasName(ipamConflicts.network_id, networks)(text),
      hasParty(ilike(workloads.name, likePattern(text)), tenants),
    );
  const conditions = [
    conflictInReach(tenants),
    ...buildConditions(input, ipamConflicts, {
      q: search,
      address: (text) => sql`${ipamConflicts.address} = ${text}::inet`,
      ip_address_id: (id) => sql`${selectAddressId(tenants)} = ${id}`,
      workload_id: (id) => hasParty(sql`${workloads.id} = ${id}`, tenants),
    }),
  ];
  return queryPage<IpamConflict>(input, { sorts: SORTS, sort: '-created_at', id: ipamConflicts.id }, (paging) => ({
    rows: select(db, tenants)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(ipamConflicts, and(...conditions)),
  }));
}

/** One visible conflict, or null. */
export async function findConflict(executor: Executor, tenants: Reach, id: string): Promise<IpamConflict | null> {
  const [row] = await select(executor, tenants).where(and(eq(ipamConflicts.id, id), conflictInReach(tenants)));
  return row ?? null;
}

export async function lockConflict(tx: Tx, id: string): Promise<ConflictRow | null> {
  const [row] = await tx.select().from(ipamConflicts).where(eq(ipamConflicts.id, id)).for('no key update');
  return row ?? null;
}

export async function updateConflictRow(tx: Tx, id: string, changes: Partial<ConflictRow>): Promise<void> {
  await tx
    .update(ipamConflicts)
    .set({ ...changes, version: sql`${ipamConflicts.version} + 1`, updated_at: sql`now()` })
    .where(eq(ipamConflicts.id, id));
}

/** Open conflicts about an address. */
export async function countOpenConflicts(executor: Executor, addressId: string): Promise<number> {
  return executor.$count(
    ipamConflicts,
    and(eq(ipamConflicts.ip_address_id, addressId), eq(ipamConflicts.status, 'open')),
  );
}

/** Visible open conflicts by kind. One query. */
export function countConflictKinds(tenants: Reach): Promise<{ kind: ConflictRow['kind']; conflicts: number }[]> {
  return db
    .select({ kind: ipamConflicts.kind, conflicts: count() })
    .from(ipamConflicts)
    .where(and(eq(ipamConflicts.status, 'open'), conflictInReach(tenants)))
    .groupBy(ipamConflicts.kind);
}
