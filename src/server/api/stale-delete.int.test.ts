import { beforeAll, expect, it } from 'vitest';
import { routes } from '@/server/rest/routes';
import { bearer, makeUser } from '@/test/factories';
import { callJson } from '@/test/request';
import { makeTwoFullTenants } from './isolation/two-tenants.fixture';

type Item = { id: string; version?: number; built_in?: boolean };
type Refusal = { code?: string; given_version?: number };

let headers: Record<string, string>;
beforeAll(async () => {
  await makeTwoFullTenants();
  headers = await bearer(await makeUser('super_admin'));
  const readFirst = async (list: string) => (await callJson<{ items: Item[] }>(list, headers)).body.items[0]?.id;
  const made = {
    '/roles': { name: 'reader', title: 'Reader', permissions: ['flow:read'] },
    '/forwarding-destinations': { name: 'collector', kind: 'ipfix', host: '127.0.0.1', port: 4739 },
    '/mapping-rules': { source: 'tag', value: 'none', project_id: await readFirst('/projects') },
    '/netbox-sources': {
      ...{ name: 'netbox', url: 'http://127.0.0.1:9/api/', token: 'x'.repeat(40) },
      networks: [{ network_id: await readFirst('/networks') }],
    },
  };
  for (const [list, values] of Object.entries(made)) {
    const answer = await callJson(list, headers, { body: values });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  }
});

const hasVersion = (schema: unknown) => 'version' in ((schema as { shape?: object } | undefined)?.shape ?? {});
const find = (method: string, path: string) => routes.find((route) => route.method === method && route.path === path);
/** What has versions and can be deleted, by the list that it is in. */
const LISTS = routes.flatMap(({ method, path, body }) => {
  const list = /^(\/[a-z-]+)\/\{[a-z_]+\}$/.exec(path)?.[1];
  return method === 'PATCH' && hasVersion(body) && list && find('DELETE', path) ? [list] : [];
});

it.each(LISTS)('DELETE of a former version of one of %s deletes nothing', async (list) => {
  const read = async () => (await callJson<{ items: Item[] }>(`${list}?limit=200`, headers)).body.items;
  const before = await read();
  const one = before.find(({ built_in }) => built_in !== true);
  if (!one) throw new Error(`expected the fixture to have one of ${list}`);
  const stale = { ...headers, 'if-match': '"987654"' };
  const refused = await callJson<Refusal>(`${list}/${one.id}`, stale, { method: 'DELETE' });
  expect(refused).toMatchObject({ status: 409, body: { code: 'version_conflict', given_version: 987_654 } });
  expect((await read()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
});

it('covers what the API says', () => {
  expect(LISTS.length).toBeGreaterThan(15);
});
