import { randomUUID } from 'node:crypto';
import type { Flow, HeartbeatAnswer } from '@fabric/agent-contract';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { seal } from '@/server/lib/crypto';
import { ProviderError } from '@/server/providers/hypervisor/errors';
import { guestFact } from '@/server/providers/hypervisor/guest-fact.fixture';
import type { HypervisorProvider } from '@/server/providers/hypervisor/types';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeAgent, makeNode, makeTwoTenants, makeUser, placeOn } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { collectCriticalTraffic, collectRefusedReports } from '../../notifications/facts/traffic-facts';
import { makeFlow, makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { freshAddressBook } from './address-book';
import { confirmReports } from './confirm-reports';
import { resolveFlowEnds, retainTelemetry } from './upkeep';

const sql = sqlClient();
const MINUTE = 60_000;
let tenants: Awaited<ReturnType<typeof makeTwoTenants>>;
let home: { id: string; name: string };
let other: { id: string; name: string };
let agents: Record<'home' | 'other', { authorization: string }>;
let time: ReturnType<typeof fakeClock>;

/** `ours` (10.1.0.10) and `theirs` (10.1.0.20) are on the node `home`; the agent of `other` is the one to doubt. */
beforeEach(async () => {
  time = fakeClock();
  await sql`truncate traffic_flows, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, traffic_marks, unconfirmed_flows`;
  await sql`delete from clusters`;
  tenants = await makeTwoTenants('viewer');
  const { cluster, ours, theirs } = tenants;
  home = await makeNode(cluster, { name: 'home' });
  other = await makeNode(cluster, { name: 'other' });
  agents = { home: await makeAgent(home), other: await makeAgent(other) };
  await placeOn(home, ours.workload, theirs.workload);
  const { sealed, key_id } = seal('user@pve!token=secret', cluster.id);
  await sql`update clusters set last_sync_at = ${ago(1)}, api_token_encrypted = ${sealed}, api_token_key_id = ${key_id}`;
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, '10.1.0.0/16', 'manual') returning id`;
  for (const [address, { id }] of [
    ['10.1.0.10', ours.workload],
    ['10.1.0.20', theirs.workload],
  ] as const) {
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${address}, ${id}, 'manual')`;
  }
  await freshAddressBook();
});
afterEach(() => time.restore());

const ago = (minutes: number) => new Date(clock.now().getTime() - minutes * MINUTE).toISOString();
const toTap = (guest: { vmid: number }) => ({ interface: `tap${guest.vmid}i0`, vmid: guest.vmid, nic: 0 });
/** An outside host reaches the database of `theirs`. */
const attack = (values: Partial<Flow> = {}) =>
  makeFlow({
    source_ip: '203.0.113.66',
    destination_ip: '10.1.0.20',
    destination_port: 3389,
    initiator: 'source',
    observed_at: clock.now().toISOString(),
    ...values,
  });
async function sendHeartbeat(who: keyof typeof agents, flows: Flow[], values: object = {}): Promise<HeartbeatAnswer> {
  const body = makeHeartbeat(flows, { sent_at: clock.now().toISOString(), ...values });
  const response = await call('/agents/heartbeat', { method: 'POST', body, headers: agents[who] });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

type Listed = { vmid: number; node: string; lock?: string };
let asked = 0;
/** Settles reports with a cluster that lists these guests, or does not answer. */
function settle(listed: readonly Listed[] | null) {
  time.advance(120);
  const provider = {
    inventory: {
      listGuests: async () => {
        asked += 1;
        if (!listed) throw new ProviderError('unreachable', 'No answer.', 'Check it.');
        const items = listed.map((guest) =>
          guestFact({
            ...{ kind: 'qemu', runtime_known: true, status: 'running', template: false, tags: [], pool_known: true },
            ...{ cpu_count: 1, memory_bytes: 1, uptime_seconds: 1, ...guest },
          }),
        );
        return { items, complete: true, incompleteReason: null };
      },
    },
    close: () => undefined,
  } as unknown as HypervisorProvider;
  return confirmReports({ openProvider: () => provider });
}
const getVmid = (who: 'ours' | 'theirs') => tenants[who].workload.vmid;
const both = (node: string): Listed[] => [
  { vmid: getVmid('ours'), node: 'home' },
  { vmid: getVmid('theirs'), node },
];

const read = async (path: string, headers: { authorization: string }) => {
  const response = await call(path, { headers });
  expect(response.status, path).toBe(200);
  return response.json();
};
/** Everything of theirs that traffic can show on. */
async function readOtherTenant() {
  const { headers, workload } = tenants.theirs;
  const { items, total } = (await read('/flows', headers)) as { items: unknown[]; total: number };
  const dashboard = (await read('/dashboard', headers)) as Record<string, unknown>;
  const topology = (await read('/topology', headers)) as { nodes: unknown[]; edges: unknown[] };
  const insights = (await read(`/workloads/${workload.id}/insights`, headers)) as Record<string, unknown>;
  const alarms = (await collectCriticalTraffic([tenants.theirs.tenant.id])).facts;
  const sums = await sql`select count(*)::int as n from flow_rollup_minutes
    where source_workload_id = ${workload.id} or destination_workload_id = ${workload.id}`;
  return {
    ...{ items, total, alarms, sums: sums[0]?.n },
    suspicious: [dashboard.suspicious_traffic, dashboard.suspicious_summary],
    talkers: dashboard.top_talkers,
    topology: [topology.nodes, topology.edges],
    insights: [insights.summary, insights.flows, insights.items],
  };
}

describe('an agent', () => {
  it('paints nothing on the dashboard of a tenant whose workloads are on other nodes', async () => {
    const before = await readOtherTenant();
    expect(before).toMatchObject({ total: 0, alarms: [] });
    const { ours, theirs } = tenants;
    const lies: Flow[] = [
      // As if seen at their interface, at a host interface, by connection tracking, at a guest that is nowhere, …
      attack(toTap(theirs.workload)),
      attack({ source_port: 2, interface: 'vmbr0' }),
      attack({ source_port: 3 }),
      attack({ source_port: 4, interface: 'tap999999i0', vmid: 999_999, nic: 0 }),
      attack({ source_port: 5, decision: 'accept', interface: `fwbr${theirs.workload.vmid}i0` }),
    ];
    const answer = await sendHeartbeat('other', lies);
    expect(answer).toMatchObject({ accepted: 3, unconfirmed: 2, rejected: [] });
    // … and with a guest that really is on the node.
    await placeOn(other, ours.workload);
    await freshAddressBook();
    await sendHeartbeat('other', [attack({ source_port: 6, ...toTap(ours.workload) })]);
    expect(await readOtherTenant()).toEqual(before);
    expect(await settle(both('home'))).toMatchObject({ confirmed: 0, refused: 2 });
    expect(await readOtherTenant()).toEqual(before);
    // Their own node says the same, and it is seen.
    await sendHeartbeat('home', [attack(toTap(theirs.workload))]);
    expect(await readOtherTenant()).toMatchObject({ total: 1, alarms: { length: 1 } });
  });

  it('cannot name the interface of one guest and the number of another', async () => {
    await placeOn(other, tenants.ours.workload);
    await freshAddressBook();
    const flow = attack({ interface: `tap${getVmid('theirs')}i0`, vmid: getVmid('ours') });
    const answer = await sendHeartbeat('other', [flow]);
    expect(answer.rejected).toMatchObject([{ index: 0, reason: expect.stringContaining('vmid') }]);
  });

  it('counts interfaces of its own guests only', async () => {
    const counters = { rx_bytes: 1, rx_packets: 1, tx_bytes: 1, tx_packets: 1 };
    const vmid = getVmid('theirs');
    const name = `tap${vmid}i0`;
    const report = {
      interfaces: [
        { name, kind: 'tap', vmid, nic: 0, ...counters, rx_errors: 0, rx_dropped: 0, tx_errors: 0, tx_dropped: 0 },
      ],
      interface_traffic: [
        {
          interface: name,
          vmid,
          nic: 0,
          ...counters,
          bytes: 2,
          packets: 2,
          observed_at: ago(0),
          collector: 'interface',
        },
      ],
    };
    for (const who of ['other', 'home'] as const) await sendHeartbeat(who, [], report);
    for (const table of ['interface_samples', 'interface_traffic']) {
      const rows = await sql`select node_id, workload_id from ${sql(table)} where vmid = ${vmid}`;
      const ofNode = (node: { id: string }) => rows.find(({ node_id }) => node_id === node.id)?.workload_id;
      expect([ofNode(other), ofNode(home)]).toEqual([null, tenants.theirs.workload.id]);
    }
    // The counters are the workload's once it turns out to have been there.
    const counted = () => sql`select workload_id from interface_traffic where node_id = ${other.id}`;
    const resolveAll = async () => {
      await freshAddressBook();
      while (!(await resolveFlowEnds(undefined, 0)).done);
    };
    await resolveAll();
    expect(await counted()).toMatchObject([{ workload_id: null }]);
    await placeOn(other, tenants.theirs.workload);
    await resolveAll();
    expect(await counted()).toMatchObject([{ workload_id: tenants.theirs.workload.id }]);
  });
});

describe('unconfirmed flows', () => {
  it('appear to the platform by agent and guest with state and place, and to no tenant', async () => {
    const { theirs } = tenants;
    const admin = await bearer(await makeUser('admin'));
    const path = '/unconfirmed-flows';
    const page = async (query = '') =>
      ((await read(`${path}?node_id=${other.id}&${query}`, admin)) as { items: object[] }).items;
    await sendHeartbeat('other', [attack({ ...toTap(theirs.workload), bytes: 700, packets: 7 })]);
    expect(await page()).toMatchObject([
      { state: 'waiting', vmid: getVmid('theirs'), source_ip: '203.0.113.66', destination_port: 3389, bytes: 700 },
    ]);
    await settle(both('home'));
    await sendHeartbeat('other', [attack({ source_port: 2, ...toTap(theirs.workload) })]);
    expect(await page('state=refused')).toMatchObject([{ placed_node_id: home.id }]);
    expect(await page('state=waiting')).toHaveLength(1);
    expect(await page('vmid=1')).toEqual([]);
    expect(await read(`/agents/${other.id}`, admin)).toMatchObject({
      unconfirmed: { waiting: 1, refused: 1 },
      unconfirmed_guests: [
        { vmid: getVmid('theirs'), workload_id: theirs.workload.id, placed_node_name: 'home', waiting: 1, refused: 1 },
      ],
    });
    expect(await read(`/agents/${home.id}`, admin)).toMatchObject({ unconfirmed: { waiting: 0, refused: 0 } });
    expect((await call(path, { headers: theirs.headers })).status).toBe(403);
  });
});

describe('confirmReports', () => {
  const kept = () => sql`select state, vmid, placed_node_id from unconfirmed_flows order by id`;

  it('confirms flows of a workload that has moved, and places it', async () => {
    await sendHeartbeat('other', [attack(toTap(tenants.theirs.workload))]);
    expect(await kept()).toMatchObject([{ state: 'waiting' }]);
    expect(await settle(both('other'))).toEqual({ confirmed: 1, refused: 0, waiting: 0 });
    expect(await kept()).toEqual([]);
    const [{ node_id } = {}] = await sql`select node_id from workloads where id = ${tenants.theirs.workload.id}`;
    expect(node_id).toBe(other.id);
    expect(await readOtherTenant()).toMatchObject({ total: 1, alarms: { length: 1 } });
    // What the node before kept during the migration is right, too.
    const spooled = attack({ source_port: 9, observed_at: ago(0), ...toTap(tenants.theirs.workload) });
    expect(await sendHeartbeat('home', [spooled])).toMatchObject({ accepted: 1 });
  });

  it('confirms what a node kept from before the workload moved away, and refuses what it saw long after', async () => {
    await sql`update workloads set node_id = ${other.id} where id = ${tenants.theirs.workload.id}`;
    await sql`update workload_placements set seen_at = ${ago(61)}, left_at = ${ago(60)}`;
    await freshAddressBook();
    const at = (minutes: number, source_port: number) =>
      attack({ source_port, observed_at: ago(minutes), ...toTap(tenants.theirs.workload) });
    expect(await sendHeartbeat('home', [at(90, 1), at(30, 2)])).toMatchObject({ accepted: 1, unconfirmed: 1 });
    expect(await sendHeartbeat('other', [at(90, 3), at(30, 4)])).toMatchObject({ accepted: 1, unconfirmed: 1 });
    expect(await settle(both('other'))).toMatchObject({ confirmed: 0, refused: 2 });
  });

  it('leaves waiting what it cannot tell', async () => {
    await sendHeartbeat('other', [attack(toTap(tenants.theirs.workload))]);
    expect(await settle(null)).toMatchObject({ refused: 0, waiting: 1 });
    expect(await settle([])).toMatchObject({ refused: 0, waiting: 1 });
    const migrating = [{ vmid: getVmid('theirs'), node: 'home', lock: 'migrate' }];
    expect(await settle(migrating)).toMatchObject({ refused: 0, waiting: 1 });
    expect(await settle(both('other'))).toMatchObject({ confirmed: 1 });
  });

  it('asks a cluster once for all reports, and not again right away', async () => {
    const { ours, theirs } = tenants;
    await sendHeartbeat('other', [attack(toTap(theirs.workload)), attack({ source_port: 2, ...toTap(ours.workload) })]);
    asked = 0;
    await settle(null);
    await confirmReports({
      openProvider: () => {
        throw new Error('asked too early');
      },
    });
    expect(asked).toBe(1);
  });

  it('asks a cluster again after a clock that was ahead is put back', async () => {
    await sendHeartbeat('other', [attack(toTap(tenants.theirs.workload))]);
    asked = 0;
    await settle(null);
    time.advance(-6 * 3_600);
    await settle(null);
    expect(asked).toBe(2);
  });

  it('records refusals once an hour for each node, and keeps the reports until flows expire', async () => {
    const { workload } = tenants.theirs;
    for (const source_port of [1, 2, 3]) {
      await sendHeartbeat('other', [attack({ source_port, ...toTap(workload) })]);
      expect(await settle(both('home'))).toMatchObject({ refused: 1 });
    }
    const records = (await auditTrail()).filter(
      ({ action, object_id }) => action === 'agent.reports_refused' && object_id === other.id,
    );
    expect(records).toMatchObject([{ after: { flows: 1, vmids: [workload.vmid] } }]);
    expect(await kept()).toMatchObject([1, 2, 3].map(() => ({ state: 'refused', placed_node_id: home.id })));
    expect(await collectRefusedReports('all')).toMatchObject({
      facts: [{ key: other.id, object_kind: 'agent', detail: expect.stringContaining(`: ${workload.vmid}.`) }],
    });
    time.advance(4_000);
    expect(await collectRefusedReports('all')).toMatchObject({ facts: [] });
    await sql`update unconfirmed_flows set observed_at = now() - interval '10 years'`;
    await retainTelemetry();
    expect(await kept()).toEqual([]);
  });

  it('counts each confirmed byte once, as if confirmed immediately, and never counts refused ones', async () => {
    const minutes =
      () => sql`select to_char(bucket_at, 'HH24:MI') as at, sum(bytes)::int as bytes, sum(packets)::int as packets
      from flow_rollup_minutes group by 1 order by 1`;
    const flows = () => sql`select source_port, bytes::int, packets::int, source_workload_id, destination_workload_id
      from traffic_flows order by source_port`;
    const begun = () => sql`select sum(flows)::int as n from flow_rollup_minutes`;
    const report = fc.record({
      source_port: fc.integer({ min: 1, max: 3 }),
      minute: fc.integer({ min: 0, max: 4 }),
      bytes: fc.integer({ min: 0, max: 1_000 }),
      settles: fc.constantFrom('no', 'unreadable', 'twice'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 6 }), fc.boolean(), async (reports, moves) => {
        const base = clock.now().getTime() - 10 * MINUTE;
        const totals = async (isHere: boolean) => {
          await sql`truncate traffic_flows, flow_rollup_minutes, flow_unresolved_minutes, traffic_marks, unconfirmed_flows, agent_heartbeats`;
          await sql`delete from workload_placements`;
          await sql`update workloads set node_id = ${(isHere ? other : home).id}`;
          await sql`delete from workload_placements`;
          await freshAddressBook();
          const boot_id = randomUUID();
          for (const [sequence, { source_port, minute, bytes, settles }] of reports.entries()) {
            const observed_at = new Date(base + minute * MINUTE).toISOString();
            const counters = { bytes: 10_000, packets: 10, delta_bytes: bytes, delta_packets: 1 };
            const flow = attack({ source_port, observed_at, ...counters, ...toTap(tenants.theirs.workload) });
            await sendHeartbeat('other', [flow], { boot_id, sequence });
            if (!isHere && settles !== 'no') await settle(settles === 'unreadable' ? null : []);
          }
          if (!isHere) {
            await sql`update clusters set last_sync_at = ${new Date(base - MINUTE).toISOString()}`;
            const node = moves ? 'other' : 'home';
            await Promise.all([settle(both(node)), settle(both(node))]);
          }
          return { minutes: await minutes(), flows: await flows(), begun: await begun() };
        };
        const confirmed = await totals(true);
        expect(await totals(false)).toEqual(moves ? confirmed : { minutes: [], flows: [], begun: [{ n: null }] });
      }),
      { numRuns: 8 },
    );
  });
});
