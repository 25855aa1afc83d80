import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { db } from './client';

const listColumns = (schema: string) =>
  db.execute<{ name: string; columns: string[] }>(sql`
    select c.relname as name, array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attname) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = ${schema}::regnamespace and c.relkind in ('r', 'v') and a.attnum > 0 and not a.attisdropped
    group by c.relname`);

describe('views of the past', () => {
  it('have the columns of their tables', async () => {
    const tables = new Map((await listColumns('public')).map(({ name, columns }) => [name, columns]));
    const views = await listColumns('as_of');
    expect(views.length).toBeGreaterThan(20);
    for (const { name, columns } of views) expect([name, columns]).toEqual([name, tables.get(name)]);
  });
});
