import type { Client } from 'pg';

/** What is in a database that a backup shall go to. */
export type RestoreTarget = {
  /** `blank`: nothing. `empty`: an installation not used yet. `used`: one in use. `foreign`: something else. */
  state: 'blank' | 'empty' | 'used' | 'foreign';
  /** Processes of Fabric that are connected now. */
  connected: number;
};

/** Looks at a database without changing it. */
export async function readRestoreTarget(client: Client): Promise<RestoreTarget> {
  const { rows: sessions } = await client.query<{ connected: number }>(`
    select count(*)::int as connected from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'fabric%'`);
  const connected = sessions[0]?.connected ?? 0;
  const { rows } = await client.query<{ tables: number; is_fabric: boolean }>(`
    select (select count(*)::int from pg_class c
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')) as tables,
      to_regclass('drizzle.__drizzle_migrations') is not null and to_regclass('public.system_settings') is not null as is_fabric`);
  if (!rows[0]?.is_fabric) return { state: rows[0]?.tables ? 'foreign' : 'blank', connected };
  const { rows: used } = await client.query<{ used: boolean }>(`
    select exists (select 1 from users) or exists (select 1 from clusters) or exists (select 1 from audit_records)
      or exists (select 1 from system_settings where key = 'setup') as used`);
  return { state: used[0]?.used ? 'used' : 'empty', connected };
}
