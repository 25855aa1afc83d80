import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseNetboxObjects } from '@/domain/netbox/objects';
import { createAddressGuard } from '../net/address-guard';
import { readNetbox } from './read-netbox';
import { type FakeNetbox, makeAddress, makePrefix, startNetbox } from './testing/netbox-server.fixture';

let netbox: FakeNetbox;
let waits: number[];
beforeAll(async () => {
  netbox = await startNetbox();
});
afterAll(() => netbox.close());
beforeEach(() => {
  waits = [];
  Object.assign(netbox, {
    ...{ prefixes: [makePrefix(1, '10.0.0.0/24')], addresses: [makeAddress(1, '10.0.0.1/24')] },
    ...{ requests: [], problems: [], maxPage: 1000, intercept: null, afterAnswer: null },
  });
});

const read = (given: Partial<Parameters<typeof readNetbox>[0]> = {}, filter = {}) =>
  readNetbox(
    {
      ...{ url: netbox.url, token: netbox.token, ca: null, guard: createAddressGuard(['127.0.0.0/8']) },
      signal: new AbortController().signal,
      pause: async (ms) => waits.push(ms),
      ...given,
    },
    { tenant: null, tag: null, ...filter },
    () => {},
  );
const ids = async () => (await read()).address.map((one) => (one as { id: number }).id);

/** The next answers, each once. */
function answerOnce(...answers: ((response: ServerResponse) => void)[]) {
  const left = [...answers];
  netbox.intercept = (_, response) => {
    const next = left.shift();
    next?.(response);
    return next !== undefined;
  };
}
const withStatus =
  (status: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end('<html>secret</html>');
const withBody = (body: string) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(body);

describe('reading NetBox', () => {
  it('sends only requests that its document describes', async () => {
    expect((await read({}, { tenant: 'acme', tag: 'web' })).prefix).toEqual([]);
    expect(netbox.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
      '/api/ipam/prefixes/?limit=1000&ordering=id&tenant=acme&tag=web',
      '/api/ipam/ip-addresses/?limit=1000&ordering=id&tenant=acme&tag=web',
    ]);
    expect(netbox.problems).toEqual([]);
  });

  it('sends tokens of both kinds as NetBox expects them', async () => {
    await read();
    await expect(read({ token: 'nbt_abc.def' })).rejects.toThrow('returned 403');
    expect(netbox.requests.map(({ authorization }) => authorization)).toEqual([
      'Token secret-token',
      'Token secret-token',
      'Bearer nbt_abc.def',
    ]);
  });

  it('reads each object once while others are added and deleted, and smaller pages than it asks for', async () => {
    netbox.addresses = Array.from({ length: 25 }, (_, i) => makeAddress(i + 1, `10.0.0.${i + 1}/24`));
    netbox.maxPage = 10;
    netbox.afterAnswer = () => {
      netbox.addresses = netbox.addresses.filter(({ id }) => id !== 3 && id !== 4);
      netbox.afterAnswer = () => {
        netbox.addresses = [...netbox.addresses, makeAddress(40, '10.0.0.40/24')];
        netbox.afterAnswer = null;
      };
    };
    const found = await ids();
    expect(found.filter((id) => id > 4 && id < 26)).toEqual(Array.from({ length: 21 }, (_, i) => i + 5));
    expect(new Set(found).size).toBe(found.length);
  });

  it('waits as long as NetBox asks, and tries again', async () => {
    answerOnce(withStatus(429, { 'retry-after': '7' }), withStatus(503), (response) => response.destroy());
    expect(await ids()).toEqual([1]);
    expect(waits).toEqual([7000, 2000, 4000]);
  });

  it.each<[number, string]>([
    [400, 'Check the tenant and the tag'],
    [401, 'Enter a valid token'],
    [403, 'permission to view prefixes'],
    [404, 'Enter the URL of NetBox'],
    [301, 'Enter the URL that it leads to'],
    [429, 'too many requests'],
    [502, 'Check NetBox and try again'],
  ])('names cause and remedy of %i, and nothing of the answer', async (status, remedy) => {
    answerOnce(...Array.from({ length: 4 }, () => withStatus(status, { location: 'http://127.0.0.1:9/' })));
    const error = await read().catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'upstream', message: expect.stringContaining(remedy) });
    expect((error as Error).message).toContain(`returned ${status}`);
    expect((error as Error).message).not.toMatch(/secret/);
  });

  it.each<[string, string, string]>([
    ['truncated JSON', '{"count": 1, "results": [{"id"', 'incomplete or invalid JSON'],
    ['a page of another service', '<html></html>', 'incomplete or invalid JSON'],
    ['other JSON', '{"results": 5}', 'JSON of another form'],
    [
      'pages that do not continue',
      '{"count": 9, "next": "x", "results": [{"id": "1"}]}',
      'does not continue after ID 0',
    ],
  ])('refuses %s', async (_, body, message) => {
    answerOnce(withBody(body));
    await expect(read()).rejects.toThrow(message);
  });

  it('refuses targets that are not allowed, and servers that do not answer', async () => {
    await expect(read({ guard: createAddressGuard([]) })).rejects.toThrow(
      '127.0.0.1 is not an allowed target (loopback)',
    );
    await expect(read({ url: 'http://127.0.0.1:1' })).rejects.toThrow(/did not answer \(ECONNREFUSED\).*Check the URL/);
    expect(netbox.requests).toEqual([]);
  });

  it('stops when the worker has to end', async () => {
    const ending = new AbortController();
    netbox.intercept = () => {
      ending.abort(new Error('the worker ends'));
      return true;
    };
    await expect(read({ signal: ending.signal })).rejects.toThrow('the worker ends');
  });

  it('takes over nothing that NetBox has empty', () => {
    const address = {
      id: 1,
      address: '10.0.0.1/24',
      vrf: null,
      tenant: null,
      dns_name: '',
      description: ' ',
      tags: [],
    };
    expect(parseNetboxObjects({ prefix: [], address: [address] }).objects).toMatchObject([
      { values: { address: '10.0.0.1', state: 'active' }, vrf: '', tenant: null },
    ]);
  });

  it('skips objects of another form, with what is wrong', () => {
    const wrong = [{ ...makePrefix(1, '10.0.0.0/24'), vlan: { vid: 'x' } }, 5, { id: -1, display: 'a'.repeat(999) }];
    const { objects, errors, total } = parseNetboxObjects({
      prefix: wrong,
      address: [makeAddress(2, '10.0.0.300/24')],
    });
    expect([objects, total]).toEqual([[], 4]);
    expect(errors.map(({ line, field, message }) => [line, field, message.slice(0, 60)])).toEqual([
      [1, 'vlan.vid', expect.stringContaining('10.0.0.0/24 (NetBox ID 1): not as NetBox describes it')],
      [2, 'prefix', expect.stringContaining('prefix: not as NetBox describes it')],
      [3, 'id', expect.any(String)],
      [4, 'address', expect.stringContaining('10.0.0.300/24 (NetBox ID 2): Enter one IPv4 or IPv6')],
    ]);
  });
});
