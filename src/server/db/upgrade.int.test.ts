import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, dropTestDatabase } from '@/test/database';
import { makeOldInstallation } from '@/test/old-installation';
import { queryDatabase, readSchema } from '@/test/read-schema';
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
    expect(await readSchema(url)).toEqual(await readSchema(`${inject('databaseServerUrl')}fabric_template`));
  });

  it('keeps every row', async () => {
    const after = await counts();
    expect(Number(before.get('traffic_flows'))).toBe(VOLUME.flows);
    // The built-in roles that the early release did not have.
    // Policies that named networks without their cluster have a version more.
    const added = new Set(['roles', 'policy_versions']);
    expect(Number(after.get('policy_versions'))).toBe(Number(before.get('policy_versions')) + 3);
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
    expect(await query(`select count(*)::int as n from subnets where gateway is null and cidr = '10.0.0.0/8'`)).toEqual(
      [{ n: 2 }],
    );
    expect(await query(`select distinct host(gateway) as gateway from subnets where gateway is not null`)).toEqual([
      { gateway: '10.0.0.1' },
    ]);
    // History starts with the current holder of an address; a stale address has no holder.
    const [history] = await query<{ open: number; held: number }>(`
      select (select count(*)::int from ip_address_history where until_at is null) as open,
        (select count(*)::int from ip_addresses where state <> 'stale' and workload_id is not null) as held`);
    expect(history?.open).toBe(history?.held);
    // Traffic that was stored before totals existed is marked for aggregation.
    const [marks] = await query<{ n: number }>(`select count(*)::int as n from traffic_marks`);
    expect(marks?.n).toBeGreaterThan(0);
    expect(await query(`select value ->> 'id' as id from system_settings where key = 'instance'`)).toEqual([
      { id: '0190a000-0000-7000-8000-000000000001' },
    ]);
  });

  it('puts the policies of the platform before those of tenants', async () => {
    expect(
      await query(`select tenant_id is null as platform, tier, tenant_visibility from policies group by 1, 2, 3`),
    ).toEqual(
      expect.arrayContaining([
        { platform: true, tier: 'platform_first', tenant_visibility: 'rules' },
        { platform: false, tier: 'tenant', tenant_visibility: 'rules' },
      ]),
    );
  });

  it('names networks with their cluster, each that was meant, without making live rules stale', async () => {
    const policies = await query<{ name: string; version: number; rules_version: number | null; sources: string[] }>(`
      select name, version, rules_version, definition -> 'sources' as sources from policies where name like 'net %' order by name`);
    const everywhere = [1, 2, 3, 4].map((n) => `network:cluster ${n}/vmbr0`);
    expect(policies).toEqual([
      {
        name: 'net all',
        version: 8,
        rules_version: 7,
        sources: ['10.0.0.0/8', ...everywhere, 'network:cluster 1%2Fvmbr0'],
      },
      { name: 'net nothing', version: 1, rules_version: null, sources: ['network:vmbr0'] },
      {
        name: 'net some',
        version: 2,
        rules_version: 1,
        sources: [
          'network:cluster 2/lan%2F50%25',
          'network:cluster 1/bare',
          'network:cluster 2/bare',
          'network:gone%2F100%25',
        ],
      },
      { name: 'net tenant', version: 2, rules_version: 1, sources: [...everywhere, 'network:lan%2F50%25'] },
    ]);
    const versions = await query<{ name: string; version: number; reason: string; same: boolean }>(`
      select p.name, v.version, v.reason, v.snapshot -> 'definition' = p.definition and v.snapshot ->> 'name' = p.name as same
      from policy_versions v join policies p on p.id = v.policy_id where p.name like 'net %' and v.reason <> '' order by p.name`);
    const reason = 'Networks named with their cluster';
    expect(versions).toEqual([
      { name: 'net all', version: 8, reason, same: true },
      { name: 'net some', version: 2, reason, same: true },
      { name: 'net tenant', version: 2, reason, same: true },
    ]);
    expect(await query(`select count(*)::int as n from policies where name like 'policy %' and version > 1`)).toEqual([
      { n: 0 },
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
