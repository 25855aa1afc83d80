import { beforeAll, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';

type Json = Record<string, unknown> & { id: string; version: number };
let headers: Record<string, string>;

async function send(method: string, path: string, body?: unknown, extra: Record<string, string> = {}) {
  const response = await call(path, {
    method,
    headers: { ...headers, ...extra, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = response.status === 204 ? null : await response.json();
  return { status: response.status, json };
}

async function createResource(path: string, body: unknown): Promise<Json> {
  const { status, json } = await send('POST', path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
  return json as Json;
}

beforeAll(async () => {
  headers = await bearer(await makeUser('admin'));
});

async function makeSubnet(cidr = '10.1.0.0/16') {
  const cluster = await makeCluster();
  const network = await createResource('/networks', { cluster_id: cluster.id, name: 'servers' });
  const subnet = await createResource('/subnets', { network_id: network.id, cidr });
  return { cluster, network, subnet };
}

describe('subnets', () => {
  it('nest: addresses belong to the longest prefix, whatever the order of making', async () => {
    const { network, subnet } = await makeSubnet();
    const address = await createResource('/ip-addresses', { network_id: network.id, address: '10.1.2.3' });
    expect(address).toMatchObject({ subnet_id: subnet.id, subnet_cidr: '10.1.0.0/16', source: 'manual' });
    const inner = await createResource('/subnets', {
      network_id: network.id,
      cidr: '10.1.2.0/24',
      gateway: '10.1.2.1',
    });
    expect(inner).toMatchObject({ parent_id: subnet.id, usage: { used: 1, capacity: '254' } });
    const { json } = await send('GET', `/ip-addresses/${address.id}`);
    expect(json).toMatchObject({ subnet_id: inner.id, subnets: [{ cidr: '10.1.0.0/16' }, { cidr: '10.1.2.0/24' }] });
    expect((await send('GET', `/subnets/${subnet.id}`)).json).toMatchObject({
      children_total: 1,
      usage: { used: 1, active: 1 },
    });
    expect((await send('DELETE', `/subnets/${inner.id}`)).status).toBe(204);
    expect((await send('GET', `/ip-addresses/${address.id}`)).json).toMatchObject({ subnet_id: subnet.id });
    const lost = await send('DELETE', `/subnets/${subnet.id}`);
    expect(lost).toMatchObject({ status: 422, json: { addresses_total: 1 } });
    expect((await send('DELETE', `/subnets/${subnet.id}?with_addresses=true`)).status).toBe(204);
    expect((await send('GET', `/ip-addresses/${address.id}`)).status).toBe(404);
  });

  it('accept partial changes with a version, and return both versions on a conflict', async () => {
    const { subnet } = await makeSubnet();
    const first = await send('PATCH', `/subnets/${subnet.id}`, { dns_servers: ['10.1.0.53'], version: 1 });
    expect(first).toMatchObject({ status: 200, json: { dns_servers: ['10.1.0.53'], dhcp_enabled: false, version: 2 } });
    const second = await send('PATCH', `/subnets/${subnet.id}`, { dhcp_enabled: true }, { 'if-match': '"1"' });
    expect(second).toMatchObject({
      status: 409,
      json: { code: 'version_conflict', version: 2, given_version: 1 },
    });
    const same = await send('PATCH', `/subnets/${subnet.id}`, { dns_servers: ['10.1.0.53'] });
    expect(same.json).toMatchObject({ version: 2 });
    const audits =
      await sqlClient()`select action, before, after from audit_records where object_id = ${subnet.id} order by seq`;
    expect(audits.map((row) => row.action)).toEqual(['subnet.created', 'subnet.updated']);
    expect(audits[1]).toMatchObject({ before: { dns_servers: [] }, after: { dns_servers: ['10.1.0.53'] } });
  });

  it('refuse what does not fit: gateways, equal prefixes, ranges and addresses outside', async () => {
    const { network, subnet } = await makeSubnet();
    const gateway = await send('PATCH', `/subnets/${subnet.id}`, { gateway: '10.2.0.1' });
    expect(gateway).toMatchObject({ status: 422, json: { errors: [{ field: 'gateway' }] } });
    expect(await send('POST', '/subnets', { network_id: network.id, cidr: '10.1.0.0/16' })).toMatchObject({
      status: 409,
      json: { errors: [{ field: 'cidr' }] },
    });
    expect(await send('POST', '/subnets', { network_id: network.id, cidr: '10.1.0.1/16' })).toMatchObject({
      status: 400,
      json: { errors: [{ field: 'cidr', message: expect.stringContaining('10.1.0.0/16') }] },
    });
    await createResource('/ip-addresses', { network_id: network.id, address: '10.1.200.9' });
    expect(await send('PATCH', `/subnets/${subnet.id}`, { cidr: '10.1.0.0/17' })).toMatchObject({
      status: 422,
      json: { errors: [{ field: 'cidr' }] },
    });
    expect(await send('PATCH', `/subnets/${subnet.id}`, { cidr: '10.0.0.0/8', gateway: '10.9.0.1' })).toMatchObject({
      status: 200,
      json: { cidr: '10.0.0.0/8', gateway: '10.9.0.1' },
    });
    await expect(sqlClient()`update subnets set gateway = '192.168.0.1' where id = ${subnet.id}`).rejects.toMatchObject(
      { constraint_name: 'subnets_gateway_inside' },
    );
  });

  it('refuse their deletion while their ranges overlap those of the prefix around them', async () => {
    const { network, subnet } = await makeSubnet();
    const inner = await createResource('/subnets', { network_id: network.id, cidr: '10.1.2.0/24' });
    const addRange = (subnet_id: string, first_address: string, last_address: string) =>
      createResource('/ip-ranges', { subnet_id, kind: 'dhcp', first_address, last_address });
    const outer = await addRange(subnet.id, '10.1.2.50', '10.1.2.99');
    await addRange(inner.id, '10.1.2.10', '10.1.2.20');
    const overlapping = await addRange(inner.id, '10.1.2.90', '10.1.2.120');
    const refused = await send('DELETE', `/subnets/${inner.id}`);
    expect(refused).toMatchObject({ status: 422, json: { code: 'refused' } });
    for (const part of ['10.1.2.90 to 10.1.2.120', '10.1.2.50 to 10.1.2.99', '10.1.0.0/16'])
      expect(refused.json.detail).toContain(part);
    expect(await send('PATCH', `/ip-ranges/${overlapping.id}`, { first_address: '10.1.2.100' })).toMatchObject({
      status: 200,
    });
    expect(await send('DELETE', `/subnets/${inner.id}`)).toMatchObject({ status: 204 });
    const moved = (await send('GET', `/ip-ranges?subnet_id=${subnet.id}`)).json.items;
    expect(moved.map((range: Json) => range.first_address)).toEqual(['10.1.2.10', '10.1.2.50', '10.1.2.100']);
    expect(moved).toContainEqual(expect.objectContaining({ id: outer.id }));
  });

  it('form a tree that is read level by level in the same number of queries', async () => {
    const { network, subnet } = await makeSubnet('10.0.0.0/8');
    for (const cidr of ['10.1.0.0/16', '10.1.2.0/24', '10.2.0.0/16', 'fd00::/48'])
      await createResource('/subnets', { network_id: network.id, cidr });
    await createResource('/ip-addresses', { network_id: network.id, address: '10.1.2.3', state: 'reserved' });
    const top = (await send('GET', `/networks/${network.id}/tree`)).json;
    expect(top.items.map((item: Json) => [item.cidr, item.children_total, item.descendants_total])).toEqual([
      ['10.0.0.0/8', 2, 3],
      ['fd00::/48', 0, 0],
    ]);
    expect(top.items[0]).toMatchObject({ usage: { used: 1, reserved: 1 } });
    const { result, queries } = await countQueries(() =>
      send('GET', `/networks/${network.id}/tree?parent_id=${subnet.id}`),
    );
    expect(result.json.items.map((item: Json) => item.cidr)).toEqual(['10.1.0.0/16', '10.2.0.0/16']);
    expect(queries).toBe(3);
    const listed = await countQueries(() => send('GET', `/subnets?network_id=${network.id}`));
    expect(listed.result.json.items.map((item: Json) => item.cidr)).toEqual([
      '10.0.0.0/8',
      '10.1.0.0/16',
      '10.1.2.0/24',
      '10.2.0.0/16',
      'fd00::/48',
    ]);
    expect(listed.queries).toBe(4);
  });

  it('return the next free address that is neither stored nor reserved, and the next free prefix', async () => {
    const { network, subnet } = await makeSubnet('192.168.7.0/28');
    await send('PATCH', `/subnets/${subnet.id}`, { gateway: '192.168.7.1' });
    await createResource('/ip-addresses', { network_id: network.id, address: '192.168.7.2' });
    await createResource('/ip-ranges', {
      subnet_id: subnet.id,
      kind: 'dhcp',
      first_address: '192.168.7.4',
      last_address: '192.168.7.5',
    });
    await createResource('/subnets', { network_id: network.id, cidr: '192.168.7.8/30' });
    const next = await send('GET', `/subnets/${subnet.id}/next-address?count=100`);
    expect(next.json.addresses).toEqual([
      '192.168.7.3',
      '192.168.7.6',
      '192.168.7.7',
      '192.168.7.12',
      '192.168.7.13',
      '192.168.7.14',
    ]);
    for (const expected of next.json.addresses)
      expect(await createResource(`/subnets/${subnet.id}/next-address`, { description: 'taken' })).toMatchObject({
        address: expected,
        state: 'reserved',
      });
    expect((await send('POST', `/subnets/${subnet.id}/next-address`)).status).toBe(409);
    const big = await makeSubnet('fd00:7::/32');
    await createResource('/subnets', { network_id: big.network.id, cidr: 'fd00:7::/48' });
    await createResource('/ip-addresses', { network_id: big.network.id, address: 'fd00:7:1::5' });
    const prefix = await send('POST', `/subnets/${big.subnet.id}/next-prefix`, { prefix_length: 48 });
    expect(prefix).toMatchObject({ status: 201, json: { cidr: 'fd00:7:2::/48', parent_id: big.subnet.id } });
    expect((await send('GET', `/subnets/${big.subnet.id}/next-prefix?prefix_length=33`)).json).toEqual({
      cidr: 'fd00:7:8000::/33',
    });
    expect((await send('GET', `/subnets/${big.subnet.id}/next-prefix?prefix_length=32`)).status).toBe(422);
  });

  it('show their addresses as a grid', async () => {
    const { network, subnet, cluster } = await makeSubnet('10.5.0.0/24');
    await send('PATCH', `/subnets/${subnet.id}`, { gateway: '10.5.0.1' });
    const workload = await makeWorkload(cluster);
    await createResource('/ip-addresses', { network_id: network.id, address: '10.5.0.9', workload_id: workload.id });
    const grid = (await send('GET', `/subnets/${subnet.id}/grid`)).json;
    expect(grid).toMatchObject({ first: '10.5.0.0', last: '10.5.0.255', previous: null, next: null });
    expect(grid.cells.map((cell: Json) => [cell.address, cell.state, cell.label])).toEqual([
      ['10.5.0.0', 'network', null],
      ['10.5.0.1', 'gateway', null],
      ['10.5.0.9', 'active', workload.name],
      ['10.5.0.255', 'broadcast', null],
    ]);
  });
});

describe('addresses', () => {
  it('go to only one of 50 concurrent clients', async () => {
    const { subnet } = await makeSubnet('10.8.0.0/24');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => createResource(`/subnets/${subnet.id}/next-address`, { state: 'active' })),
    );
    expect(new Set(answers.map((answer) => answer.address)).size).toBe(50);
  });

  it('remember who held them', async () => {
    const { network, cluster } = await makeSubnet();
    const [one, two] = [await makeWorkload(cluster), await makeWorkload(cluster)];
    const address = await createResource('/ip-addresses', {
      network_id: network.id,
      address: '10.1.0.9',
      workload_id: one.id,
    });
    const moved = await send('PATCH', `/ip-addresses/${address.id}`, { workload_id: two.id, version: 1 });
    expect(moved).toMatchObject({ status: 200, json: { workload: { id: two.id }, version: 2 } });
    await sqlClient()`delete from workloads where id = ${one.id}`;
    const { json } = await send('GET', `/ip-addresses/${address.id}`);
    expect(json.history).toMatchObject([
      { workload_id: two.id, until_at: null },
      { workload_id: null, workload_name: one.name, until_at: expect.any(String) },
    ]);
    await sqlClient()`delete from workloads where id = ${two.id}`;
    expect((await send('GET', `/ip-addresses/${address.id}`)).json).toMatchObject({
      workload: null,
      history: [{ until_at: expect.any(String) }, {}],
    });
  });

  it('can be found with their former holders by prefix and time, also after deletion', async () => {
    const { network, cluster } = await makeSubnet();
    const [one, two] = [
      await makeWorkload(cluster, null, { name: 'first-holder' }),
      await makeWorkload(cluster, null, { name: 'second-holder' }),
    ];
    const address = await createResource('/ip-addresses', {
      network_id: network.id,
      address: '10.1.3.7',
      workload_id: one.id,
    });
    await createResource('/ip-addresses', { network_id: network.id, address: '10.1.4.7', workload_id: one.id });
    await send('PATCH', `/ip-addresses/${address.id}`, { workload_id: two.id });
    await send('DELETE', `/ip-addresses/${address.id}`);
    const times = ['2026-11-01', '2026-11-03', '2026-11-05'].map((day) => `${day}T12:00:00Z`);
    const [from, then, until] = times as [string, string, string];
    const sql = sqlClient();
    await sql`update ip_address_history set from_at = ${from}, until_at = ${then}
      where network_id = ${network.id} and host(address) = '10.1.3.7' and workload_id = ${one.id}`;
    await sql`update ip_address_history set from_at = ${then}, until_at = ${until} where workload_id = ${two.id}`;
    const held = async (query: string) => {
      const { status, json } = await send('GET', `/ip-address-holders?network_id=${network.id}&${query}`);
      expect(status, JSON.stringify(json)).toBe(200);
      return json.items.map((row: { workload_name: string }) => row.workload_name);
    };
    const at = (time: string) => `since=${time}&until=${time}`;
    expect(await held('within=10.1.3.7')).toEqual(['second-holder', 'first-holder']);
    expect(await held('within=10.1.0.0/16')).toHaveLength(3);
    expect(await held('within=10.1.3.0/24&sort=from_at')).toEqual(['first-holder', 'second-holder']);
    expect(await held('within=10.9.0.0/16')).toEqual([]);
    expect(await held(`within=10.1.3.7&${at('2026-11-02T00:00:00Z')}`)).toEqual(['first-holder']);
    // At the moment of the change it is the next one's.
    expect(await held(`within=10.1.3.7&${at(then)}`)).toEqual(['second-holder']);
    expect(await held(`within=10.1.3.7&${at('2026-10-31T00:00:00Z')}`)).toEqual([]);
    expect(await held(`within=10.1.3.7&${at(until)}`)).toEqual([]);
    expect(await held(`within=10.1.3.7&since=2026-11-02T00:00:00Z&until=2026-11-04T00:00:00Z`)).toHaveLength(2);
    expect(await held('q=10.1.3.')).toHaveLength(2);
    expect(await held('q=first-h')).toEqual(['first-holder', 'first-holder']);
    expect((await send('GET', '/ip-address-holders?within=10.1.3.300')).status).toBe(400);
    const { json } = await send('GET', `/ip-address-holders?network_id=${network.id}&limit=1`);
    const rest = await held(`limit=5&cursor=${json.next_cursor}`);
    expect([json.total, json.items[0].ip_address_id !== null, rest.length]).toEqual([3, true, 2]);
    expect(
      (await send('GET', `/ip-address-holders?network_id=${network.id}&within=10.1.3.7`)).json.items[0],
    ).toMatchObject({
      address: '10.1.3.7',
      ip_address_id: null,
      cluster_name: cluster.name,
      from_at: expect.any(String),
    });
  });

  it('return an error where they do not belong', async () => {
    const { network } = await makeSubnet();
    const stranger = await makeWorkload(await makeCluster());
    const body = { network_id: network.id, address: '10.1.0.9' };
    expect(await send('POST', '/ip-addresses', { ...body, address: '10.2.0.9' })).toMatchObject({
      status: 422,
      json: { errors: [{ field: 'address' }] },
    });
    expect(await send('POST', '/ip-addresses', { ...body, workload_id: stranger.id })).toMatchObject({
      status: 422,
      json: { errors: [{ field: 'workload_id' }] },
    });
    await createResource('/ip-addresses', body);
    expect((await send('POST', '/ip-addresses', body)).status).toBe(409);
  });

  it('change together or not at all', async () => {
    const { network, cluster } = await makeSubnet();
    const rows = [];
    for (const host of [1, 2, 3])
      rows.push(await createResource('/ip-addresses', { network_id: network.id, address: `10.1.9.${host}` }));
    const items = rows.map(({ id, version }) => ({ id, version }));
    const stale = await send('POST', '/ip-addresses/bulk-update', {
      items: [...items.slice(0, 2), { id: items[2]?.id, version: 7 }],
      changes: { state: 'reserved' },
    });
    expect(stale).toMatchObject({ status: 409, json: { errors: [{ field: 'items.2' }] } });
    expect(
      await send('POST', '/ip-addresses/bulk-update', { items, changes: { state: 'reserved', description: 'rack 4' } }),
    ).toMatchObject({ status: 200, json: { changed: 3, unchanged: 0 } });
    const listed = await send('GET', `/ip-addresses?cluster_id=${cluster.id}&state=reserved`);
    expect(listed.json).toMatchObject({ total: 3, items: [{ description: 'rack 4', version: 2 }, {}, {}] });
    expect(await send('POST', '/ip-addresses/bulk-delete', { items: items.map(({ id }) => ({ id })) })).toMatchObject({
      status: 200,
      json: { changed: 3 },
    });
  });

  it('can be found by address, MAC address, network and text', async () => {
    const { network, cluster, subnet } = await makeSubnet('172.30.0.0/16');
    const workload = await makeWorkload(cluster);
    const address = await createResource('/ip-addresses', {
      network_id: network.id,
      address: '172.30.4.5',
      mac: 'BC-24-11-00-AA-01',
      hostname: 'db7.example.org',
      workload_id: workload.id,
    });
    const ids = async (q: string) => {
      const { json } = await send('GET', `/ipam/search?q=${encodeURIComponent(q)}`);
      return [json.kind, json.addresses.map((row: Json) => row.id), json.subnets.map((row: Json) => row.id)];
    };
    expect(await ids('172.30.4.5')).toEqual(['address', [address.id], [subnet.id]]);
    expect(await ids('bc24.1100.aa01')).toEqual(['mac', [address.id], []]);
    expect(await ids('172.30.4.0/24')).toEqual(['cidr', [address.id], [subnet.id]]);
    expect(await ids('172.30.4.')).toEqual(['text', [address.id], []]);
    expect(await ids('db7')).toEqual(['text', [address.id], []]);
    for (const filter of ['q=172.30.4.5', 'mac=bc:24:11:00:aa:01', 'within=172.30.4.0/24', `subnet_id=${subnet.id}`])
      expect((await send('GET', `/ip-addresses?${filter}`)).json.items).toMatchObject([{ id: address.id }]);
  });
});

describe('tenants', () => {
  it('see the addresses of their workloads only', async () => {
    const { cluster, ours, theirs } = await makeTwoTenants('viewer');
    const network = await createResource('/networks', { cluster_id: cluster.id, name: 'shared' });
    const subnet = await createResource('/subnets', { network_id: network.id, cidr: '10.77.0.0/24' });
    const mine = await createResource('/ip-addresses', {
      network_id: network.id,
      address: '10.77.0.1',
      workload_id: ours.workload.id,
    });
    const other = await createResource('/ip-addresses', {
      network_id: network.id,
      address: '10.77.0.2',
      workload_id: theirs.workload.id,
    });
    const read = async (path: string) => {
      const response = await call(path, { headers: ours.headers });
      return { status: response.status, json: await response.json() };
    };
    expect((await read('/ip-addresses')).json.items.map((row: Json) => row.id)).toEqual([mine.id]);
    expect((await read(`/ip-addresses/${other.id}`)).status).toBe(404);
    expect((await read(`/subnets/${subnet.id}`)).json).toMatchObject({ usage: { used: 1 } });
    expect((await read(`/subnets/${subnet.id}/grid`)).json.cells.map((cell: Json) => cell.address)).toEqual([
      '10.77.0.0',
      '10.77.0.1',
      '10.77.0.255',
    ]);
    expect((await read('/ipam/search?q=10.77.0.2')).json.addresses).toEqual([]);
    expect((await read(`/networks/${network.id}/tree`)).json.items).toMatchObject([{ usage: { used: 1 } }]);
  });
});
