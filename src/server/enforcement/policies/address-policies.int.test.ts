import { beforeAll, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { bearer, makeCluster, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';

let headers: Record<string, string>;

beforeAll(async () => {
  const sql = sqlClient();
  await sql`insert into system_settings (key, value) values ('instance', '{"id":"inst1"}') on conflict do nothing`;
  headers = await bearer(await makeUser('admin'));
});

async function sendRequest<T>(path: string, body?: unknown, as = headers): Promise<T> {
  const response = await call(path, { headers: as, ...(body === undefined ? {} : { body }) });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as T;
}
type Made = { id: string; name: string; cluster_id: string };
const clusterName = async (id: string) =>
  String((await sqlClient()`select name from clusters where id = ${id}`)[0]?.name);
type Listed = { policies: { policy_id: string; name: string; touches: object[] }[]; hidden: number };

async function makePolicy(name: string, sources: string[], targets: string[], rest: object = {}): Promise<Made> {
  return sendRequest('/policies', { name, definition: { sources, targets }, rules: [{ action: 'accept' }], ...rest });
}

/** The policies of these names among those that touch an address, in the order of the answer. */
async function touching(address: Made, names: readonly string[], as = headers) {
  const { policies } = await sendRequest<Listed>(`/ip-addresses/${address.id}/policies`, undefined, as);
  return policies.filter(({ name }) => names.includes(name)).map(({ name, touches }) => ({ name, touches }));
}

it('lists policies that name the workload, its address, a network around it, or any, and no others', async () => {
  const workload = await makeWorkload(await makeCluster(), undefined, { name: 'touched-web', tags: ['touched'] });
  const network = await sendRequest<Made>('/networks', { cluster_id: workload.cluster_id, name: 'touched-net' });
  await sendRequest('/subnets', { network_id: network.id, cidr: '10.99.0.0/24' });
  const held = { network_id: network.id, address: '10.99.0.7', workload_id: workload.id };
  const address = await sendRequest<Made>('/ip-addresses', held);
  await makePolicy('t any', ['any'], ['10.98.0.0/16']);
  await makePolicy('t cidr', ['10.99.0.0/29'], ['10.98.0.0/16']);
  const qualified = `network:${await clusterName(workload.cluster_id)}/touched-net`;
  await makePolicy('t network', ['10.98.0.1'], ['network:touched-net']);
  await makePolicy('t qualified', [qualified], ['10.98.0.1']);
  // The same name in another cluster: the bare one means neither from here on.
  const other = await sendRequest<Made>('/networks', { cluster_id: (await makeCluster()).id, name: 'other-net' });
  await makePolicy('t elsewhere', [`network:${await clusterName(other.cluster_id)}/touched-net`], ['10.98.0.1']);
  await makePolicy('t tag', ['10.98.0.1'], ['tag:touched', 'tag:no-such'], { enabled: false });
  await makePolicy('t beside', ['10.99.0.8/29'], ['vmid:999999']);
  const names = ['t any', 't cidr', 't network', 't qualified', 't elsewhere', 't tag', 't beside'];
  expect(await touching(address, names)).toEqual([
    { name: 't cidr', touches: [{ side: 'source', endpoint: '10.99.0.0/29', by: 'address' }] },
    { name: 't network', touches: [{ side: 'target', endpoint: 'network:touched-net', by: 'address' }] },
    { name: 't qualified', touches: [{ side: 'source', endpoint: qualified, by: 'address' }] },
    { name: 't tag', touches: [{ side: 'target', endpoint: 'tag:touched', by: 'workload' }] },
    { name: 't any', touches: [{ side: 'source', endpoint: 'any', by: 'any' }] },
  ]);
  await sendRequest('/networks', { cluster_id: other.cluster_id, name: 'touched-net' });
  const left = (await touching(address, names)).map(({ name }) => name);
  expect(left).toEqual(['t cidr', 't qualified', 't tag', 't any']);
  const { items } = await sendRequest<{ items: { endpoint: string }[] }>('/policy-endpoints?q=network:touched');
  expect(items.map(({ endpoint }) => endpoint).sort()).toEqual(
    [qualified, `network:${await clusterName(other.cluster_id)}/touched-net`].sort(),
  );
  const resolved = await sendRequest<{ endpoints: object[] }>('/policy-endpoints/resolve', {
    endpoints: ['network:touched-net', qualified],
  });
  expect(resolved.endpoints).toMatchObject([
    { peer_reason: 'ambiguous', cidrs_total: 0 },
    { canonical: qualified, peer_reason: null, cidrs: ['10.99.0.0/24'] },
  ]);
});

it("tells a tenant of its own policies only, how many the platform has, and nothing of other tenants'", async () => {
  const { cluster, ours, theirs } = await makeTwoTenants('security_engineer');
  const network = await sendRequest<Made>('/networks', { cluster_id: cluster.id, name: 'shared' });
  await sendRequest('/subnets', { network_id: network.id, cidr: '10.97.0.0/24' });
  const held = { network_id: network.id, address: '10.97.0.7', workload_id: ours.workload.id };
  const address = await sendRequest<Made>('/ip-addresses', held);
  const make = (name: string, tenant_id: string | null) =>
    makePolicy(name, ['10.97.0.0/24'], ['10.97.0.0/24'], { tenant_id });
  const seen = () => sendRequest<Listed>(`/ip-addresses/${address.id}/policies`, undefined, ours.headers);
  await make('mine', ours.tenant.id);
  const { policies, hidden } = await seen();
  expect(policies.map(({ name }) => name)).toEqual(['mine']);
  await make('not mine', theirs.tenant.id);
  expect(await seen()).toMatchObject({ policies: [{ name: 'mine' }], hidden });
  await make('of all', null);
  expect(await seen()).toMatchObject({ policies: [{ name: 'mine' }], hidden: hidden + 1 });
  expect((await call(`/ip-addresses/${address.id}/policies`, { headers: theirs.headers })).status).toBe(404);
});
