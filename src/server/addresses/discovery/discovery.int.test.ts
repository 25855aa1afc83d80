import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import * as ipamSpace from '../queries/ipam-space';
import * as sightings from '../queries/sightings';
import { createAgentAnswer, createDockerInterface, type DiscoveryLab, makeDiscoveryLab } from './discovery.fixture';
import { scheduleDiscovery } from './request-discovery';
import { runDiscovery } from './run-discovery';

let fixture: DiscoveryLab;
let serial = 0;

/** The small lab with its inventory synced. Its seconds last 5 ms, so that dead agents cost little. */
async function lab(): Promise<DiscoveryLab> {
  fixture = await makeDiscoveryLab({ scenario: smallLab, timeScale: 200 }, `lab ${++serial}`);
  expect((await fixture.sync()).status).toBe('ok');
  return fixture;
}
afterEach(async () => {
  await fixture.sql`delete from clusters`;
  await fixture.close();
});

describe('a discovery', () => {
  it('finds the addresses of all sources by MAC, in the longest prefix, and nothing of containers', async () => {
    const { discover, lines, addresses, sql, cluster } = await lab();
    const run = await discover();
    expect(run).toMatchObject({ status: 'ok', errors: [{ code: 'agent_unavailable', object: 'qemu/105' }] });
    expect(run.errors[0]?.remedy).toMatch(/qemu-guest-agent/);
    expect(await lines()).toEqual([
      '10.20.20.11 100 active agent',
      '10.20.20.12 101 active agent',
      '10.20.20.25 105 active cloudinit',
      '10.20.21.11 102 active agent',
      '10.20.21.20 110 active agent',
      '10.20.22.53 200 active agent',
      '10.20.22.54 201 active agent',
      '10.20.22.90 203 active config',
      '10.60.10.11 103 dhcp agent',
      '10.60.10.12 104 dhcp agent',
      '10.60.10.30 120 dhcp agent',
      '10.60.30.80 202 dhcp agent',
      '192.168.77.11 102 active agent',
      '2001:db8:20::11 100 active agent',
      '2001:db8:20::12 101 active agent',
    ]);
    const rows = await addresses();
    expect(rows.find((row) => row.address === '192.168.77.11')).toMatchObject({
      nic: 'net1',
      network: 'discovered-ipam',
    });
    // Known prefixes of a virtual network are used; unknown ones are made as the guest says.
    expect(rows.find((row) => row.vmid === 103)).toMatchObject({ network: 'apps', cidr: '10.60.10.0/24' });
    expect(rows.find((row) => row.vmid === 100)).toMatchObject({ network: 'discovered-ipam', cidr: '10.20.20.0/24' });
    const [audit] =
      await sql`select * from audit_records where object_id = ${cluster.id} and action = 'ipam.discovered'`;
    expect(audit?.after).toMatchObject({ run_id: run.id, errors_total: 1 });
    const history = await sql`select count(*)::int as n from ip_address_history where until_at is null`;
    expect(history[0]?.n).toBe(15);
  });

  it('writes nothing when run again', async () => {
    const { discover, writes } = await lab();
    await discover();
    const before = await writes();
    const again = await discover();
    expect(await writes()).toEqual(before);
    expect(again.counters.addresses).toMatchObject({ seen: 15, created: 0, changed: 0, removed: 0 });
    const automatic = await discover('auto');
    expect(automatic.status).toBe('ok');
    expect(await writes()).toEqual(before);
  });

  it('asks one agent per node at a time, and skips unresponsive agents in automatic runs', async () => {
    const { discover, control } = await lab();
    for (const vmid of [100, 101, 102, 103, 104]) control.setAgent(vmid, { kind: 'hung' });
    control.load.reset();
    await discover();
    expect(control.load.maxOf('agent:')).toBe(1);
    expect(control.load.maxOf('pvedaemon:')).toBeLessThanOrEqual(2);
    const asked = () =>
      Object.entries(control.load.all()).reduce((n, [k, v]) => n + (k.startsWith('agent:') ? v.total : 0), 0);
    control.load.reset();
    await discover('auto');
    const automatic = asked();
    control.load.reset();
    await discover('manual');
    expect(asked() - automatic).toBe(6);
    // After a restart they may have an agent again.
    control.setRunState(100, 'stopped');
    control.setRunState(100, 'running');
    await fixture.settle();
    await fixture.sync();
    control.load.reset();
    await discover('auto');
    expect(asked()).toBe(automatic + 1);
  });

  it('removes what was stored of container networks, loopback and link-local addresses', async () => {
    const { discover, control, lines, sql } = await lab();
    control.setAgent(100, createAgentAnswer(100, ['10.20.20.11/24', '172.17.0.1/16']));
    await discover();
    expect(await lines()).toContain('172.17.0.1 100 active agent');
    // The same address, known by now to be that of a bridge of containers.
    control.setAgent(
      100,
      createAgentAnswer(100, ['10.20.20.11/24', '169.254.7.7/16', '127.0.0.5/8'], createDockerInterface('172.17.0.1')),
    );
    const [place] = await sql`select cluster_id, network_id, subnet_id from ip_addresses limit 1`;
    for (const address of ['127.0.0.5', 'fe80::1'])
      await sql`insert into ip_addresses ${sql({ id: crypto.randomUUID(), ...place, address, source: 'agent' } as never)}`;
    const run = await discover();
    expect(run.counters.addresses).toMatchObject({ removed: 4 });
    const left = (await lines()).join('\n');
    for (const gone of ['172.17.0.1', '127.0.0.5', 'fe80::1', '169.254']) expect(left).not.toContain(gone);
    expect(await sql`select 1 from subnets where cidr = '172.17.0.0/16'`).toEqual([]);
  });

  it('removes unassigned addresses of container bridges with their prefix, and none beside a workload', async () => {
    const { discover, control, lines, sql } = await lab();
    control.setAgent(100, createAgentAnswer(100, ['10.20.20.11/24', '172.17.0.1/16']));
    control.setAgent(101, createAgentAnswer(101, ['172.18.0.4/16']));
    await discover();
    const insert = (place: object, address: string, source = 'agent') =>
      sql`insert into ip_addresses ${sql({ id: crypto.randomUUID(), ...place, address, source } as never)}`;
    const findPlace = async (cidr: string) => {
      const [row] = await sql`select cluster_id, network_id, id as subnet_id from subnets where cidr = ${cidr}`;
      return { ...row };
    };
    // Left by workloads that are gone; the second prefix is the network of another one, too.
    for (const address of ['172.17.0.9', '172.17.0.10']) await insert(await findPlace('172.17.0.0/16'), address);
    await insert(await findPlace('172.18.0.0/16'), '172.18.0.9');
    // A bridge of containers on a node that was read as a network.
    const { cluster_id } = await findPlace('172.17.0.0/16');
    const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
      values (gen_random_uuid(), ${cluster_id as string}, 'docker0', 'bridge', 'provider') returning id`;
    const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster_id as string}, ${network?.id}, '172.20.0.0/16', 'discovery') returning id`;
    const onNode = { cluster_id, network_id: network?.id, subnet_id: subnet?.id };
    await insert(onNode, '172.20.0.2');
    await insert(onNode, '172.20.0.3', 'manual');
    const bridge = { ...createDockerInterface('172.18.0.1'), name: 'br-0a1b2c3d4e5f' };
    control.setAgent(100, createAgentAnswer(100, ['10.20.20.11/24'], createDockerInterface('172.17.0.1'), bridge));
    await discover();
    const left = (await lines()).join('\n');
    for (const gone of ['172.17.', '172.20.0.2 ']) expect(left).not.toContain(gone);
    for (const kept of ['172.18.0.4', '172.18.0.9', '172.20.0.3']) expect(left).toContain(kept);
    const prefixes = await sql`select cidr::text from subnets where cidr <<= '172.16.0.0/12' order by cidr`;
    expect(prefixes.map(({ cidr }) => cidr)).toEqual(['172.18.0.0/16', '172.20.0.0/16']);
  });

  it('deletes nothing because of what cannot be read, and marks as stale what is proved', async () => {
    const { discover, control, addresses, lines } = await lab();
    await discover();
    const before = await lines();
    control.setAgent(100, { kind: 'not-running' });
    control.setAgent(101, { kind: 'error', class: 'GenericError', desc: 'not permitted' });
    control.setAgent(103, { kind: 'raw', result: 'nonsense' });
    control.setRunState(104, 'stopped');
    control.setRunState(200, 'stopped');
    await control.setNode('pve3', 'down');
    const run = await discover();
    expect(run.status).toBe('ok');
    expect(await lines()).toEqual(before);
    expect(run.errors.map(({ object, code }) => `${object} ${code}`)).toEqual(
      expect.arrayContaining(['pve3 node_offline', 'qemu/100 agent_unavailable', 'qemu/103 bad_answer']),
    );
    // An agent that lists no address of an interface proves nothing; one that lists others proves the rest unused.
    control.setAgent(101, { kind: 'ok', interfaces: [{ name: 'eth0' }] });
    control.setAgent(103, createAgentAnswer(103, ['10.60.10.77/24']));
    await discover();
    const rows = await addresses();
    expect(rows.filter((row) => row.vmid === 101).map((row) => row.state)).toEqual(['active', 'active']);
    expect(rows.filter((row) => row.vmid === 103).map((row) => [row.address, row.state])).toEqual([
      ['10.60.10.11', 'stale'],
      ['10.60.10.77', 'active'],
    ]);
    fixture.ahead(15 * 24 * 3_600_000);
    await discover();
    expect((await addresses()).filter((row) => row.vmid === 103).map((row) => row.address)).toEqual(['10.60.10.77']);
  });

  it('stores the rest when a sync removes a workload or an interface before or while it stores', async () => {
    const { discover, lines, sql } = await lab();
    const { lockClusterNetworks } = ipamSpace;
    vi.spyOn(ipamSpace, 'lockClusterNetworks').mockImplementationOnce(async (tx, id) => {
      await sql`delete from workloads where vmid = 100`;
      await sql`delete from workload_interfaces i using workloads w where w.id = i.workload_id and w.vmid = 101`;
      return lockClusterNetworks(tx, id);
    });
    const refused: string[] = [];
    const { listOpenSightings } = sightings;
    vi.spyOn(sightings, 'listOpenSightings').mockImplementationOnce(async (tx, id) => {
      const tryDelete = (statement: ReturnType<typeof sql>) =>
        statement.catch(({ code }: { code: string }) => refused.push(code));
      await sql`set lock_timeout = '100ms'`;
      await tryDelete(sql`delete from workloads where vmid = 102`);
      await tryDelete(
        sql`delete from workload_interfaces i using workloads w where w.id = i.workload_id and w.vmid = 103`,
      );
      await sql`set lock_timeout = 0`;
      return listOpenSightings(tx, id);
    });
    expect(await discover()).toMatchObject({ status: 'ok' });
    expect(refused).toEqual(['55P03', '55P03']);
    const stored = await lines();
    expect(stored.filter((line) => line.includes('10.20.20.11'))).toEqual([]);
    expect(stored).toContain('10.20.20.12 101 active agent');
    expect(stored).toContain('10.20.21.11 102 active agent');
    expect(stored).toContain('10.60.10.11 103 dhcp agent');
  });

  it('never changes what people entered', async () => {
    const { discover, addresses, conflicts, control, sql, writes } = await lab();
    await discover();
    const [target] =
      await sql`select a.*, s.cidr from ip_addresses a join subnets s on s.id = a.subnet_id where host(address) = '10.20.20.11'`;
    const place = { cluster_id: target?.cluster_id, network_id: target?.network_id, subnet_id: target?.subnet_id };
    const add = (address: string, values: object) =>
      sql`insert into ip_addresses ${sql({ id: crypto.randomUUID(), ...place, address, source: 'manual', ...values } as never)}`;
    await add('10.20.20.201', { state: 'reserved', description: 'for the new firewall' });
    await add('10.20.20.202', { state: 'active' });
    await add('10.20.20.203', { state: 'active', workload_id: target?.workload_id });
    control.setAgent(101, createAgentAnswer(101, ['10.20.20.201/24', '10.20.20.202/24', '10.20.20.203/24']));
    await discover();
    expect(await conflicts()).toMatchObject([
      { kind: 'duplicate_address', address: '10.20.20.203', vmid: 100, other: 101 },
      { kind: 'reserved_in_use', address: '10.20.20.201', vmid: null, other: 101 },
    ]);
    const of = async (address: string) => (await addresses()).find((row) => row.address === address);
    // It had no holder: there is nothing to overwrite.
    expect(await of('10.20.20.202')).toMatchObject({ vmid: 101, source: 'manual', state: 'active' });
    expect(await of('10.20.20.201')).toMatchObject({ vmid: null, source: 'manual' });
    const [before, found] = [await writes(), await conflicts()];
    await discover();
    expect(await conflicts()).toEqual(found);
    expect(await writes()).toEqual(before);
    control.setAgent(101, createAgentAnswer(101, []));
    await discover();
    expect(await of('10.20.20.201')).toMatchObject({ vmid: null, state: 'reserved' });
    expect(await of('10.20.20.202')).toMatchObject({ vmid: 101, state: 'active' });
  });

  it('gives nothing to a stranger that took over an id', async () => {
    const { discover, control, lines } = await lab();
    control.reuseVmid({
      vmid: 100,
      type: 'qemu',
      node: 'pve1',
      name: 'stranger',
      nics: [{ bridge: 'vmbr0', addresses: ['10.66.0.1/24'] }],
      agentOption: '1',
    });
    const run = await discover();
    expect(run.errors).toContainEqual(expect.objectContaining({ code: 'inventory_outdated', object: 'qemu/100' }));
    expect((await lines()).join('\n')).not.toContain('10.66.0.1');
  });

  it('says what to do when the cluster refuses it, and keeps what it knew', async () => {
    const { discover, control, lines, sql, cluster } = await lab();
    await discover();
    const before = await lines();
    control.revokeToken(control.tokens.manager);
    const run = await discover();
    expect(run).toMatchObject({
      status: 'failed',
      errors: [{ code: 'unauthorized', remedy: expect.stringMatching(/token/) }],
    });
    expect(await lines()).toEqual(before);
    const audits =
      await sql`select action from audit_records where object_id = ${cluster.id} and action = 'ipam.discovery_failed'`;
    expect(audits).toHaveLength(1);
  });

  it('stores all or nothing when its worker ends, and continues on another one', async () => {
    const { discover, addresses, sql, cluster } = await lab();
    const stop = new AbortController();
    const aborted = discover('manual', { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('the worker is stopping')), 30);
    await expect(aborted).rejects.toThrow('the worker is stopping');
    expect(await addresses()).toEqual([]);
    const [run] = await sql`select id, status from sync_runs where kind = 'ipam'`;
    expect(run?.status).toBe('queued');
    await runDiscovery(cluster.id, { signal: new AbortController().signal });
    expect(await addresses()).toHaveLength(15);
    expect((await sql`select status from sync_runs where id = ${run?.id}`)[0]?.status).toBe('ok');
  });

  it('runs by itself at the interval of the settings', async () => {
    const { sql, cluster } = await lab();
    await sql`delete from system_settings where key = 'auto_sync'`;
    vi.spyOn(await import('../../jobs/enqueue'), 'enqueue').mockResolvedValue(undefined);
    await scheduleDiscovery();
    await scheduleDiscovery();
    const runs = await sql`select trigger, status from sync_runs where kind = 'ipam' and cluster_id = ${cluster.id}`;
    expect(runs).toMatchObject([{ trigger: 'auto', status: 'queued' }]);
    const headers = await bearer(await makeUser('admin'));
    const lastSync = async () => (await (await call('/settings', { headers })).json()).last_ipam_auto_sync_at;
    expect(await lastSync()).toBe(null);
    await runDiscovery(cluster.id, { signal: new AbortController().signal });
    expect(await lastSync()).toEqual(expect.any(String));
    fixture.ahead(61 * 60_000);
    await scheduleDiscovery();
    expect(await sql`select 1 from sync_runs where kind = 'ipam' and cluster_id = ${cluster.id}`).toHaveLength(2);
  });

  it('answers a request with the result per cluster', async () => {
    const { cluster } = await lab();
    const headers = { ...(await bearer(await makeUser('network_operator'))), 'content-type': 'application/json' };
    const body = JSON.stringify({ cluster_ids: [cluster.id] });
    const waiting = call('/ipam/discover?wait=true', { method: 'POST', headers, body });
    const runAndCount = async () => {
      await runDiscovery(cluster.id, { signal: new AbortController().signal });
      return (await fixture.sql`select 1 from sync_runs where kind = 'ipam' and status = 'ok'`).length;
    };
    await expect.poll(runAndCount).toBe(1);
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      clusters: [
        { cluster_id: cluster.id, status: 'ok', created: 21, updated: 0, removed: 0, conflicts: 0, errors: [{}] },
      ],
    });
    const unknown = await call('/ipam/discover', {
      method: 'POST',
      headers,
      body: JSON.stringify({ cluster_ids: ['0190b7a0-0000-7000-8000-000000000000'] }),
    });
    expect(unknown.status).toBe(404);
  });
});
