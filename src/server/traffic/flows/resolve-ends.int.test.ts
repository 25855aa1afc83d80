import type { Flow } from '@fabric/agent-contract';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { makeAgent, makeCluster, makeNode, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { resolveFlowEnds } from './upkeep';

const sql = sqlClient();
let cluster: { id: string };
let node: { id: string };
let headers: { authorization: string };
let network: string;

beforeEach(async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + skipped);
  await sql`truncate traffic_flows, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, traffic_marks`;
  await sql`delete from clusters`;
  cluster = await makeCluster();
  node = await makeNode(cluster);
  headers = await makeAgent(node);
  const [row] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  network = String(row?.id);
});

const sendHeartbeat = async (flows: Flow[]) => {
  const response = await call('/agents/heartbeat', { method: 'POST', body: makeHeartbeat(flows), headers });
  expect(response.status).toBe(200);
};
async function addSubnet(cidr: string): Promise<string> {
  const [row] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${network}, ${cidr}, 'manual') returning id`;
  return String(row?.id);
}
const assign = (subnet: string, address: string, workload: { id: string }) => sql`
  insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
  values (gen_random_uuid(), ${cluster.id}, ${network}, ${subnet}, ${address}, ${workload.id}, 'manual')`;
const flows = () => sql`select host(source_ip) as source, source_cidr::text, source_workload_id, destination_cidr::text,
  destination_workload_id from traffic_flows order by source_ip, source_port`;
const sums = () => sql`select source_prefix::text, source_internal, sum(bytes)::int as bytes, sum(flows)::int as flows
  from (select * from flow_rollup_minutes union all select * from flow_rollup_hours) as r group by 1, 2 order by 1`;

const realNow = performance.now.bind(performance);
let skipped = 0;
/** Makes the process look at the inventory again, as it does by itself after two seconds. */
const expireBook = () => {
  skipped += 60_000;
};

/** Runs the job until it has done what the inventory of now asks for. */
async function resolveAll(): Promise<void> {
  expireBook();
  while (!(await resolveFlowEnds(undefined, 0)).done);
}

/** Totals by the workloads at both ends: of the flows, and of the minutes. They must be equal. */
const byEnds = async () => {
  const group = (from: string, flows: string) =>
    sql.unsafe(`select source_workload_id, destination_workload_id, sum(bytes)::int as bytes, sum(packets)::int as packets,
      ${flows}::int as flows from ${from} group by 1, 2 order by 1, 2`);
  return { flows: await group('traffic_flows', 'count(*)'), minutes: await group('flow_rollup_minutes', 'sum(flows)') };
};

describe('resolveFlowEnds', () => {
  it('fills in subnets and workloads that were unknown, in flows and in aggregates', async () => {
    await sendHeartbeat([
      makeFlow({ source_ip: '192.0.2.10', bytes: 70 }),
      makeFlow({ source_ip: '203.0.113.5', bytes: 5 }),
    ]);
    await resolveFlowEnds(undefined, 0);
    expect(await flows()).toMatchObject([{ source_cidr: null }, { source_cidr: null }]);
    const subnet = await addSubnet('192.0.2.0/24');
    const guest = await makeWorkload(cluster);
    await assign(subnet, '192.0.2.10', guest);
    await resolveAll();
    expect(await flows()).toMatchObject([
      { source: '192.0.2.10', source_cidr: '192.0.2.0/24', source_workload_id: guest.id, destination_cidr: null },
      { source: '203.0.113.5', source_cidr: null, source_workload_id: null },
    ]);
    expect(await sums()).toMatchObject([
      { source_prefix: '192.0.2.0/24', source_internal: true, bytes: 70, flows: 1 },
      { source_prefix: '203.0.113.0/24', source_internal: false, bytes: 5, flows: 1 },
    ]);
    expect((await sql`select 1 from traffic_marks`).length).toBeGreaterThan(0);
  });

  it('fills in the workload of an interface whose number becomes known', async () => {
    await sendHeartbeat([makeFlow({ vmid: 4711, source_ip: '198.51.100.9', destination_ip: '203.0.113.5' })]);
    await addSubnet('198.51.100.0/24');
    const guest = await makeWorkload(cluster, null, { vmid: 4711 });
    await resolveAll();
    expect((await flows())[0]).toMatchObject({ source_workload_id: guest.id, destination_workload_id: null });
  });

  it('changes no end that was resolved, also when the next heartbeat comes', async () => {
    const subnet = await addSubnet('192.0.2.0/24');
    const [before, after] = [await makeWorkload(cluster), await makeWorkload(cluster)];
    await assign(subnet, '192.0.2.10', before);
    expireBook();
    await sendHeartbeat([makeFlow({ source_ip: '192.0.2.10' })]);
    await sql`update ip_addresses set workload_id = ${after.id} where workload_id = ${before.id}`;
    await addSubnet('192.0.2.0/28');
    await resolveAll();
    await sendHeartbeat([makeFlow({ source_ip: '192.0.2.10' }), makeFlow({ source_ip: '192.0.2.10', source_port: 3 })]);
    const [third] = await sql`select source_workload_id from traffic_flows where source_port = 3`;
    expect(third?.source_workload_id).toBe(after.id);
    const [first] =
      await sql`select source_workload_id, source_cidr::text from traffic_flows where source_port = 40000`;
    expect(first).toMatchObject({ source_workload_id: before.id, source_cidr: '192.0.2.0/24' });
  });

  it('fills in a workload of aggregates with what each of its flows had added to them', async () => {
    const subnet = await addSubnet('10.1.0.0/24');
    expireBook();
    const flow = (host: number, bytes: number) =>
      makeFlow({ source_ip: `10.1.0.${host}`, destination_ip: '203.0.113.5', bytes });
    await sendHeartbeat([flow(1, 70), flow(2, 5)]);
    // The flow is counted on in the same minute, after its workload is known.
    const guest = await makeWorkload(cluster);
    await assign(subnet, '10.1.0.1', guest);
    expireBook();
    await sendHeartbeat([{ ...flow(1, 100), delta_bytes: 30, delta_packets: 1 }]);
    await sql`truncate traffic_marks`;
    await resolveAll();
    expect(await byEnds()).toMatchObject({
      flows: [
        { source_workload_id: guest.id, bytes: 100, flows: 1 },
        { source_workload_id: null, bytes: 5, flows: 1 },
      ],
      minutes: [
        { source_workload_id: guest.id, bytes: 100, flows: 1 },
        { source_workload_id: null, bytes: 5, flows: 1 },
      ],
    });
    expect((await sql`select 1 from traffic_marks`).length).toBeGreaterThan(0);
    expect(await sql`select 1 from flow_unresolved_minutes`).toHaveLength(1);
  });

  it('leaves a workload of aggregates unknown when its address was reassigned since', async () => {
    const subnet = await addSubnet('10.1.0.0/24');
    const [before, after] = [await makeWorkload(cluster), await makeWorkload(cluster)];
    const flow = makeFlow({ source_ip: '10.1.0.1', destination_ip: '203.0.113.5', bytes: 70 });
    await assign(subnet, '10.1.0.1', before);
    expireBook();
    await sendHeartbeat([flow]);
    await sql`update ip_addresses set workload_id = null`;
    expireBook();
    await sendHeartbeat([{ ...flow, bytes: 90, delta_bytes: 20, delta_packets: 1 }]);
    await sql`update ip_addresses set workload_id = ${after.id}`;
    await resolveAll();
    const { minutes } = await byEnds();
    expect(minutes).toMatchObject([
      { source_workload_id: before.id, bytes: 70 },
      { source_workload_id: null, bytes: 20 },
    ]);
  });

  it('neither loses nor double-counts bytes of the aggregates, whatever becomes known', async () => {
    const end = fc.tuple(fc.nat(3), fc.nat(3)).map(([net, host]) => `10.${net}.0.${host + 1}`);
    const report = fc.record({
      source_ip: end,
      destination_ip: end,
      bytes: fc.nat(500),
      source_port: fc.constantFrom(1, 2),
    });
    const prefix = fc.constantFrom('10.0.0.0/24', '10.1.0.0/24', '10.2.0.0/16', '10.0.0.0/8', '10.3.0.0/28');
    const total = async () =>
      (
        await sql`select coalesce(sum(bytes), 0)::int as bytes, coalesce(sum(flows), 0)::int as flows
      from (select * from flow_rollup_minutes union all select * from flow_rollup_hours) as r`
      )[0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(report, { minLength: 1, maxLength: 30 }),
        fc.uniqueArray(prefix, { maxLength: 3 }),
        fc.uniqueArray(end, { maxLength: 6 }),
        fc.nat(6),
        fc.boolean(),
        async (reports, prefixes, addresses, knownBefore, isHalfOld) => {
          await sql`truncate traffic_flows, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes`;
          await sql`delete from ip_addresses where cluster_id = ${cluster.id}`;
          await sql`delete from subnets where cluster_id = ${cluster.id}`;
          const guests = await Promise.all(addresses.map(() => makeWorkload(cluster)));
          const first = await addSubnet('10.0.0.0/7');
          for (const [i, address] of addresses.entries()) {
            if (i < knownBefore) await assign(first, address, guests[i] as { id: string });
          }
          expireBook();
          await sendHeartbeat(reports.map((one) => makeFlow(one)));
          if (isHalfOld) {
            await sql`with old as (delete from flow_rollup_minutes where bytes % 2 = 1 returning *)
              insert into flow_rollup_hours select * from old`;
          }
          const before = await total();
          const ends = () => sql`select flow_key, source_workload_id, destination_workload_id, source_cidr::text,
            destination_cidr::text from traffic_flows order by flow_key`;
          const stored = await ends();
          for (const cidr of prefixes) await addSubnet(cidr);
          for (const [i, address] of addresses.entries()) {
            if (i >= knownBefore) await assign(first, address, guests[i] as { id: string });
          }
          await resolveAll();
          expect(await total()).toEqual(before);
          const filled = await ends();
          for (const [i, flow] of stored.entries()) {
            for (const [name, value] of Object.entries(flow)) if (value !== null) expect(filled[i]?.[name]).toBe(value);
          }
          const [unfilled] = await sql`select count(*)::int as n from traffic_flows as f join ip_addresses as a
            on a.address = f.source_ip and f.source_workload_id is null
              or a.address = f.destination_ip and f.destination_workload_id is null`;
          expect(unfilled?.n).toBe(0);
          const { flows, minutes } = await byEnds();
          if (!isHalfOld) expect(minutes).toEqual(flows);
        },
      ),
      { numRuns: 25 },
    );
  });
});
