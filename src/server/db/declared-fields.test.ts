import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type SQL, sql } from 'drizzle-orm';
import { integer, PgDialect, pgTable, text } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildConditions, buildSortKeys, hasText, isSet, selectColumns } from './declared-fields';

const guests = pgTable('guests', {
  id: text().notNull(),
  name: text().notNull(),
  pool: text(),
  secret: text(),
  cpus: integer(),
});
const Guest = z.object({
  id: z.string(),
  pool: z.string().nullable(),
  cpus: z.int().nullable(),
  owner: z.string(),
  created_at: z.string(),
});
const owner = sql<string>`owner`;
const created_at = sql<string>`now()`;
const columns = selectColumns(Guest, guests, { owner, created_at });
const written = (condition: SQL | undefined) => {
  if (!condition) return undefined;
  const { sql: statement, params } = new PgDialect().sqlToQuery(condition);
  return [statement, ...params];
};

describe('selectColumns', () => {
  it('selects what the schema names, in its order, and no other column of the table', () => {
    expect(Object.entries(columns)).toEqual([
      ['id', guests.id],
      ['pool', guests.pool],
      ['cpus', guests.cpus],
      ['owner', owner],
      ['created_at', created_at],
    ]);
  });

  it('takes what is given in place of the column of the same name', () => {
    const pool = sql<string>`upper(pool)`;
    expect(selectColumns(Guest, guests, { owner, created_at, pool }).pool).toBe(pool);
  });

  it('asks for what the table does not have', () => {
    // @ts-expect-error nothing answers `owner`
    selectColumns(Guest, guests, { created_at });
  });
});

describe('buildSortKeys', () => {
  it('knows from the schema what may be null and of what type it is, and sorts creation by id', () => {
    expect(buildSortKeys(Guest, ['pool', 'cpus', 'owner', 'created_at'], columns)).toEqual({
      pool: { column: guests.pool, type: 'text', nullable: true },
      cpus: { column: guests.cpus, type: 'number', nullable: true },
      owner: { column: owner, type: 'text', nullable: false },
      created_at: { column: guests.id },
    });
  });
});

describe('buildConditions', () => {
  type Input = {
    limit: number;
    sort?: string;
    cursor?: string;
    q?: string;
    pool?: string;
    cpus?: number;
    owned?: boolean;
  };
  const conditions = (input: Partial<Input>) =>
    buildConditions<Input, typeof guests>({ limit: 5, ...input }, guests, {
      q: (q) => sql`name like ${q}`,
      owned: isSet(guests.secret),
    }).flatMap((condition) => (condition ? [written(condition)] : []));

  it('compares with the column of the same name', () => {
    expect(conditions({ pool: 'a', cpus: 0 })).toEqual([
      ['"guests"."pool" = $1', 'a'],
      ['"guests"."cpus" = $1', 0],
    ]);
  });

  it('uses the declared condition where a filter is not a column', () => {
    expect(conditions({ q: 'x', owned: true })).toEqual([['name like $1', 'x'], ['"guests"."secret" is not null']]);
    expect(conditions({ owned: false })).toEqual([['"guests"."secret" is null']]);
  });

  it('leaves out what is not asked for, and how the list is paged', () => {
    expect(conditions({ limit: 1, sort: '-pool', cursor: 'c', q: '', pool: undefined })).toEqual([]);
  });

  it('refuses a filter that nothing answers, when it is written and when it runs', () => {
    // @ts-expect-error `zone` is no column
    expect(() => buildConditions({ zone: 'a' }, guests, {})).toThrow('expected a condition for the filter zone');
    // @ts-expect-error a number is not what the column holds
    buildConditions({ pool: 1 }, guests, {});
  });
});

describe('hasText', () => {
  it('looks for the text in every column, with the characters that mean something to LIKE escaped', () => {
    expect(written(hasText(guests.name, guests.pool)('50%_'))).toEqual([
      '("guests"."name" ilike $1 or "guests"."pool" ilike $2)',
      '%50\\%\\_%',
      '%50\\%\\_%',
    ]);
    expect(written(hasText(guests.name)('a'))).toEqual(['"guests"."name" ilike $1', '%a%']);
  });
});

describe('every list of a table', () => {
  const server = fileURLToPath(new URL('..', import.meta.url));
  const lists = readdirSync(server, { recursive: true, encoding: 'utf8' })
    // The storage of flows reads from views of its tables, which no schema names.
    .filter((file) => /(^|\/)queries\/[^/]+\.ts$/.test(file) && !/\.(test|fixture)\.ts$/.test(file))
    .map((file) => ({ file, source: readFileSync(`${server}/${file}`, 'utf8') }))
    .filter(({ source }) => source.includes('queryPage'));

  it('selects and filters by what its schemas declare', () => {
    expect(lists.length).toBeGreaterThan(20);
    const undeclared = lists.filter(
      ({ source }) => !source.includes('selectColumns(') || !source.includes('buildConditions('),
    );
    expect(undeclared.map(({ file }) => file)).toEqual([]);
  });
});
