import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from '../rest/parse-input';
import { listRoutes } from './list-routes';
import { ByVersion, operations, versionNumber } from './operation';
import { router } from './trpc';

/** What reached the operation last. */
let received: unknown;
const run = async ({ params, input }: { params: unknown; input: unknown }) => {
  received = { params, input };
  return null;
};
const { query, mutation } = operations('Administration');
const access = { permission: 'role:read' } as const;
const summary = 'For tests only.';
const Fields = z.strictObject({ name: z.string(), limit: z.coerce.number<number>().int().default(50) });
const Change = z.strictObject({ name: z.string(), version: z.int().min(1).optional() });
const things = router({
  list: query({ access, rest: 'GET /things', summary, input: Fields, output: z.null(), run }),
  get: query({ access, rest: 'GET /things/{thing_id}', summary, output: z.null(), run }),
  change: mutation({ access, rest: 'PATCH /things/{thing_id}', summary, input: Change, output: z.null(), run }),
  delete: mutation({ access, rest: 'DELETE /things/{thing_id}', summary, input: ByVersion, run }),
  part: mutation({
    access,
    rest: 'POST /things/{thing_id}/versions/{version}/parts/{part_id}',
    summary,
    params: z.object({ thing_id: z.uuid(), version: versionNumber, part_id: z.uuid() }),
    onPages: { version: 'of_version' },
    input: Change,
    output: z.null(),
    run,
  }),
});
const routes = listRoutes(things);
const grants = [{ role: 'all', permissions: ['role:read'], tenant_id: null, project_id: null }];
const user = { id: 'a', email: 'a@example.org', name: 'A' };
const origin = { request_id: 'r', source_address: null };
const session = { user, grants, family_id: 'f', origin };
const pages = things.createCaller({ session, origin, baseUrl: () => 'http://fabric.test' });

/** What the operation gets from a request. */
async function receiveByRest(method: string, path: string, params: Record<string, string>, request: Request) {
  const route = routes.find((one) => one.method === method && one.path === path);
  if (!route) throw new Error(`there is no ${method} ${path}`);
  received = undefined;
  await route.handler({ scope: {}, session, request, routes, ...(await parseInput(route, params, request)) });
  return received;
}
async function receiveByPage(call: Promise<unknown>) {
  received = undefined;
  await call;
  return received;
}
const json = (method: string, body: object, headers: Record<string, string> = {}) =>
  new Request('http://fabric.test/', {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
const id = fc.uuid();
const version = fc.integer({ min: 1, max: 999_999 });
const text = fc.stringMatching(/^[a-z ]{1,20}$/);

describe('an operation', () => {
  it('gets the same parameters and input from REST and from pages', async () => {
    await fc.assert(
      fc.asyncProperty(id, id, text, version, version, async (thing_id, part_id, name, of_version, given) => {
        const path = '/things/{thing_id}';
        const search = new URLSearchParams({ name, limit: String(given) });
        const list = new Request(`http://fabric.test/?${search}`);
        expect(await receiveByRest('GET', '/things', {}, list)).toEqual(
          await receiveByPage(pages.list({ name, limit: given })),
        );
        const get = new Request('http://fabric.test/');
        expect(await receiveByRest('GET', path, { thing_id }, get)).toEqual(
          await receiveByPage(pages.get({ id: thing_id })),
        );
        const change = json('PATCH', { name, version: given });
        const changed = await receiveByPage(pages.change({ id: thing_id, name, version: given }));
        expect(await receiveByRest('PATCH', path, { thing_id }, change)).toEqual(changed);
        const part = { thing_id, version: String(of_version), part_id };
        const made = await receiveByPage(pages.part({ id: thing_id, of_version, part_id, name, version: given }));
        const post = json('POST', { name, version: given });
        expect(await receiveByRest('POST', `${path}/versions/{version}/parts/{part_id}`, part, post)).toEqual(made);
        expect(made).toMatchObject({ params: { version: of_version }, input: { version: given } });
      }),
      { numRuns: 30 },
    );
  });

  it('takes the version from If-Match where its input has one, and refuses another one beside it', async () => {
    await fc.assert(
      fc.asyncProperty(id, version, version, async (thing_id, header, other) => {
        const headers = { 'if-match': `"${header}"` };
        const remove = (search: string) => new Request(`http://fabric.test/${search}`, { method: 'DELETE', headers });
        const byHeader = await receiveByRest('DELETE', '/things/{thing_id}', { thing_id }, remove(''));
        expect(byHeader).toMatchObject({ input: { version: header } });
        const byBoth = (search: number) =>
          receiveByRest('DELETE', '/things/{thing_id}', { thing_id }, remove(`?version=${search}`));
        expect(await byBoth(header)).toEqual(await receiveByPage(pages.delete({ id: thing_id, version: header })));
        const others = { errors: [{ field: 'If-Match' }] };
        if (other !== header) await expect(byBoth(other)).rejects.toMatchObject(others);
        const patch = json('PATCH', { name: 'n' }, headers);
        expect(await receiveByRest('PATCH', '/things/{thing_id}', { thing_id }, patch)).toMatchObject({
          input: { version: header },
        });
      }),
      { numRuns: 30 },
    );
  });

  it('refuses a wrong parameter and a wrong field of a page together, by the names that the page sent', async () => {
    const wrong = { id: 'x', of_version: 0, part_id: 'y', name: 1, more: true } as never;
    const error = await pages.part(wrong).catch((thrown) => thrown.cause);
    const { errors } = error as { errors: { field: string }[] };
    expect(errors.map(({ field }) => field).sort()).toEqual(['id', 'more', 'name', 'of_version', 'part_id']);
  });
});
