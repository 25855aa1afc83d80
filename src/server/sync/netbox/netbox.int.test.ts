import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ImportChange, IpamImportDetail } from '@/domain/ipam/csv-import';
import type { NetboxSource } from '@/domain/netbox/source';
import { sqlClient } from '@/server/db/client';
import * as jobs from '@/server/jobs/enqueue';
import {
  type FakeNetbox,
  makeAddress,
  makePrefix,
  startNetbox,
} from '@/server/providers/netbox/testing/netbox-server.fixture';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { callJson } from '@/test/request';
import { runAnyImport } from './import-netbox';
import { listDifferences, readTables } from './stored-tables.fixture';

vi.spyOn(jobs, 'enqueue').mockResolvedValue();

const sql = sqlClient();
const signal = new AbortController().signal;
let headers: { authorization: string };
let admin: { authorization: string };
let netbox: FakeNetbox;
let cluster: { id: string; name: string };
let network: string;
let blue: string;
let serial = 0;

async function api<T>(method: string, path: string, body?: object, who = headers) {
  return callJson<T & { errors?: { field: string }[] }>(path, who, { method, body });
}
async function must<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await api<T>(method, path, body, admin);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}
const makeNetwork = async (name: string) =>
  (await must<{ id: string }>('POST', '/networks', { cluster_id: cluster.id, name })).id;
const makeSource = (values: object = {}) =>
  must<NetboxSource>('POST', '/netbox-sources', {
    ...{ name: `netbox ${++serial}`, url: `${netbox.url}/api/`, token: netbox.token },
    networks: [{ network_id: network }, { vrf: 'blue', network_id: blue }],
    ...values,
  });
async function run(source: { id: string }, body: object = {}): Promise<IpamImportDetail> {
  const { import_id } = await must<{ import_id: string }>('POST', `/netbox-sources/${source.id}/import`, body);
  await runAnyImport(import_id, { signal });
  return must('GET', `/ipam/imports/${import_id}`);
}
const apply = (source: { id: string }, { id }: { id: string }, choice: object = {}) =>
  run(source, { preview_id: id, ...choice });
const describeChange = ({ object, action, name, network_name, conflict, fields }: ImportChange) =>
  `${conflict === undefined ? '' : 'conflict '}${action} ${object} ${name} in ${network_name}: ${fields
    .map((one) => `${one.field} ${one.old} → ${one.new}`)
    .join(', ')}`;
const listChanges = ({ changes }: IpamImportDetail) => changes.map(describeChange);

beforeAll(async () => {
  headers = await bearer(await makeUser('network_operator'));
  admin = await bearer(await makeUser('super_admin'));
  netbox = await startNetbox();
});
afterAll(() => netbox.close());
beforeEach(async () => {
  cluster = await makeCluster();
  network = await makeNetwork('servers');
  blue = await makeNetwork('blue');
  Object.assign(netbox, {
    prefixes: [],
    addresses: [],
    requests: [],
    maxPage: 1000,
    intercept: null,
    afterAnswer: null,
  });
  return async () => {
    expect(netbox.problems).toEqual([]);
    await sql`delete from netbox_sources`;
    await sql`delete from clusters`;
    await sql`delete from rate_limits`;
  };
});

describe('an import from NetBox', () => {
  it('lists what it creates, writes exactly that, and finds nothing more to do', async () => {
    netbox.prefixes = [
      makePrefix(3, '10.0.0.0/24', { description: 'Servers', vlan: 12 }),
      makePrefix(5, 'fd00::/64', { status: 'container' }),
      makePrefix(7, '10.0.0.0/24', { vrf: 'blue' }),
    ];
    netbox.addresses = [
      makeAddress(1, '10.0.0.5/24', { dns_name: 'web.example.org', status: 'reserved' }),
      makeAddress(2, 'fd00::5/64', { status: 'slaac' }),
      makeAddress(4, '10.0.0.5/24', { vrf: 'blue' }),
    ];
    const source = await makeSource();
    const before = await readTables();
    const preview = await run(source);
    expect(preview).toMatchObject({ status: 'ok', kind: 'netbox', created: 6, updated: 0, conflicts: 0, rows_bad: 0 });
    const blank = 'dhcp_enabled null → false';
    expect(listChanges(preview)).toEqual([
      `create subnet 10.0.0.0/24 in servers: ${blank}, vlan_tag null → 12, description null → Servers`,
      `create subnet fd00::/64 in servers: ${blank}`,
      `create subnet 10.0.0.0/24 in blue: ${blank}`,
      'create address 10.0.0.5 in servers: state null → reserved, hostname null → web.example.org, source null → manual',
      'create address fd00::5 in servers: state null → active, source null → manual',
      'create address 10.0.0.5 in blue: state null → active, source null → manual',
    ]);
    expect(listDifferences(before, await readTables())).toEqual([]);
    const done = await apply(source, preview);
    expect(done).toMatchObject({ status: 'ok', created: 6, changes: preview.changes });
    const written = ['10.0.0.0/24', '10.0.0.0/24', '10.0.0.5', '10.0.0.5', 'fd00::/64', 'fd00::5'];
    expect(listDifferences(before, await readTables())).toEqual(written);
    expect(await run(source)).toMatchObject({ created: 0, updated: 0, unchanged: 6, conflicts: 0, errors_total: 0 });
  });

  it('changes what it wrote before, and fills what is empty, but lists as conflicts what others set', async () => {
    netbox.prefixes = [makePrefix(1, '10.0.0.0/24', { description: 'a' })];
    netbox.addresses = [5, 6, 7].map((n) => makeAddress(n, `10.0.0.${n}/24`, { description: 'a', dns_name: `h${n}` }));
    const source = await makeSource();
    await apply(source, await run(source));
    const [six] =
      await sql`update ip_addresses set hostname = 'mine', version = 2 where host(address) = '10.0.0.6' returning id`;
    await sql`update ip_addresses set description = '', version = 2 where host(address) = '10.0.0.7'`;
    netbox.prefixes = [makePrefix(1, '10.0.0.0/24', { description: 'b' })];
    netbox.addresses = [5, 6, 7].map((n) =>
      makeAddress(n, `10.0.0.${n}/24`, { description: 'b', dns_name: `new${n}`, status: 'reserved' }),
    );
    const preview = await run(source);
    expect(preview).toMatchObject({ created: 0, updated: 4, conflicts: 1 });
    expect(listChanges(preview)).toEqual([
      'conflict update address 10.0.0.6 in servers: hostname mine → new6',
      'update subnet 10.0.0.0/24 in servers: description a → b',
      'update address 10.0.0.5 in servers: state active → reserved, hostname h5 → new5, description a → b',
      'update address 10.0.0.6 in servers: state active → reserved, description a → b',
      'update address 10.0.0.7 in servers: state active → reserved, hostname h7 → new7, description  → b',
    ]);
    const before = await readTables();
    const done = await apply(source, preview);
    expect(done).toMatchObject({ status: 'ok', updated: 4 });
    expect(listDifferences(before, await readTables())).toEqual(['10.0.0.0/24', '10.0.0.5', '10.0.0.6', '10.0.0.7']);
    expect(await must('GET', `/ip-addresses/${six?.id}`)).toMatchObject({ hostname: 'mine', state: 'reserved' });
    const left = await run(source);
    expect(listChanges(left)).toEqual(['conflict update address 10.0.0.6 in servers: hostname mine → new6']);
    const [line] = left.changes.map((change) => change.line);
    expect(
      await api('POST', `/netbox-sources/${source.id}/import`, { preview_id: left.id, overwrite: [99] }, admin),
    ).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'overwrite' }] },
    });
    expect(await apply(source, left, { overwrite: [line] })).toMatchObject({ status: 'ok', updated: 1 });
    expect(await must('GET', `/ip-addresses/${six?.id}`)).toMatchObject({ hostname: 'new6' });
    expect(await run(source)).toMatchObject({ created: 0, updated: 0, conflicts: 0, unchanged: 4 });
  });

  it('lists overlaps, addresses of other networks, and deleted objects as conflicts', async () => {
    const other = await makeNetwork('other');
    await must('POST', '/subnets', { network_id: other, cidr: '10.1.0.0/16' });
    await must('POST', '/ip-addresses', { network_id: other, address: '10.1.9.9' });
    netbox.prefixes = [
      makePrefix(1, '10.0.0.0/8'),
      makePrefix(2, '10.1.2.0/24'),
      makePrefix(3, '172.16.0.0/24'),
      makePrefix(4, '10.2.0.0/16'),
    ];
    netbox.addresses = [
      makeAddress(1, '10.1.2.3/24'),
      makeAddress(2, '172.16.0.9/24'),
      makeAddress(3, '172.16.0.8/24', { vrf: 'red' }),
    ];
    const source = await makeSource();
    const preview = await run(source);
    expect(preview.changes.map(({ name, conflict }) => [name, conflict])).toEqual([
      ['10.0.0.0/8', 'It overlaps 10.1.0.0/16 of other in the same cluster.'],
      ['10.1.2.0/24', 'It overlaps 10.1.0.0/16 of other in the same cluster.'],
      ['172.16.0.0/24', undefined],
      ['10.2.0.0/16', undefined],
      ['172.16.0.9', undefined],
    ]);
    expect(preview.errors.map(({ line, message }) => [line, message])).toEqual([
      [5, '10.1.2.3 (NetBox ID 1): no imported or stored prefix of the global table contains it.'],
      [7, '172.16.0.8 (NetBox ID 3): the source has no network for VRF red. Add one to the source.'],
    ]);
    // What the preview did not list is not written, although a chosen prefix would now contain it.
    const before = await readTables();
    expect(await apply(source, preview, { overwrite_all: true })).toMatchObject({ status: 'ok', created: 5 });
    const written = ['10.0.0.0/8', '10.1.2.0/24', '10.2.0.0/16', '172.16.0.0/24', '172.16.0.9'];
    expect(listDifferences(before, await readTables())).toEqual(written);
    netbox.addresses = [...netbox.addresses, makeAddress(9, '10.1.9.9/24')];
    await sql`delete from ip_addresses where host(address) = '172.16.0.9'`;
    expect((await run(source)).changes.map(({ name, conflict }) => [name, conflict])).toEqual([
      ['172.16.0.9', 'It was imported before and deleted in Fabric since.'],
      ['10.1.9.9', 'other of the same cluster has this address.'],
      ['10.1.2.3', undefined],
    ]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['Fabric', () => sql`update ip_addresses set description = 'other'`],
    ['NetBox', async () => netbox.addresses.push(makeAddress(9, '10.0.0.9/24'))],
    ['the choice of a person', () => sql`update ip_addresses set hostname = 'mine'`],
  ])('writes nothing if something changed in %s since the preview', async (_, change) => {
    netbox.prefixes = [makePrefix(1, '10.0.0.0/24')];
    netbox.addresses = [makeAddress(1, '10.0.0.1/24', { description: 'old', dns_name: 'old' })];
    const source = await makeSource();
    await apply(source, await run(source));
    netbox.addresses = [makeAddress(1, '10.0.0.1/24', { description: 'new', dns_name: 'new' })];
    const preview = await run(source);
    await change();
    const before = await readTables();
    const late = await apply(source, preview, { overwrite_all: true });
    expect(late).toMatchObject({ status: 'failed', created: 0, updated: 0 });
    expect(late.message).toContain('changed since the check');
    expect(listDifferences(before, await readTables())).toEqual([]);
    const source2 = await must<NetboxSource>('PATCH', `/netbox-sources/${source.id}`, { filter_tag: 'x' });
    expect(await api('POST', `/netbox-sources/${source2.id}/import`, { preview_id: preview.id }, admin)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'preview_id' }] },
    });
  });

  it('keeps what is gone from NetBox, and lists it', async () => {
    netbox.prefixes = [makePrefix(1, '10.0.0.0/24')];
    netbox.addresses = [makeAddress(1, '10.0.0.1/24'), makeAddress(2, '10.0.0.2/24')];
    const source = await makeSource();
    await apply(source, await run(source));
    netbox.addresses = [makeAddress(2, '10.0.0.3/24')];
    const preview = await run(source);
    expect(preview).toMatchObject({ created: 1, rows_bad: 0 });
    expect(preview.errors.map(({ field, message }) => [field, message.slice(0, 60)]).sort()).toEqual([
      ['gone', '10.0.0.1 (NetBox ID 1) is no longer in what is read. It stay'],
      ['gone', '10.0.0.2 (NetBox ID 2) was moved or renamed to 10.0.0.3. It '],
    ]);
    await apply(source, preview);
    const [count] = await sql`select count(*)::int as n from ip_addresses where cluster_id = ${cluster.id}`;
    expect(count?.n).toBe(3);
  });

  it('lists how many stored addresses move into a new prefix', async () => {
    await must('POST', '/subnets', { network_id: network, cidr: '10.0.0.0/8' });
    for (const address of ['10.0.0.1', '10.0.0.2', '10.1.0.1'])
      await must('POST', '/ip-addresses', { network_id: network, address });
    netbox.prefixes = [makePrefix(1, '10.0.0.0/24'), makePrefix(2, '10.2.0.0/24')];
    const source = await makeSource();
    const before = await readTables();
    const preview = await run(source);
    expect(listChanges(preview)).toEqual([
      'create subnet 10.0.0.0/24 in servers: dhcp_enabled null → false, addresses_moved null → 2',
      'create subnet 10.2.0.0/24 in servers: dhcp_enabled null → false',
    ]);
    expect(await apply(source, preview)).toMatchObject({ status: 'ok', changes: preview.changes });
    const moved = ['10.0.0.0/24', '10.0.0.1', '10.0.0.2', '10.2.0.0/24'];
    expect(listDifferences(before, await readTables())).toEqual(moved);
  });

  it('skips objects that it cannot use, with the reason', async () => {
    netbox.prefixes = [
      makePrefix(1, '10.0.0.0/24'),
      makePrefix(2, '10.0.0.7/24'),
      makePrefix(3, 'nonsense'),
      makePrefix(4, '10.9.0.0/24', { status: 'deprecated' }),
    ];
    netbox.addresses = [
      makeAddress(1, '10.0.0.1/24'),
      makeAddress(2, '10.0.0.1/32'),
      makeAddress(3, '10.0.0.2/24', { dns_name: '*.example.org' }),
      makeAddress(4, '10.0.0.3/24', { status: 'deprecated' }),
    ];
    const preview = await run(await makeSource());
    expect(preview).toMatchObject({ status: 'ok', created: 2, rows_bad: 6, rows_total: 8 });
    expect(preview.errors.map(({ line, message }) => [line, message])).toEqual([
      [2, '10.0.0.7/24 (NetBox ID 2): Host bits are set. Enter 10.0.0.0/24.'],
      [3, 'nonsense (NetBox ID 3): Enter a prefix with its length, for example 10.0.0.0/24 or fd00::/64.'],
      [4, '10.9.0.0/24 (NetBox ID 4): the status deprecated is not imported.'],
      [6, 'Line 5 already contains 10.0.0.1 of servers.'],
      [7, '10.0.0.2/24 (NetBox ID 3): Enter a host name, for example db1.example.org.'],
      [8, '10.0.0.3/24 (NetBox ID 4): the status deprecated is not imported.'],
    ]);
  });

  it('adds holders of tagged addresses to groups of their tenant only', async () => {
    const [ours, theirs] = [await makeTenant(), await makeTenant()];
    const guest = await makeWorkload(cluster, await makeProject(ours), { name: 'ours' });
    const foreign = await makeWorkload(cluster, await makeProject(theirs), { name: 'theirs' });
    await must('POST', '/subnets', { network_id: network, cidr: '10.0.0.0/24' });
    for (const [address, workload_id] of [
      ['10.0.0.1', guest.id],
      ['10.0.0.2', foreign.id],
      ['10.0.0.3', guest.id],
    ])
      await must('POST', '/ip-addresses', { network_id: network, address, workload_id });
    const group = await must<{ id: string }>('POST', '/security-groups', { name: 'web', tenant_id: ours.id });
    const groups = [{ tag: 'web', security_group_id: group.id }];
    netbox.addresses = [
      makeAddress(1, '10.0.0.1/24', { tags: ['web'], tenant: 'unknown' }),
      makeAddress(2, '10.0.0.2/24', { tags: ['web'], tenant: 'ours' }),
    ];
    const source = await makeSource({ groups, tenants: [{ slug: 'ours', tenant_id: ours.id }] });
    const preview = await run(source);
    expect(preview).toMatchObject({ created: 0, rows_bad: 0 });
    expect(preview.errors.map(({ message }) => message)).toEqual([
      '10.0.0.1: not added to the group web, because the NetBox tenant Tenant unknown has no match in the source.',
      '10.0.0.2: not added to the group web, because theirs belongs to another tenant or to none.',
    ]);
    netbox.addresses = [...netbox.addresses, makeAddress(3, '10.0.0.3/24', { tags: ['db', 'web'], tenant: 'ours' })];
    const next = await run(source);
    expect(listChanges(next)).toEqual(['create member ours in servers: group null → web, tag null → web']);
    const before = await readTables();
    expect(await apply(source, next)).toMatchObject({ status: 'ok' });
    expect(listDifferences(before, await readTables())).toEqual([`member ${group.id} ${guest.id}`]);
    expect(await run(source)).toMatchObject({ created: 0, changes_total: 0 });
    // Members of groups decide which rules apply: that needs the permission for groups.
    expect(await api('PATCH', `/netbox-sources/${source.id}`, { groups: [] })).toMatchObject({ status: 200 });
    expect(await api('PATCH', `/netbox-sources/${source.id}`, { groups })).toMatchObject({ status: 403 });
  });

  it('adds no former holder of a stale address to a group', async () => {
    const tenant = await makeTenant();
    const guest = await makeWorkload(cluster, await makeProject(tenant), { name: 'former' });
    await must('POST', '/subnets', { network_id: network, cidr: '10.0.0.0/24' });
    await must('POST', '/ip-addresses', { network_id: network, address: '10.0.0.1', workload_id: guest.id });
    const group = await must<{ id: string }>('POST', '/security-groups', { name: 'web', tenant_id: tenant.id });
    netbox.addresses = [makeAddress(1, '10.0.0.1/24', { tags: ['web'] })];
    const source = await makeSource({ groups: [{ tag: 'web', security_group_id: group.id }] });
    const listMembers = async () => listChanges(await run(source)).filter((text) => text.includes('member'));
    expect(await listMembers()).toEqual(['create member former in servers: group null → web, tag null → web']);
    await sql`update ip_addresses set state = 'stale' where network_id = ${network}`;
    expect(await listMembers()).toEqual([]);
  });

  it('reads 10,000 addresses with as many statements as 1,000, and lists every change', async () => {
    netbox.prefixes = [makePrefix(1, '10.0.0.0/8')];
    netbox.addresses = Array.from({ length: 10_000 }, (_, i) => makeAddress(i + 1, `10.1.${i >> 8}.${i & 255}/8`));
    const source = await makeSource();
    const preview = await run(source);
    expect(preview).toMatchObject({ created: 10_001, changes_total: 10_001 });
    expect(preview.changes).toHaveLength(1000);
    const last = await must<{ items: ImportChange[]; total: number }>(
      'GET',
      `/ipam/imports/${preview.id}/changes?offset=9999&limit=500`,
    );
    expect(last).toMatchObject({ total: 10_001, items: [{ name: '10.1.39.14' }, { name: '10.1.39.15' }] });
    expect(netbox.requests.map(({ query }) => query.get('id__gt'))).toHaveLength(11);
    expect(await apply(source, preview)).toMatchObject({ status: 'ok', created: 10_001 });
    const large = await countQueries(() => run(source));
    expect(large.result).toMatchObject({ unchanged: 10_001, changes_total: 0 });
    await sql`delete from ip_addresses where address > '10.1.3.231'`;
    netbox.addresses = netbox.addresses.slice(0, 1000);
    const small = await countQueries(() => run(source));
    // Renewals of the lease come by time.
    expect(Math.abs(large.queries - small.queries)).toBeLessThan(20);
  });

  it('answers 403 to users of a tenant, and never shows the token', async () => {
    const source = await makeSource({ ca_certificates: null });
    expect(JSON.stringify(source)).not.toContain(netbox.token);
    const tenant = await bearer(await makeUser('network_operator', await makeTenant()));
    const preview = await run(source);
    for (const [method, path, body] of [
      ['GET', '/netbox-sources', undefined],
      ['GET', `/netbox-sources/${source.id}`, undefined],
      ['PATCH', `/netbox-sources/${source.id}`, { name: 'x' }],
      ['DELETE', `/netbox-sources/${source.id}`, undefined],
      ['POST', `/netbox-sources/${source.id}/import`, {}],
      ['GET', `/ipam/imports/${preview.id}`, undefined],
      ['GET', `/ipam/imports/${preview.id}/changes`, undefined],
    ] as const)
      expect([method, path, (await api(method, path, body, tenant)).status]).toEqual([method, path, 403]);
    const audits =
      await sql`select before::text || after::text as text from audit_records where object_id = ${source.id}`;
    expect(JSON.stringify(audits)).not.toContain(netbox.token);
    expect(await api('PATCH', `/netbox-sources/${source.id}`, { url: 'http://127.0.0.2:9' }, admin)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'token' }] },
    });
    expect(await api('PATCH', `/netbox-sources/${source.id}`, { url: 'http://169.254.169.254' }, admin)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'url' }] },
    });
    const [row] = await sql`select token_encrypted from netbox_sources where id = ${source.id}`;
    expect(row?.token_encrypted).not.toContain(netbox.token);
  });
});
