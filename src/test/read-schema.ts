import pg from 'pg';

/** Runs one query on a database of a test. */
export async function queryDatabase<T = Record<string, unknown>>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

/** Everything that makes a schema what it is: columns, constraints, indexes, triggers and whether they fire, storage. */
export const readSchema = (url: string) =>
  queryDatabase(
    url,
    `select 'column' as kind, c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) || a.attnotnull || a.attidentity::text
        || coalesce(pg_get_expr(d.adbin, d.adrelid), '') as definition
      from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    union all select 'storage', relname, coalesce(reloptions::text, '') from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) || convalidated
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
    union all select 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
    union all select 'function', proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
    order by 1, 2`,
  );
