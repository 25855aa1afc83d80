import type { Client } from 'pg';

export type TableShape = { name: string; columns: string[] };
export type TableContent = { rows: number; digest: string };

/** An identifier as SQL text. */
export const quote = (identifier: string) => `"${identifier.replaceAll('"', '""')}"`;
export const columnList = (columns: readonly string[]) => columns.map(quote).join(', ');

/**
 * Every Fabric table by name, with the columns that are stored (a generated one is computed again). A partitioned
 * table is listed as a whole, without its partitions.
 */
export async function readTables(client: Client): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    group by c.relname order by c.relname`);
  return rows;
}

/**
 * How many rows a table has, and a sum over a hash of each: the same for the same rows in any order, on any server.
 * It finds a difference; against people with bad intent there is the SHA-256 of the file.
 */
export async function readContent(client: Client, { name, columns }: TableShape): Promise<TableContent> {
  const { rows } = await client.query<{ rows: string; digest: string }>(`
    select count(*)::text as rows,
      coalesce(sum(('x' || left(md5(row(${columnList(columns)})::text), 16))::bit(64)::bigint::numeric), 0)::text as digest
    from ${quote(name)}`);
  return { rows: Number(rows[0]?.rows ?? 0), digest: rows[0]?.digest ?? '0' };
}

/** Ids of all keys that rows name: each sealed value has that of its key beside it. */
export async function readKeyIds(client: Client): Promise<string[]> {
  const { rows: columns } = await client.query<{ table: string; column: string }>(`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'text' and column_name like '%key_id' order by 1, 2`);
  const found = new Set<string>();
  for (const { table, column } of columns) {
    const { rows } = await client.query<{ id: string }>(
      `select distinct ${quote(column)} as id from ${quote(table)} where ${quote(column)} is not null`,
    );
    for (const { id } of rows) found.add(id);
  }
  return [...found].sort();
}

export type SequenceState = { name: string; last_value: string; is_called: boolean };

/** The current state of Fabric's sequences. */
export async function readSequences(client: Client): Promise<SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`);
  const states: SequenceState[] = [];
  for (const { name } of rows) {
    const { rows: values } = await client.query<Omit<SequenceState, 'name'>>(
      `select last_value::text, is_called from ${quote(name)}`,
    );
    if (values[0]) states.push({ name, ...values[0] });
  }
  return states;
}
