import { sql } from 'drizzle-orm';
import { SUM_SECONDS } from '@/domain/flow/plan-sums';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { projects } from '../../../db/schema/access';
import { workloadOwners } from '../../../db/schema/moves';
import { trafficByWorkload, trafficMarks, trafficOwners, trafficTotals } from '../../../db/schema/traffic';
import { workloads } from '../../../db/schema/workloads';

export type OwnedWorkload = { id: string; cluster_id: string; tenant_id: string | null; newest_owner: string | null };

/** Workloads whose tenants differ from those that the aggregates count them for. One query. */
export async function findMovedWorkloads(executor: Executor): Promise<OwnedWorkload[]> {
  const rows = await executor.execute<OwnedWorkload>(sql`
    select w.id, w.cluster_id, p.tenant_id, h.newest_owner from ${workloads} as w
    left join ${projects} as p on p.id = w.project_id
    left join ${trafficOwners} as o on o.workload_id = w.id
    left join (select workload_id, max(id) as newest_owner from ${workloadOwners} group by workload_id) as h on h.workload_id = w.id
    where o.tenant_id is distinct from p.tenant_id or o.newest_owner is distinct from h.newest_owner order by w.id`);
  return [...rows];
}

/** Counts guests to their tenants from now on. */
export async function saveOwners(tx: Tx, owned: readonly OwnedWorkload[]): Promise<void> {
  await tx.execute(sql`
    insert into ${trafficOwners} (workload_id, tenant_id, newest_owner)
    select unnest(${pgArray(
      'uuid',
      owned.map(({ id }) => id),
    )}),
      unnest(${pgArray(
        'uuid',
        owned.map(({ tenant_id }) => tenant_id),
      )}),
      unnest(${pgArray(
        'bigint',
        owned.map(({ newest_owner }) => newest_owner),
      )})
    on conflict (workload_id) do update
      set tenant_id = excluded.tenant_id, newest_owner = excluded.newest_owner, gone_at = null`);
}

/** Notes guests that are gone and forgets those that were gone before `cutoff`. */
export async function retireOwners(executor: Executor, now: string, cutoff: string): Promise<void> {
  await executor.execute(sql`
    update ${trafficOwners} set gone_at = ${now}::timestamptz
    where gone_at is null and not exists (select 1 from ${workloads} as w where w.id = workload_id)`);
  await executor.execute(sql`delete from ${trafficOwners} where gone_at < ${cutoff}::timestamptz`);
}

/** For more guests than this all hours of their clusters are marked: one of them had traffic in most. */
const MAX_PROBED = 50;

/**
 * Marks what was counted to other tenants: the hours in which one of the guests had traffic, those from `fineFrom` on with
 * all their five minutes.
 */
export async function markOwned(tx: Tx, owned: readonly OwnedWorkload[], fineFrom: string): Promise<void> {
  const clusters = [...new Set(owned.map(({ cluster_id }) => cluster_id))];
  const ids = owned.map(({ id }) => id);
  const had =
    ids.length > MAX_PROBED
      ? sql`exists (select 1 from ${trafficTotals} as t where t.bucket_seconds = ${SUM_SECONDS.hour}
          and t.bucket_at = h.at and t.cluster_id = c.id)`
      : sql`exists (select 1 from ${trafficByWorkload} as t where t.bucket_seconds = ${SUM_SECONDS.hour}
          and t.bucket_at = h.at and t.workload_id = any (${pgArray('uuid', ids)}))`;
  await tx.execute(sql`
    insert into ${trafficMarks} (cluster_id, bucket_at)
    select c.id, b.at
    from generate_series(
      (select min(bucket_at) from ${trafficTotals} where bucket_seconds = ${SUM_SECONDS.hour}),
      (select max(bucket_at) from ${trafficTotals} where bucket_seconds = ${SUM_SECONDS.hour}), interval '1 hour') as h(at)
    cross join unnest(${pgArray('uuid', clusters)}) as c(id)
    cross join lateral generate_series(h.at,
      case when h.at >= ${fineFrom}::timestamptz then h.at + interval '55 minutes' else h.at end, interval '5 minutes') as b(at)
    where ${had}`);
}
