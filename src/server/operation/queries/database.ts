import { sql } from 'drizzle-orm';
import { db } from '../../db/client';

export type DatabaseFacts = {
  version: string;
  version_num: number;
  connections: number;
  max_connections: number;
  size_bytes: string;
  now_ms: string;
  /** Seconds for which the oldest open transaction of this database is open; null when there is none. */
  oldest_transaction_seconds: number | null;
  autovacuum: boolean;
};

/** What the database server reports about itself and about this database. */
export async function readDatabaseFacts(): Promise<DatabaseFacts> {
  const [row] = await db.execute<DatabaseFacts>(sql`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as version_num,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::int as max_connections,
      pg_database_size(current_database())::text as size_bytes,
      (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now_ms,
      (select extract(epoch from max(clock_timestamp() - xact_start))::int from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
          and application_name <> 'fabric-backup') as oldest_transaction_seconds,
      current_setting('autovacuum')::boolean as autovacuum`);
  if (!row) throw new Error('expected a row about the database');
  return row;
}

export type FleetFacts = {
  clusters: number;
  failed: number;
  agents: number;
  silent: number;
  super_admins: number;
  users: number;
};

/** The status of a cluster's last sync; one that failed has failed until a retry has succeeded. */
const lastSyncStatus = sql.raw(
  `case when sync_status in ('queued', 'running') and last_sync_error is not null then 'failed' else sync_status end`,
);

/** Clusters, agents and people in numbers. */
export async function readFleetFacts(): Promise<FleetFacts> {
  const [row] = await db.execute<FleetFacts>(sql`
    select (select count(*)::int from clusters) as clusters,
      (select count(*)::int from clusters where ${lastSyncStatus} = 'failed') as failed,
      (select count(*)::int from node_agents where status <> 'pending') as agents,
      (select count(*)::int from node_agents where status = 'silent') as silent,
      (select count(*)::int from users) as users,
      (select count(distinct a.user_id)::int from role_assignments a join roles r on r.id = a.role_id join users u on u.id = a.user_id
        where '*' = any(r.permissions) and a.tenant_id is null and a.expires_at is null and u.active) as super_admins`);
  if (!row) throw new Error('expected a row about the fleet');
  return row;
}

/** How many clusters and agents are in which state. */
export async function countStates(): Promise<{ kind: 'clusters' | 'agents'; state: string; count: number }[]> {
  return db.execute<{ kind: 'clusters' | 'agents'; state: string; count: number }>(sql`
    select 'clusters' as kind, ${lastSyncStatus} as state, count(*)::int as count from clusters group by state
    union all select 'agents', status, count(*)::int from node_agents group by status`);
}

/** Processes of the database that serve the connections of an application. */
export async function listBackendPids(application: string): Promise<number[]> {
  const rows = await db.execute<{ pid: number }>(
    sql`select pid from pg_stat_activity where application_name = ${application} and datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
}

/** Time stamp (ms) of the youngest migration the database has; 0 when it has none. */
export async function latestMigration(): Promise<number> {
  const [table] = await db.execute<{ present: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as present`,
  );
  if (!table?.present) return 0;
  const [row] = await db.execute<{ latest: string | null }>(
    sql`select max(created_at)::text as latest from drizzle.__drizzle_migrations`,
  );
  return Number(row?.latest ?? 0);
}
