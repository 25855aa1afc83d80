import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveConflict } from '@/server/addresses/conflicts';
import { createAgentAnswer, type DiscoveryLab, makeDiscoveryLab } from '@/server/addresses/discovery/discovery.fixture';
import { listConflicts } from '@/server/addresses/queries/ipam-conflicts';
import { deleteOldSightings } from '@/server/addresses/queries/sightings';
import { systemScope } from '@/server/auth/scope';
import { db } from '@/server/db/client';
import { observeCluster } from '@/server/enforcement/guest-firewall/observe';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { MACHINE_ID, makeFlow, makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { makeAgent } from '@/test/factories';
import { call } from '@/test/request';
import { settleClusterFindings } from './settle-findings';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FILTERED = `[OPTIONS]\n\nenable: 1\n\n[IPSET ipfilter-net0]\n\n10.20.20.12\n`;

let lab: DiscoveryLab;
let agents: Map<string, { authorization: string }>;
let sequence = 0;

beforeAll(async () => {
  lab = await makeDiscoveryLab({ scenario: smallLab, timeScale: 200 }, 'findings lab');
  await lab.sync();
  const nodes = await lab.sql<{ id: string; name: string }[]>`select id, name from nodes`;
  agents = new Map();
  for (const node of nodes) agents.set(node.name, await makeAgent(node));
});
afterAll(async () => {
  await lab.sql`delete from clusters`;
  await lab.close();
});

type Sent = { vmid: number; nic?: number; address: string; vlan?: number };

/** The heartbeat of each node says that its workloads sent packets from their addresses, and from some more. */
async function report(more: readonly Sent[] = []): Promise<void> {
  const own = await lab.sql<
    Sent[]
  >`select w.vmid, substr(i.name, 4)::int as nic, host(a.address) as address from ip_addresses a
    join workloads w on w.id = a.workload_id join workload_interfaces i on i.id = a.interface_id
    where a.source <> 'manual' and w.status = 'running'`;
  const places = new Map((await lab.workloads()).map((row) => [row.vmid, row]));
  const now = clock.now().toISOString();
  for (const [name, headers] of agents) {
    const addresses = [...own, ...more]
      .filter(({ vmid }) => places.get(vmid)?.node_name === name)
      .map(({ nic = 0, ...one }) => ({
        ...{ ...one, nic, interface: `${places.get(one.vmid)?.kind === 'lxc' ? 'veth' : 'tap'}${one.vmid}i${nic}` },
      }));
    sequence += 1;
    const body = makeHeartbeat([], {
      ...{ sequence, sent_at: now, machine_id: MACHINE_ID, boot_id: '0190f3c4-5d6e-7f80-8a9b-0c1d2e3f4a5b' },
      sent_addresses: { version: 1, addresses, left_out: 0 },
    });
    const answer = await call('/agents/heartbeat', { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  }
}

/** The open conflicts: `kind address holder → other reason`. */
async function findings(): Promise<string[]> {
  await settleClusterFindings(lab.cluster.id);
  const rows = await lab.sql<
    { line: string }[]
  >`select concat_ws(' ', c.kind, host(c.address), coalesce(w.vmid::text, '-'),
      coalesce(o.vmid::text, '-'), c.reason) as line
    from ipam_conflicts c left join workloads w on w.id = c.workload_id left join workloads o on o.id = c.other_workload_id
    where c.status = 'open' order by line`;
  return rows.map(({ line }) => line);
}

async function register(vmid: number, address: string): Promise<string> {
  const id = newId();
  await lab.sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source, created_at)
    select ${id}, s.cluster_id, s.network_id, s.id, ${address}, w.id, 'manual', ${clock.now()}
    from subnets s, workloads w where s.cidr >> ${address}::inet and w.vmid = ${vmid} limit 1`;
  return id;
}

const sightings = () =>
  lab.sql<
    { line: string; open: boolean }[]
  >`select concat_ws(' ', w.vmid, s.nic, host(s.address), s.source, s.seen_on) as line,
      s.ended_at is null as open
    from address_sightings s join workloads w on w.id = s.workload_id order by line, s.first_seen_at`;

it('keeps the word of every source, and finds nothing in a clean cluster with a router', async () => {
  await lab.discover();
  // 102 forwards packets of another segment.
  const forwarded = { vmid: 102, address: '10.20.20.11' };
  await report([forwarded]);
  const lines = (await sightings()).map(({ line }) => line).filter((line) => /^(100|203) /.test(line));
  expect(lines).toEqual([
    '100 net0 10.20.20.11 agent eth0',
    '100 net0 10.20.20.11 cloudinit',
    '100 net0 10.20.20.11 traffic tap100i0',
    '100 net0 2001:db8:20::11 agent eth0',
    '100 net0 2001:db8:20::11 traffic tap100i0',
    '203 net0 10.20.22.90 config',
  ]);
  expect(await findings()).toEqual([]);
  for (let hours = 0; hours < 8 * 24; hours += 23) {
    lab.ahead(23 * HOUR);
    await report([forwarded]);
  }
  await lab.discover();
  expect(await findings()).toEqual([]);
}, 60_000);

it('finds each planted conflict, names what touches it, and forgets those that are over', async () => {
  const stale = await register(102, '10.20.21.60');
  await register(110, '10.20.21.50');
  lab.control.setAgent(103, createAgentAnswer(103, ['10.60.10.11/24', '10.60.10.77/24']));
  lab.control.firewall.setFile('firewall/101.fw', FILTERED);
  await lab.discover();
  for (let hours = 0; hours < 8 * 24; hours += 23) {
    lab.ahead(23 * HOUR);
    await report();
    await lab.discover('auto');
  }
  lab.control.setAgent(103, createAgentAnswer(103, ['10.60.10.11/24']));
  lab.control.setAgent(104, createAgentAnswer(104, ['10.60.10.12/24', '10.60.10.77/24']));
  lab.control.setAgent(110, createAgentAnswer(110, ['10.20.21.20/24', '10.20.21.11/24']));
  await lab.discover();
  await observeCluster(lab.cluster.id, new AbortController().signal);
  const planted = [
    { vmid: 100, address: '10.20.20.99' },
    { vmid: 105, address: '10.20.20.99' },
    { vmid: 105, address: '10.20.20.12' },
    { vmid: 102, address: '10.20.21.50' },
    { vmid: 120, address: '10.60.10.150' },
    { vmid: 101, address: '10.20.20.111' },
  ];
  await report(planted);
  lab.ahead(2 * HOUR);
  await report(planted);
  expect(await findings()).toEqual(
    [
      'duplicate_address 10.20.20.99 100 105',
      'duplicate_address 10.20.21.11 102 110',
      'moved_address 10.60.10.77 103 104',
      'spoofed_address 10.20.20.111 - 101 ip_filter',
      'spoofed_address 10.20.20.12 101 105 held',
      // Its IP filter does not have the address that the guest has.
      'spoofed_address 2001:db8:20::12 - 101 ip_filter',
      'spoofed_address 10.20.21.50 110 102 registered',
      'stale_address 10.20.21.60 102 -',
      'unmanaged_address 10.20.20.111 - 101',
      'unmanaged_address 10.20.20.99 - 100',
      'unmanaged_address 10.20.20.99 - 105',
      'unmanaged_address 10.60.10.150 - 120',
    ].sort(),
  );

  const { items } = await listConflicts('all', { kind: 'stale_address', limit: 10 });
  expect(items).toMatchObject([{ ip_address_id: stale, evidence_at: null }]);
  const scope = systemScope('ipam:write', 'test');
  await resolveConflict(scope, items[0]?.id ?? '', { resolution: 'dismiss', note: '' });
  lab.control.setAgent(110, createAgentAnswer(110, ['10.20.21.20/24']));
  await lab.discover();
  lab.ahead(8 * DAY);
  await lab.discover();
  await report();
  expect(await findings()).toEqual([
    'spoofed_address 2001:db8:20::12 - 101 ip_filter',
    // No one uses it any more.
    'stale_address 10.20.21.50 110 -',
  ]);
}, 120_000);

it('stores nothing for a repeated report or discovery within minutes, and takes flows of older agents as far as they prove it', async () => {
  const place = async () =>
    (
      await lab.sql<
        { row: string }[]
      >`select concat_ws(' ', w.vmid, host(s.address), s.source, s.ended_at, s.xmin) as row
        from address_sightings s join workloads w on w.id = s.workload_id order by row`
    ).map(({ row }) => row);
  await lab.discover();
  await report();
  const before = await place();
  await report();
  await lab.discover();
  expect(await place()).toEqual(before);

  const at = clock.now().toISOString();
  await lab.sql`delete from address_sightings where source = 'traffic'`;
  const tap = { interface: 'tap100i0', vmid: 100, nic: 0, observed_at: at };
  const flows = [
    makeFlow({ source_ip: '10.20.20.11', destination_ip: '10.20.20.12', ...tap }),
    // On its way to the workload: who sent it is not known.
    makeFlow({ source_ip: '10.20.20.25', destination_ip: '10.20.20.11', ...tap }),
  ];
  const headers = agents.get('pve1') ?? { authorization: '' };
  const body = makeHeartbeat(flows, { sequence: 9000, sent_at: at });
  expect((await call('/agents/heartbeat', { method: 'POST', headers, body })).status).toBe(200);
  const traffic = (await sightings()).filter(({ line }) => line.includes('traffic'));
  expect(traffic).toEqual([{ line: '100 net0 10.20.20.11 traffic tap100i0', open: true }]);
});

it('lets old sightings go', async () => {
  await lab.sql`update address_sightings set last_seen_at = last_seen_at - interval '100 days', first_seen_at = first_seen_at - interval '100 days'
    where source = 'traffic'`;
  expect(await deleteOldSightings(db, clock.now())).toBeGreaterThan(0);
  expect((await sightings()).some(({ line }) => line.includes('traffic'))).toBe(false);
});
