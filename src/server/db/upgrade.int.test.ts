import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, dropTestDatabase } from '@/test/database';
import { makeOldInstallation } from '@/test/old-installation';
import { queryDatabase, schemaOf } from '@/test/schema-of';
import { migrateDatabase } from './migrate';

const VOLUME = { workloads: 3000, flows: 100_000 };

let url: string;
let before: Map<string, string>;
const query = <T>(text: string) => queryDatabase<T>(url, text);

async function counts(): Promise<Map<string, string>> {
  const tables = await query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  const rows = await Promise.all(
    tables.map(async ({ name }) => [
      name,
      (await query<{ n: string }>(`select count(*) as n from ${name}`))[0]?.n ?? '',
    ]),
  );
  return new Map(rows as [string, string][]);
}

describe('upgrading an installation of an early release', () => {
  beforeAll(async () => {
    url = await createTestDatabase('empty');
    await makeOldInstallation(url, VOLUME);
    before = await counts();
    await migrateDatabase(url);
  }, 240_000);
  afterAll(() => dropTestDatabase(url));

  it('ends with the very schema of a new installation', async () => {
    expect(await schemaOf(url)).toEqual(await schemaOf(`${inject('databaseServerUrl')}fabric_template`));
  });

  it('keeps every row', async () => {
    const after = await counts();
    expect(Number(before.get('traffic_flows'))).toBe(VOLUME.flows);
    // The built-in roles that the early release did not have.
    const added = new Set(['roles']);
    for (const [table, rows] of before) if (!added.has(table)) expect([table, after.get(table)]).toEqual([table, rows]);
    expect(await query(`select count(*)::int as n from roles where name = 'old_role' and not built_in`)).toEqual([
      { n: 1 },
    ]);
    expect(await query(`select title, built_in from roles where name = 'super_admin'`)).toEqual([
      { title: 'Super administrator', built_in: true },
    ]);
  });

  it('turns what is stored into its new form', async () => {
    expect(
      await query(`select distinct destination_ports, source_ports, log from security_rules order by log`),
    ).toEqual([
      { destination_ports: ['80', '443'], source_ports: [], log: 'info' },
      { destination_ports: ['80', '443'], source_ports: [], log: 'nolog' },
    ]);
    // A gateway outside its subnet was never right.
    expect(await query(`select count(*)::int as n from subnets where gateway is null`)).toEqual([{ n: 2 }]);
    expect(await query(`select distinct host(gateway) as gateway from subnets where gateway is not null`)).toEqual([
      { gateway: '10.0.0.1' },
    ]);
    // Who holds an address now is where its history begins; a stale one is held by nobody.
    const [history] = await query<{ open: number; held: number }>(`
      select (select count(*)::int from ip_address_history where until_at is null) as open,
        (select count(*)::int from ip_addresses where state <> 'stale' and workload_id is not null) as held`);
    expect(history?.open).toBe(history?.held);
    // Sums of the traffic that was stored before there were sums are asked for.
    const [marks] = await query<{ n: number }>(`select count(*)::int as n from traffic_marks`);
    expect(marks?.n).toBeGreaterThan(0);
    expect(await query(`select value ->> 'id' as id from system_settings where key = 'instance'`)).toEqual([
      { id: '0190a000-0000-7000-8000-000000000001' },
    ]);
  });

  it('protects history as in a new installation, and does nothing when run again', async () => {
    await expect(query(`delete from policy_versions`)).rejects.toThrow(/append-only/);
    await expect(query(`update audit_records set actor_name = 'x'`)).rejects.toThrow(/append-only/);
    const [{ applied } = { applied: 0 }] = await query<{ applied: number }>(
      `select count(*)::int as applied from drizzle.__drizzle_migrations`,
    );
    await migrateDatabase(url);
    expect(await query(`select count(*)::int as applied from drizzle.__drizzle_migrations`)).toEqual([{ applied }]);
  });
});
