import { aliasedTable, and, eq, inArray, SQL, sql } from 'drizzle-orm';
import {
  integer,
  jsonb,
  PgDialect,
  pgEnum,
  pgSchema,
  pgTable,
  QueryBuilder,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { renderStatementsInOnePass } from './render-statements';

const kinds = pgEnum('kind', ['a', 'b']);
const things = pgTable('things', {
  id: integer(),
  name: text(),
  at: timestamp({ mode: 'date' }),
  data: jsonb(),
  kind: kinds(),
});
const apart = pgSchema('apart').table('others', { id: integer('number'), name: text() });
const other = aliasedTable(things, 'other "one"');
const apartAlias = aliasedTable(apart, 'o');
const build = new QueryBuilder();
const sub = build
  .select({ id: things.id, total: sql<number>`count(*)`.as('total') })
  .from(things)
  .as('sub');
const cte = build.$with('cte').as(build.select().from(other));
const dialect = new PgDialect();

const original = SQL.prototype.buildQueryFromSourceParams;
const write = (statement: SQL) => {
  const { sql: text, params } = dialect.sqlToQuery(statement);
  return { text, params };
};

const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    ...[things, other, apart, apartAlias, sub, cte, kinds, undefined, null, true, 0, new Date(0)],
  ),
  fc.constantFrom<unknown>(things.id, other.name, apart.id, apartAlias.name, sub.id, sub.total, things.kind),
  fc.constantFrom<unknown>(
    sql.placeholder('p'),
    sql.identifier('a"b'),
    sql`x`.as('y'),
    sql.param(sql.placeholder('q')),
  ),
  fc.string().map((value) => sql.param(value, things.name)),
  fc.anything({ maxDepth: 1 }).map((value) => sql.param(JSON.stringify(value) ?? null, things.data)),
  fc.date({ noInvalidDate: true }).map((value) => sql.param(value, things.at)),
  fc.string(),
  fc.integer(),
  fc.string().map((value) => sql.raw(value)),
  fc.string().map((value) => sql`${value}`.inlineParams()),
);
const { statement } = fc.letrec<{ statement: unknown }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'parts' },
    leaf,
    fc.array(tie('statement'), { maxLength: 4 }).map((parts) => sql.join(parts as SQL[], sql` | `)),
    fc.array(tie('statement'), { maxLength: 3 }),
    fc.tuple(tie('statement'), tie('statement')).map(([a, b]) => sql`select ${a} from ${b} end`),
    tie('statement').map((part) => sql`${part}`.as('named')),
    tie('statement').map((part) => sql.param(sql`${part}`)),
    tie('statement').map((part) => eq(things.name, sql`${part}`)),
    tie('statement').map((part) =>
      build
        .select({ part: sql`${part}`.as('p'), id: other.id })
        .from(other)
        .where(sql`${part}`),
    ),
    tie('statement').map((part) =>
      build
        .with(cte)
        .select()
        .from(sub)
        .leftJoin(cte, and(sql`${part}`, inArray(sub.id, [1, 2]))),
    ),
    tie('statement').map((part) => build.select({ id: things.id }).from(things).where(sql`${part}`).as('inner')),
  ),
}));

describe('renderStatementsInOnePass', () => {
  afterAll(() => {
    SQL.prototype.buildQueryFromSourceParams = original;
  });

  it('writes the same text and parameters as drizzle, for any statement', () => {
    fc.assert(
      fc.property(statement, (part) => {
        const made = sql`${part}`;
        SQL.prototype.buildQueryFromSourceParams = original;
        const expected = write(made);
        renderStatementsInOnePass();
        expect(SQL.prototype.buildQueryFromSourceParams).not.toBe(original);
        expect(write(made)).toEqual(expected);
      }),
      { numRuns: 250 },
    );
  });
});
