import { type SQL, sql } from 'drizzle-orm';
import { db, type Tx } from '../../db/client';
import type { Sealed } from '../../lib/crypto';

/**
 * A place with values that are encrypted with FABRIC_SECRET_KEY: each row has the id of its key in one column and one or more
 * sealed values, each bound to its context.
 */
export type SealedPlace = {
  /** For people: what is kept there. */
  name: string;
  table: string;
  /** The column that tells one row from the others; its text is given to `context`. */
  id: string;
  keyId: string;
  values: readonly { column: string; context: (id: string) => string }[];
};

export type SealedRow = { id: string; key_id: string; values: (string | null)[] };

const field = (name: string): SQL => sql`${sql.identifier(name)}::text`;

/** Rows of a place that another key than `present` sealed, by id from `after` on, locked until the transaction ends. */
export async function lockForeignRows(
  tx: Tx,
  place: SealedPlace,
  present: string,
  after: string,
  limit: number,
): Promise<SealedRow[]> {
  const values = sql.join(
    place.values.map(({ column }) => field(column)),
    sql`, `,
  );
  // As JSON: postgres.js (3.4) reads a null inside an array of PostgreSQL as the text 'NULL'.
  return tx.execute<SealedRow>(sql`
    select ${sql.identifier(place.id)}::text as id, ${field(place.keyId)} as key_id, json_build_array(${values}) as values
    from ${sql.identifier(place.table)}
    where ${field(place.keyId)} is not null and ${field(place.keyId)} <> ${present} and ${sql.identifier(place.id)}::text > ${after}
    order by ${sql.identifier(place.id)}::text limit ${limit} for update`);
}

/** Puts newly sealed values in the place of the old ones. A value that was null stays null. */
export async function storeResealed(
  tx: Tx,
  place: SealedPlace,
  id: string,
  sealed: readonly (Sealed | null)[],
  keyId: string,
): Promise<void> {
  const values: [string, string | null][] = [
    ...place.values.map(({ column }, index): [string, string | null] => [column, sealed[index]?.sealed ?? null]),
    [place.keyId, keyId],
  ];
  const changes = sql.join(
    values.map(([column, value]) => sql`${sql.identifier(column)} = ${value}`),
    sql`, `,
  );
  await tx.execute(
    sql`update ${sql.identifier(place.table)} set ${changes} where ${sql.identifier(place.id)}::text = ${id}`,
  );
}

/** How many rows of a place each key has sealed. */
export async function countByKey(place: SealedPlace): Promise<{ key_id: string; rows: number }[]> {
  return db.execute<{ key_id: string; rows: number }>(sql`
    select ${field(place.keyId)} as key_id, count(*)::int as rows from ${sql.identifier(place.table)}
    where ${field(place.keyId)} is not null group by 1 order by 1`);
}

/** Every column of the schema that names a key, as `table.column`. */
export async function keyIdColumns(): Promise<{ table: string; column: string }[]> {
  return db.execute<{ table: string; column: string }>(sql`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'text' and column_name like '%key_id' order by 1, 2`);
}

/** Where a key is still named, whether or not `SEALED_PLACES` knows of it: columns, and stored settings. */
export async function listKeyReferences(key: string): Promise<string[]> {
  const found: string[] = [];
  for (const { table, column } of await keyIdColumns()) {
    const rows = await db.execute(
      sql`select 1 from ${sql.identifier(table)} where ${sql.identifier(column)} = ${key} limit 1`,
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  const settings = await db.execute<{ key: string }>(
    sql`select key from system_settings where strpos(value::text, ${key}) > 0 order by key`,
  );
  return [...found, ...settings.map((row) => `setting ${row.key}`)];
}
