import { sqlClient } from '@/server/db/client';

type Row = Record<string, unknown>;
/** Everything that an import could change, by row. */
export async function readTables(): Promise<Map<string, string>> {
  const tables = ['networks', 'subnets', 'ip_addresses', 'ip_ranges', 'ipam_conflicts', 'security_groups', 'workloads'];
  const sql = sqlClient();
  const found = new Map<string, string>();
  for (const table of tables)
    for (const row of await sql<Row[]>`select * from ${sql(table)}`)
      found.set(`${table} ${row.id}`, JSON.stringify(row));
  for (const row of await sql<Row[]>`select * from security_group_members`)
    found.set(`member ${row.security_group_id} ${row.workload_id}`, JSON.stringify(row));
  return found;
}
/** Names of rows that differ. */
export function listDifferences(before: Map<string, string>, after: Map<string, string>): string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  return keys
    .map((key) => {
      const row = JSON.parse(after.get(key) ?? before.get(key) ?? '{}');
      return row.cidr ?? row.address ?? key;
    })
    .map((name: string) => name.replace(/\/(32|128)$/, ''))
    .sort();
}
