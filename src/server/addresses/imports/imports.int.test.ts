import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sqlClient } from '@/server/db/client';
import * as jobs from '@/server/jobs/enqueue';
import { bundled } from '@/test/bundle';
import { bearer, makeCluster, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { runImport } from './run-import';

vi.spyOn(jobs, 'enqueue').mockResolvedValue();

const program = bundled('src/server/addresses/imports/killed-import.fixture.ts');
const signal = new AbortController().signal;
let headers: Record<string, string>;
let cluster: { id: string; name: string };

async function send(method: string, path: string, body?: unknown) {
  const response = await call(path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}
async function request(content: string, options: object = {}): Promise<string> {
  const { status, json } = await send('POST', '/ipam/imports', { kind: 'addresses', content, ...options });
  expect(status, JSON.stringify(json)).toBe(202);
  return json.import_id;
}
async function importCsv(content: string, options: object = {}) {
  const id = await request(content, options);
  await runImport(id, { signal });
  return (await send('GET', `/ipam/imports/${id}`)).json;
}
const listStored = async () =>
  (await sqlClient()`select host(address) as address, state, hostname, description, mac from ip_addresses
    where cluster_id = ${cluster.id} order by address`) as unknown as Record<string, unknown>[];

beforeAll(async () => {
  headers = await bearer(await makeUser('network_operator'));
});
beforeEach(async () => {
  cluster = await makeCluster();
  const network = (await send('POST', '/networks', { cluster_id: cluster.id, name: 'servers' })).json;
  await send('POST', '/subnets', { network_id: network.id, cidr: '10.0.0.0/8' });
});

describe('an import of addresses', () => {
  it('takes rows over, in any order of columns, and the same file again changes nothing', async () => {
    const workload = await makeWorkload(cluster, null, { name: 'db1' });
    const csv = [
      '\uFEFFaddress,cluster,network,state,hostname,mac,description,workload,source',
      `10.0.0.1,${cluster.name},servers,reserved,fw.example.org,BC-24-11-00-00-01,"rack 4, left",,x`,
      `10.0.0.2,${cluster.name},,,,,"two\nlines",db1,`,
      `fd00::1,${cluster.name},,,,,,,`,
    ].join('\r\n');
    await send('POST', '/subnets', {
      network_id: (await send('GET', `/networks?cluster_id=${cluster.id}`)).json.items[0].id,
      cidr: 'fd00::/64',
    });
    expect(await importCsv(csv)).toMatchObject({ status: 'ok', rows_total: 3, created: 3, rows_bad: 0 });
    expect(await listStored()).toMatchObject([
      {
        address: '10.0.0.1',
        state: 'reserved',
        hostname: 'fw.example.org',
        description: 'rack 4, left',
        mac: 'bc:24:11:00:00:01',
      },
      { address: '10.0.0.2', state: 'active', description: 'two\nlines' },
      { address: 'fd00::1' },
    ]);
    const [row] =
      await sqlClient()`select workload_id from ip_addresses where host(address) = '10.0.0.2' and cluster_id = ${cluster.id}`;
    expect(row?.workload_id).toBe(workload.id);
    expect(await importCsv(csv)).toMatchObject({ status: 'ok', created: 0, updated: 0, unchanged: 3 });
    const changed = csv.replace('rack 4, left', 'rack 5');
    expect(await importCsv(changed)).toMatchObject({ status: 'ok', updated: 1, unchanged: 2 });
  });

  it('names each bad row by line and field; atomic writes nothing, skip_bad the rest', async () => {
    const line = (i: number) => `${cluster.name},10.${i >> 16}.${(i >> 8) & 255}.${i & 255},reserved`;
    const rows = Array.from({ length: 3000 }, (_, i) => line(i + 1));
    rows[99] = `${cluster.name},10.0.0.999,reserved`;
    rows[199] = `${cluster.name},192.168.0.1,reserved`;
    rows[299] = `${cluster.name},10.0.1.44,broken`;
    rows[399] = 'nowhere,10.0.1.145,reserved';
    rows[499] = rows[0] ?? '';
    rows[599] = ',,';
    const csv = ['cluster,address,state', ...rows].join('\n');
    const expected = [
      [101, 'address'],
      [201, 'address'],
      [301, 'state'],
      [401, 'cluster'],
      [501, 'address'],
      [601, 'address'],
    ];
    const atomic = await importCsv(csv);
    expect(atomic).toMatchObject({
      status: 'failed',
      rows_total: 3000,
      rows_bad: 6,
      created: 0,
      message: expect.stringMatching(/^6 rows/),
    });
    expect(atomic.errors.map((error: { line: number; field: string }) => [error.line, error.field])).toEqual(expected);
    expect(await listStored()).toEqual([]);
    const outcomes = async (id: string) =>
      (await sqlClient()`select action from audit_records where object_id = ${id} order by seq`).map(
        (row) => row.action,
      );
    const checked = await importCsv(csv, { mode: 'skip_bad', dry_run: true });
    expect(checked).toMatchObject({ status: 'ok', created: 2994, changes_total: 2994 });
    const last = await send('GET', `/ipam/imports/${checked.id}/changes?offset=2000&limit=1000`);
    expect(last.json.items).toHaveLength(994);
    expect(await outcomes(checked.id)).toEqual(['ipam.import_requested', 'ipam.import_checked']);
    const refused = await importCsv(csv, { dry_run: true });
    expect(await outcomes(refused.id)).toEqual(['ipam.import_requested', 'ipam.import_check_failed']);
    expect(await listStored()).toEqual([]);
    expect(await importCsv(csv, { mode: 'skip_bad' })).toMatchObject({ status: 'ok', created: 2994, rows_bad: 6 });
    expect(await listStored()).toHaveLength(2994);
  });

  it('stays all or nothing when its worker is killed half way and another one takes over', async () => {
    const rows = Array.from({ length: 2500 }, (_, i) => `${cluster.name},10.9.${i >> 8}.${i & 255}`);
    const id = await request(['cluster,address', ...rows].join('\n'));
    const child = spawn(process.execPath, [program(), id], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const half = (await send('GET', `/ipam/imports/${id}`)).json;
    expect(half).toMatchObject({ status: 'running', stage: 'writing', progress_done: 1000, progress_total: 2500 });
    // A living worker keeps it.
    await runImport(id, { signal });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await listStored()).toEqual([]);
    await sqlClient()`update ipam_imports set lease_at = now() - interval '1 minute' where id = ${id}`;
    await runImport(id, { signal });
    expect((await send('GET', `/ipam/imports/${id}`)).json).toMatchObject({ status: 'ok', created: 2500 });
    expect(await listStored()).toHaveLength(2500);
    const audits = await sqlClient()`select action, actor_kind from audit_records where object_id = ${id} order by seq`;
    expect(audits).toMatchObject([
      { action: 'ipam.import_requested' },
      { action: 'ipam.imported', actor_kind: 'user' },
    ]);
  });

  it('refuses files that are none', async () => {
    expect(await importCsv('name,value\n1,2')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('Unknown column name'),
    });
    expect(await importCsv('cluster,network\na,b\n')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('missing the column address'),
    });
    expect(await importCsv('cluster,address\n"a,10.0.0.1\n')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('line 2'),
    });
    expect(await importCsv('cluster,address\n')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('no rows'),
    });
  });

  it('refuses columns that it does not know, and names the ones it knows with the nearest', async () => {
    const bad = await importCsv(`cluster,address,hostnam,rack\n${cluster.name},10.0.0.1,web,4\n`, { mode: 'skip_bad' });
    expect(bad).toMatchObject({ status: 'failed', created: 0, rows_bad: 0 });
    expect(bad.errors).toMatchObject([
      { line: 1, field: 'hostnam', message: expect.stringContaining('Did you mean hostname?') },
      { line: 1, field: 'rack', message: expect.stringContaining('Known columns: address, cluster, network') },
    ]);
    expect(bad.message).toContain('hostnam');
    expect(await listStored()).toEqual([]);
    const nameless = await importCsv(`cluster,address,\n${cluster.name},10.0.0.1,lost\n`);
    expect(nameless).toMatchObject({ status: 'failed', message: expect.stringContaining('Column 3 has values') });
    expect(await importCsv(`cluster,address,\n${cluster.name},10.0.0.1,\n`)).toMatchObject({
      status: 'ok',
      created: 1,
    });
  });

  it('lists every change with old and new values before it writes', async () => {
    await makeWorkload(cluster, null, { name: 'db1', external_id: 'qemu/4711' });
    await importCsv(
      `cluster,address,state,hostname,description\n${cluster.name},10.0.0.1,reserved,old.example,keep\n${cluster.name},10.0.0.2,reserved,,\n`,
    );
    const csv = [
      'cluster,address,state,hostname,workload',
      `${cluster.name},10.0.0.1,reserved,new.example,`,
      `${cluster.name},10.0.0.2,reserved,,`,
      `${cluster.name},10.0.0.3,,,db1`,
      `${cluster.name},10.0.0.999,,,`,
    ].join('\n');
    const check = await importCsv(csv, { mode: 'skip_bad', dry_run: true });
    expect(check).toMatchObject({ created: 1, updated: 1, unchanged: 1, rows_bad: 1, changes_total: 2 });
    const place = { cluster_name: cluster.name, network_name: 'servers' };
    expect(check.changes).toEqual([
      {
        line: 2,
        action: 'update',
        name: '10.0.0.1',
        ...place,
        fields: [{ field: 'hostname', old: 'old.example', new: 'new.example' }],
      },
      {
        line: 4,
        action: 'create',
        name: '10.0.0.3',
        ...place,
        fields: [
          { field: 'state', old: null, new: 'active' },
          { field: 'workload', old: null, new: 'qemu/4711 (db1)' },
          { field: 'source', old: null, new: 'manual' },
        ],
      },
    ]);
    const done = await importCsv(csv, { mode: 'skip_bad', preview_id: check.id });
    expect(done).toMatchObject({ status: 'ok', created: 1, updated: 1, unchanged: 1, preview_id: check.id });
    expect(done.changes).toEqual(check.changes);
  });

  it.each<[string, (network: string) => Promise<unknown>]>([
    [
      'an address was changed',
      () => sqlClient()`update ip_addresses set hostname = 'other' where cluster_id = ${cluster.id}`,
    ],
    ['an address was deleted', () => sqlClient()`delete from ip_addresses where cluster_id = ${cluster.id}`],
    ['an address was added', (network_id) => send('POST', '/ip-addresses', { network_id, address: '10.0.0.2' })],
    ['a row became valid', (network_id) => send('POST', '/subnets', { network_id, cidr: '192.168.0.0/24' })],
  ])('writes nothing and says so when, since its check, %s', async (_what, change) => {
    await importCsv(`cluster,address,hostname\n${cluster.name},10.0.0.1,old\n`);
    const rows = ['10.0.0.1,new', '10.0.0.2,second', '192.168.0.1,outside'].map((row) => `${cluster.name},${row}`);
    const csv = ['cluster,address,hostname', ...rows].join('\n');
    const check = await importCsv(csv, { mode: 'skip_bad', dry_run: true });
    expect(check).toMatchObject({ status: 'ok', rows_bad: 1 });
    const [network] = await sqlClient()`select id from networks where cluster_id = ${cluster.id}`;
    await change(network?.id);
    const before = await listStored();
    const late = await importCsv(csv, { mode: 'skip_bad', preview_id: check.id });
    expect(late).toMatchObject({
      status: 'failed',
      created: 0,
      updated: 0,
      message: expect.stringContaining('changed since the check'),
    });
    expect(await listStored()).toEqual(before);
    const again = await importCsv(csv, { mode: 'skip_bad', dry_run: true });
    expect(await importCsv(csv, { mode: 'skip_bad', preview_id: again.id })).toMatchObject({ status: 'ok' });
  });

  it('accepts as a check only a finished one of the same file', async () => {
    const csv = `cluster,address\n${cluster.name},10.0.0.1\n`;
    const check = await importCsv(csv, { dry_run: true });
    const written = await importCsv(`cluster,address\n${cluster.name},10.0.0.2\n`);
    const pending = await request(csv, { dry_run: true });
    const refused = async (content: string, options: object) => {
      const { status, json } = await send('POST', '/ipam/imports', { kind: 'addresses', content, ...options });
      return [status, json.errors?.[0]?.field];
    };
    expect(await refused(`${csv}\n`, { preview_id: check.id })).toEqual([422, 'preview_id']);
    expect(await refused(csv, { preview_id: written.id })).toEqual([422, 'preview_id']);
    expect(await refused(csv, { preview_id: pending })).toEqual([422, 'preview_id']);
    expect(await refused(csv, { preview_id: randomUUID() })).toEqual([422, 'preview_id']);
    expect(await refused(csv, { preview_id: check.id, dry_run: true })).toEqual([422, 'preview_id']);
  });

  it('needs a cluster only for rows that fit several, and names those', async () => {
    const other = await makeCluster();
    const network = (await send('POST', '/networks', { cluster_id: other.id, name: 'servers' })).json;
    const storage = (await send('POST', '/networks', { cluster_id: other.id, name: 'storage' })).json;
    const mine = '172.16.9';
    await send('POST', '/subnets', { network_id: network.id, cidr: `${mine}.0/24` });
    expect(await importCsv(`address\n${mine}.5\n`)).toMatchObject({ status: 'ok', created: 1 });
    expect((await importCsv(`address,hostname\n${mine}.5,x\n`, { dry_run: true })).changes).toMatchObject([
      { cluster_name: other.name, network_name: 'servers' },
    ]);
    // The same prefix in both clusters, and in two networks of one.
    const [own] = await sqlClient()`select id from networks where cluster_id = ${cluster.id}`;
    await send('POST', '/subnets', { network_id: own?.id, cidr: `${mine}.0/24` });
    await send('POST', '/subnets', { network_id: storage.id, cidr: `${mine}.0/24` });
    const several = await importCsv(`address,network\n${mine}.6,servers\n`);
    const names = [cluster.name, other.name].sort().join(', ');
    expect(several.errors).toMatchObject([{ line: 2, field: 'cluster', message: expect.stringContaining(names) }]);
    expect(await importCsv(`address,network\n${mine}.6,storage\n`)).toMatchObject({ status: 'ok', created: 1 });
    const ambiguous = await importCsv(`cluster,address\n${other.name},${mine}.7\n`);
    expect(ambiguous.errors).toMatchObject([
      { field: 'network', message: expect.stringContaining('servers, storage') },
    ]);
    expect((await importCsv('address\n203.0.113.1\n')).errors).toMatchObject([{ line: 2, field: 'address' }]);
    // Prefixes: the network decides.
    expect(await importCsv(`network,cidr\nstorage,${mine}.128/25\n`, { kind: 'subnets' })).toMatchObject({
      created: 1,
    });
    expect((await importCsv(`network,cidr\nservers,${mine}.0/25\n`, { kind: 'subnets' })).errors).toMatchObject([
      { line: 2, field: 'cluster', message: expect.stringContaining('several clusters') },
    ]);
  });

  it('takes what the export gives', async () => {
    await importCsv(`cluster,address,description,state\n${cluster.name},10.0.0.7,=1+1,reserved\n`);
    const response = await call(`/ip-addresses?format=csv&cluster_id=${cluster.id}`, { headers });
    const text = await response.text();
    expect(text).toContain("'=1+1");
    expect(await importCsv(text)).toMatchObject({ status: 'ok', created: 0, updated: 0, unchanged: 1 });
  });

  it('takes what the export gives of every state and text, without a change', async () => {
    const texts = ["'=1+1", 'Contact: a; +49 30 1234', 'todo:\n- item 1', "it's; 'quoted'"];
    const rows = texts.map((text, i) => `${cluster.name},10.0.1.${i},"${text}"`);
    await importCsv(`cluster,address,description\n${rows.join('\n')}\n`);
    // As a person writes them: an apostrophe in front of a formula is taken for that of an export.
    const stored = (await listStored()).map(({ description }) => description);
    await sqlClient()`update ip_addresses set state = case host(address) when '10.0.1.0' then 'conflict' else 'stale' end
      where cluster_id = ${cluster.id} and host(address) in ('10.0.1.0', '10.0.1.1')`;
    await sqlClient()`update ip_addresses set description = ${"'=1+1"} where cluster_id = ${cluster.id} and host(address) = '10.0.1.2'`;
    const file = await (await call(`/ip-addresses?format=csv&cluster_id=${cluster.id}`, { headers })).text();
    expect(await importCsv(file)).toMatchObject({ status: 'ok', created: 0, updated: 0, unchanged: 4 });
    expect((await listStored()).map(({ description }) => description)).toEqual([
      stored[0],
      stored[1],
      "'=1+1",
      stored[3],
    ]);
    expect(await importCsv(file.replace(',conflict,', ',stale,'))).toMatchObject({
      status: 'failed',
      errors: [{ field: 'state', message: expect.stringContaining('One of active, reserved, dhcp.') }],
    });
  });
});

describe('an import of a stale address', () => {
  it('makes it active when it gets another workload, like a change of the address does', async () => {
    const [former, next] = [await makeWorkload(cluster, null), await makeWorkload(cluster, null)];
    const ends = ['1', '2', '3'].map((end) => `10.0.2.${end}`);
    await importCsv(
      `cluster,address,workload\n${ends.map((end) => `${cluster.name},${end},${former.external_id}`).join('\n')}\n`,
    );
    await sqlClient()`update ip_addresses set state = 'stale', source = 'agent' where cluster_id = ${cluster.id}`;
    const file = await (await call(`/ip-addresses?format=csv&cluster_id=${cluster.id}`, { headers })).text();
    expect(await importCsv(file)).toMatchObject({ status: 'ok', unchanged: 3 });
    const [, second] = (await send('GET', `/ip-addresses?cluster_id=${cluster.id}&sort=address`)).json.items;
    await send('PATCH', `/ip-addresses/${second.id}`, { workload_id: next.id, version: second.version });
    expect(await importCsv(`cluster,address,workload\n${cluster.name},10.0.2.1,${next.external_id}\n`)).toMatchObject({
      status: 'ok',
      updated: 1,
    });
    // The file of an export, with another workload for one address.
    const edited = file
      .split('\n')
      .filter((line) => !/10\.0\.2\.[12],/.test(line))
      .map((line) => line.replace(former.external_id, next.external_id));
    expect(await importCsv(edited.join('\n'))).toMatchObject({ status: 'ok', updated: 1 });
    expect((await listStored()).map(({ address, state }) => `${address} ${state}`)).toEqual(
      ends.map((end) => `${end} active`),
    );
    const holders = await sqlClient()`select host(address) as address from ip_address_history
      where workload_id = ${next.id} and until_at is null order by address`;
    expect(holders.map(({ address }) => address)).toEqual(ends);
  });
});

describe('an import of subnets', () => {
  it('makes and changes prefixes, and gives addresses their place', async () => {
    await importCsv(`cluster,address\n${cluster.name},10.1.2.3\n`);
    const csv = [
      'cluster,network,cidr,gateway,dns_servers,dhcp_enabled,vlan_tag,description',
      `${cluster.name},servers,10.1.2.0/24,10.1.2.1,10.1.0.53 10.1.0.54,yes,12,web`,
      `${cluster.name},servers,10.0.0.0/8,,,,,everything`,
    ].join('\n');
    expect(await importCsv(csv, { kind: 'subnets' })).toMatchObject({ status: 'ok', created: 1, updated: 1 });
    const { json } = await send('GET', `/subnets?cluster_id=${cluster.id}`);
    expect(json.items).toMatchObject([
      { cidr: '10.0.0.0/8', description: 'everything', version: 2, usage: { used: 1 } },
      {
        cidr: '10.1.2.0/24',
        gateway: '10.1.2.1',
        dns_servers: ['10.1.0.53', '10.1.0.54'],
        dhcp_enabled: true,
        vlan_tag: 12,
        usage: { used: 1 },
      },
    ]);
    const bad = await importCsv(
      `cluster,network,cidr,gateway,vlan_tag\n${cluster.name},servers,10.7.0.0/24,10.8.0.1,9999\n${cluster.name},nowhere,10.7.0.1/24,,\n`,
      { kind: 'subnets' },
    );
    expect(bad.errors.map((error: { line: number; field: string }) => [error.line, error.field])).toEqual(
      expect.arrayContaining([
        [2, 'vlan_tag'],
        [3, 'cidr'],
      ]),
    );
    const response = await call(`/subnets?format=csv&cluster_id=${cluster.id}`, { headers });
    expect(await importCsv(await response.text(), { kind: 'subnets' })).toMatchObject({ status: 'ok', unchanged: 2 });
  });
});
