import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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

beforeAll(async () => {
  computeImpactsInline();
  tenants = await makeTwoFullTenants();
  await observe(tenants);
  const now = clock.now();
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(now));
  headers = await bearer(await makeUser('super_admin'));
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
  }, 300_000);
});
