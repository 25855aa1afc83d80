import type postgres from 'postgres';

export type StorageEngine = 'postgres' | 'clickhouse';

/** Which store has the flows of this installation; null: PostgreSQL, as nothing else was ever chosen. */
export async function readStorageMark(client: postgres.Sql): Promise<StorageEngine | null> {
  const [row] = await client<{ engine: StorageEngine }[]>`select engine from flow_storage`;
  return row?.engine ?? null;
}

/** Which ClickHouse has the flows of this installation; null: none, or it is not known yet. */
export async function findMarkedStore(client: postgres.Sql): Promise<string | null> {
  const [row] = await client<{ store_id: string | null }[]>`
    select store_id from flow_storage where engine = 'clickhouse'`;
  return row?.store_id ?? null;
}

/** Notes which ClickHouse has the flows, where that is not known yet. */
export async function markStore(client: postgres.Sql, storeId: string): Promise<void> {
  await client`update flow_storage set store_id = ${storeId} where engine = 'clickhouse' and store_id is null`;
}

/** @param storeId which ClickHouse; null: PostgreSQL, or one that has not answered yet */
export async function writeStorageMark(
  client: postgres.Sql,
  engine: StorageEngine,
  storeId: string | null,
): Promise<void> {
  await client.begin(async (tx) => {
    // Of the store that is left.
    await tx`delete from flow_counted_days`;
    await tx`delete from flow_storage`;
    await tx`insert into flow_storage (engine, store_id) values (${engine}, ${storeId})`;
  });
}

/** Whether PostgreSQL holds flows, or totals of flows. */
export async function hasPostgresFlows(client: postgres.Sql): Promise<boolean> {
  const [row] = await client<{ found: boolean }[]>`
    select exists (select from traffic_flows) or exists (select from flow_rollup_hours) or exists (select from flow_rollup_minutes) as found`;
  return row?.found ?? false;
}

/** Empties what PostgreSQL has of flows. */
export async function emptyPostgresFlows(client: postgres.Sql): Promise<void> {
  await client`
    truncate traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, flow_hour_totals,
      flow_complete_hours`;
}

export type OutboxBacklog = { reports: number; rows: number; oldest_seconds: number | null; refused: number };

/** What has not arrived in ClickHouse so far, and since when it waits; `refused` reports were taken out, and are not sent. */
export async function countOutbox(client: postgres.Sql): Promise<OutboxBacklog> {
  const [row] = await client<OutboxBacklog[]>`
    select count(*)::int as reports, coalesce(sum(row_count), 0)::float8 as rows,
      extract(epoch from now() - min(created_at))::float8 as oldest_seconds, (select count(*)::int from refused_flows) as refused
    from flow_outbox`;
  return row ?? { reports: 0, rows: 0, oldest_seconds: null, refused: 0 };
}

/** Puts what was taken out back on its way. What counted before counts once. @returns how many reports */
export async function retryRefused(client: postgres.Sql): Promise<number> {
  const put = await client`
    with gone as (delete from refused_flows returning node_id, cluster_id, token, target, row_count, buckets, rows)
    insert into flow_outbox (node_id, cluster_id, token, target, row_count, buckets, rows) select * from gone returning id`;
  return put.length;
}
