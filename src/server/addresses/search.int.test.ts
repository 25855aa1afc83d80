import { beforeAll, expect, it } from 'vitest';
import type { IpamSearchResult } from '@/domain/ipam/search';
import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { bearer, makeTwoTenants, makeUser } from '@/test/factories';
import { call } from '@/test/request';

const ADDRESS = '10.77.0.5';
const MAC = 'bc:24:11:77:00:05';
const sql = sqlClient();
type Headers = Record<string, string>;
let tenants: Awaited<ReturnType<typeof makeTwoTenants>>;
let admin: Headers;
let ours: Headers;
let theirs: Headers;
let policy: string;

const search = async (headers: Headers, q: string): Promise<IpamSearchResult> => {
  const answer = await call(`/ipam/search?q=${encodeURIComponent(q)}`, { headers });
  expect(answer.status).toBe(200);
  return (await answer.json()) as IpamSearchResult;
};
/** What an answer says, by the names of workloads. */
const summarize = ({ addresses, interfaces, holders, sightings, conflicts, policies }: IpamSearchResult) => ({
  addresses: addresses.map(({ address, workload }) => `${address} ${workload?.name}`),
  interfaces: interfaces.map(({ name, mac, workload_name }) => `${workload_name} ${name} ${mac.toLowerCase()}`),
  holders: holders.map(({ workload_name, until_at }) => `${workload_name}${until_at === null ? '' : ' before'}`),
  sightings: sightings.map(
    ({ workload_name, source, ended_at }) => `${workload_name} ${source}${ended_at ? ' before' : ''}`,
  ),
  conflicts: conflicts.map(({ kind, workload, other_workload }) => `${kind} ${workload?.name} ${other_workload?.name}`),
  policies: policies?.map(({ name, by }) => `${name} by ${by}`) ?? null,
});

// The address moved from their workload to our workload, and theirs still sends from it.
beforeAll(async () => {
  tenants = await makeTwoTenants('admin');
  const { cluster } = tenants;
  admin = await bearer(await makeUser('admin'));
  ours = await bearer(tenants.ours.user);
  theirs = await bearer(tenants.theirs.user);
  const make = async (path: string, body: object) => {
    const answer = await call(path, { method: 'POST', headers: admin, body });
    if (answer.status !== 201) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const network = await make('/networks', { cluster_id: cluster.id, name: 'searched' });
  await make('/subnets', { network_id: network.id, cidr: '10.77.0.0/24' });
  const [our, their] = [tenants.ours.workload.id, tenants.theirs.workload.id];
  await sql`insert into workload_interfaces (id, workload_id, name, mac, network_id, firewall, raw)
    values (${newId()}, ${our}, 'net0', ${MAC}, ${network.id}, true, ''), (${newId()}, ${their}, 'net0', 'bc:24:11:77:00:06', ${network.id}, true, '')`;
  const address = await make('/ip-addresses', {
    network_id: network.id,
    address: ADDRESS,
    mac: MAC,
    workload_id: their,
  });
  await sql`update ip_addresses set workload_id = ${our} where id = ${address.id}`;
  const see = (workload: string, mac: string, source: string, ended: boolean) => sql`
    insert into address_sightings (id, cluster_id, workload_id, nic, network_id, address, mac, source, first_seen_at, last_seen_at, ended_at)
    values (${newId()}, ${cluster.id}, ${workload}, 'net0', ${network.id}, ${ADDRESS}, ${mac}, ${source}, now() - interval '2 hours',
      now() - interval '1 minute', ${ended ? sql`now() - interval '1 minute'` : null})`;
  await see(our, MAC, 'config', false);
  await see(our, MAC, 'agent', false);
  await see(their, 'bc:24:11:77:00:06', 'agent', true);
  await see(their, 'bc:24:11:77:00:06', 'traffic', false);
  await sql`insert into ipam_conflicts (id, cluster_id, kind, key, ip_address_id, network_id, address, workload_id, other_workload_id, reason)
    values (${newId()}, ${cluster.id}, 'spoofed_address', 'key', ${address.id}, ${network.id}, ${ADDRESS}, ${our}, ${their}, 'held')`;
  ({ id: policy } = await make('/policies', {
    name: 'To the searched address',
    definition: { enforcement_mode: 'audit', sources: ['any'], targets: [ADDRESS] },
  }));
});

it('answers for an address who has it and had it, by which source, what contradicts, and which policies', async () => {
  const { ours: our, theirs: their } = tenants;
  const [mine, other] = [our.workload.name, their.workload.name];
  const found = await search(admin, ADDRESS);
  expect(summarize(found)).toEqual({
    addresses: [`${ADDRESS} ${mine}`],
    interfaces: [],
    holders: [mine, `${other} before`],
    sightings: expect.arrayContaining([`${mine} config`, `${mine} agent`, `${other} traffic`, `${other} agent before`]),
    conflicts: [`spoofed_address ${mine} ${other}`],
    policies: ['To the searched address by address'],
  });
  expect(found.sightings).toHaveLength(4);
  expect(found.sightings.at(-1)?.ended_at).not.toBeNull();
  expect(found).toMatchObject({ policies: [{ policy_id: policy }], policies_total: 1 });
});

it('lists no more than 200 policies, and counts all of them', async () => {
  const definition = JSON.stringify({ enforcement_mode: 'audit', direction: 'in', sources: ['any'], targets: ['any'] });
  await sql`insert into policies (id, name, tier, definition)
    select gen_random_uuid(), 'Any ' || i, 'platform_first', ${definition}::text::jsonb from generate_series(1, 250) as i`;
  const { policies, policies_total } = await search(admin, ADDRESS);
  expect([policies?.length, policies_total, policies?.[0]?.policy_id]).toEqual([200, 251, policy]);
  await sql`delete from policies where name like 'Any %'`;
});

it('answers for a MAC address, a prefix and a name', async () => {
  const mine = tenants.ours.workload.name;
  expect(summarize(await search(admin, MAC.replaceAll(':', '-')))).toMatchObject({
    addresses: [`${ADDRESS} ${mine}`],
    interfaces: [`${mine} net0 ${MAC}`],
    sightings: expect.arrayContaining([`${mine} config`, `${mine} agent`]),
  });
  expect((await search(admin, '10.77.0.0/24')).sightings).toHaveLength(4);
  const byName = await search(admin, mine);
  expect(new Set(byName.sightings.map(({ workload_name }) => workload_name))).toEqual(new Set([mine]));
});

it('shows each tenant its own side, and no policy of the installation', async () => {
  const [mine, other] = [tenants.ours.workload.name, tenants.theirs.workload.name];
  const our = summarize(await search(ours, ADDRESS));
  expect(our).toMatchObject({ holders: [mine], conflicts: [`spoofed_address ${mine} undefined`], policies: [] });
  expect(our.sightings.every((line) => line.startsWith(`${mine} `))).toBe(true);
  const their = summarize(await search(theirs, ADDRESS));
  expect(their).toMatchObject({ addresses: [], holders: [`${other} before`], policies: [] });
  expect(their.sightings.every((line) => line.startsWith(`${other} `))).toBe(true);
});

it('finds the longest prefix that is visible, whatever others have in it', async () => {
  const make = async (path: string, body: object) => {
    const answer = await call(path, { method: 'POST', headers: admin, body });
    if (answer.status !== 201) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const network = await make('/networks', { cluster_id: tenants.cluster.id, name: 'nested' });
  const hold = (address: string, { workload }: { workload: { id: string } }) =>
    make('/ip-addresses', { network_id: network.id, address, workload_id: workload.id });
  const wide = await make('/subnets', { network_id: network.id, cidr: '10.1.0.0/16' });
  await hold('10.1.2.3', tenants.ours);
  const find = (headers: Headers) =>
    Promise.all(
      ['10.1.9.77', '10.1.9.5', '10.1.2.3', '10.2.0.1'].map(async (address) => {
        const { subnets } = await search(headers, address);
        const answer = await call(`/search?q=${address}`, { headers });
        const { items } = (await answer.json()) as { items: { kind: string; id: string }[] };
        return [subnets.map(({ id }) => id), items.filter(({ kind }) => kind === 'subnet').map(({ id }) => id)];
      }),
    );
  const before = await find(ours);
  expect(before).toEqual([...Array.from({ length: 3 }, () => [[wide.id], [wide.id]]), [[], []]]);
  const narrow = await make('/subnets', { network_id: network.id, cidr: '10.1.9.0/24' });
  await hold('10.1.9.5', tenants.theirs);
  expect(await find(ours)).toEqual(before);
  const own = [[narrow.id], [narrow.id]];
  expect(await find(theirs)).toEqual([own, own, ...Array.from({ length: 2 }, () => [[], []])]);
  expect((await find(admin)).slice(0, 3)).toEqual([own, own, [[wide.id], [wide.id]]]);
});
