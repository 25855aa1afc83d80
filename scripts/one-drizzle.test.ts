import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as drizzle from 'drizzle-orm';
import * as pg from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { useInstanceof } from './one-drizzle.mjs';

const { entityKind, is, sql } = drizzle;
const path = fileURLToPath(import.meta.resolve('drizzle-orm/entity'));

describe('useInstanceof', () => {
  it('leaves every value of drizzle in the classes in which it was', async () => {
    const made = useInstanceof(readFileSync(path, 'utf8'));
    const { is: isInstance } = await import(`data:text/javascript,${encodeURIComponent(made)}`);
    const classes = Object.values({ ...drizzle, ...pg, Aliased: drizzle.SQL.Aliased }).filter(
      (value): value is drizzle.DrizzleEntityClass<object> =>
        typeof value === 'function' && Object.hasOwn(value, entityKind),
    );
    const table = pg.pgTable('things', {
      id: pg.integer(),
      name: pg.text(),
      data: pg.jsonb(),
      list: pg.text().array(),
    });
    const alias = drizzle.aliasedTable(table, 'other');
    const select = new pg.QueryBuilder().select({ id: table.id, made: sql`1`.as('made') }).from(table);
    const sub = select.as('sub');
    const view = pg.pgView('seen').as(select);
    const kind = pg.pgEnum('kind', ['a']);
    const values: unknown[] = [
      ...[
        table,
        table.id,
        table.name,
        table.data,
        table.list,
        alias,
        alias.id,
        select,
        sub,
        sub.id,
        sub.made,
        view,
        view.id,
        kind,
      ],
      ...[
        sql`1`,
        sql`1`.as('x'),
        sql.raw('x'),
        sql.identifier('x'),
        sql.param(1),
        sql.placeholder('p'),
        sql`x`.queryChunks[0],
      ],
      ...[null, undefined, 'text', 1, {}, [], new Date(), Object.create({}), pg.integer()],
    ];
    let yes = 0;
    for (const value of values) {
      for (const type of classes) {
        const expected = is(value, type);
        expect(isInstance(value, type), `${String(type.name)} ${values.indexOf(value)}`).toBe(expected);
        yes += Number(expected);
      }
    }
    expect(classes.length).toBeGreaterThan(60);
    expect(yes).toBeGreaterThan(40);
  });

  it('refuses another form of the module', () => {
    expect(() => useInstanceof('export const is = () => true;')).toThrow('another form');
  });
});
