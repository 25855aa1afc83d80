import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import type { JsonSchema } from '@/server/rest/openapi/create-example';
import { routes } from '@/server/rest/routes';
import { bearer, makeUser } from '@/test/factories';
import { computeImpactsInline } from './isolation/impacts.fixture';
import { fill, type Input, listInputs, send } from './isolation/inputs.fixture';
import { observe } from './isolation/platform.fixture';
import { makeTwoFullTenants, type TwoTenants } from './isolation/two-tenants.fixture';
import { appRouter } from './root';

type Page = { items: Record<string, unknown>[]; next_cursor: string | null };
type Query = Record<string, string | number>;

/** The times of flows and conversations are those that programs sent, in milliseconds. */
const OF_PROGRAMS = /^(traffic_|flow_(rollup|unresolved))/;

const readProperties = (schema: JsonSchema | boolean | undefined) =>
  (typeof schema === 'object' ? schema.properties : undefined) ?? {};
const readQuery = (input: Input) => readProperties(readProperties(input.schema).query);
const listSorts = (input: Input) => {
  const { sort } = readQuery(input);
  return typeof sort === 'object' ? ((sort.enum ?? []) as string[]) : [];
};

let tenants: TwoTenants;
let headers: Record<string, string>;
const lists = listInputs(routes, appRouter).filter(
  (input) => input.surface === 'REST' && input.method === 'GET' && 'cursor' in readQuery(input),
);

/** All rows of a table in one transaction, which gives them the same microsecond. */
async function writeAtOnce(): Promise<void> {
  const sorts = new Set(lists.flatMap(listSorts).filter((sort) => /_at$|_since$/.test(sort)));
  // Those of tokens and assignments decide who may ask.
  sorts.delete('expires_at');
  const columns = await sqlClient()<{ of: string; names: string[] }[]>`
    select c.table_name as of, array_agg(c.column_name::text) as names from information_schema.columns as c
    join information_schema.tables as t using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'timestamp with time zone'
      and column_name in ${sqlClient()([...sorts])}
    group by 1`;
  const moment = `${new Date(clock.now().getTime() - 60_000).toISOString().slice(0, 19)}.881123Z`;
  await sqlClient().begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    for (const { of, names } of columns.filter((column) => !OF_PROGRAMS.test(column.of)))
      await tx.unsafe(
        `update ${of} set ${names.map((name) => `${name} = '${moment}'::timestamptz + (${name} - ${name})`).join(', ')}`,
      );
  });
}

beforeAll(async () => {
  computeImpactsInline();
  tenants = await makeTwoFullTenants();
  await observe(tenants);
  const now = clock.now();
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(now));
  headers = await bearer(await makeUser('super_admin'));
  await writeAtOnce();
}, 180_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await tenants.lab.close();
});

async function ask(input: Input, query: Query): Promise<{ status: number; text: string }> {
  const { params } = fill(input, tenants.ours.ids) as { params?: Record<string, unknown> };
  return send({ routes, router: appRouter }, input, { params, query }, headers);
}

async function fetchPage(input: Input, query: Query): Promise<Page> {
  const { status, text } = await ask(input, query);
  expect(status, `${input.name} ${JSON.stringify(query)}: ${text}`).toBe(200);
  return JSON.parse(text) as Page;
}

const identify = (row: Record<string, unknown>): string =>
  String(row.id ?? row.workload_id ?? row.policy_id ?? row.node_id ?? JSON.stringify(row));

/** A list in pages of one row. What is read twice does not end it: there is one page more than there are rows. */
async function walk(input: Input, query: Query, rows: number): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page <= rows; page += 1) {
    const { items, next_cursor }: Page = await fetchPage(input, { ...query, limit: 1, ...(cursor && { cursor }) });
    found.push(...items.map(identify));
    cursor = next_cursor;
    if (cursor === null) break;
  }
  return found;
}

const encode = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
/** What a cursor holds of its row; undefined where it is no such pair. */
function readValue(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))[0];
  } catch {
    return undefined;
  }
}

describe('every list', () => {
  it('gives each row once, page by page, in whatever order, also of rows that were written in one transaction', async () => {
    let orders = 0;
    const wrong: string[] = [];
    for (const input of lists) {
      for (const sort of listSorts(input)) {
        const { items } = await fetchPage(input, { sort, limit: 200 });
        const rows = items.slice(0, 12).map(identify);
        const found = await walk(input, { sort }, rows.length);
        if (items.length > 1) orders += 1;
        if (found.slice(0, rows.length).join() !== rows.join() || (items.length <= 12 && found.length > rows.length))
          wrong.push(`${input.name} ${sort}: ${found.length} of ${items.length}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(orders).toBeGreaterThan(200);
  });

  it('answers 400 to a cursor that holds what the order has not', async () => {
    const wrong: string[] = [];
    let asked = 0;
    for (const input of lists) {
      for (const sort of [undefined, ...listSorts(input)]) {
        const order: Query = sort === undefined ? {} : { sort };
        const { next_cursor } = await fetchPage(input, { ...order, limit: 1 });
        const id = tenants.ours.ids.workload;
        const own = next_cursor === null ? undefined : readValue(next_cursor);
        for (const value of [
          true,
          1e300,
          5,
          'no time',
          '0000-01-01T00:00:00Z',
          '+010000-01-01T00:00:00.000Z',
          {},
          null,
        ]) {
          const { status, text } = await ask(input, { ...order, limit: 1, cursor: encode(value, id) });
          const isOther = own !== undefined && own !== null && value !== null && typeof value !== typeof own;
          const isRight = status === 400 || (status === 200 && !isOther);
          const names = status !== 400 || text.includes('"field":"cursor"');
          if (!isRight || !names)
            wrong.push(`${input.name} ${sort} ${JSON.stringify(value)}: ${status} ${text.slice(0, 90)}`);
          asked += 1;
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(2_000);
  });
});
