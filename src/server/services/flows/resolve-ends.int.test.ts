import type { Flow } from '@fabric/agent-contract';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { makeAgent, makeCluster, makeNode, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { resolveFlowEnds } from './resolve-ends';

const sql = sqlClient();
let cluster: { id: string };
let node: { id: string };
let headers: { authorization: string };
let network: string;

beforeEach(async () => {
  await sql`truncate traffic_flows, flow_rollup_minutes, flow_rollup_hours, traffic_marks`;
  await sql`delete from clusters`;
  cluster = await makeCluster();
  node = await makeNode(cluster);
  headers = await makeAgent(node);
  const [row] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  network = String(row?.id);
});

const beat = async (flows: Flow[]) => {
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

/** Runs the job until it has done what the inventory of now asks for; the inventory is looked at every two seconds. */
const resolveUntil = (isDone: () => Promise<boolean>) =>
  vi.waitUntil(
    async () => {
      await resolveFlowEnds(undefined, 0);
      return isDone();
    },
    { timeout: 15_000, interval: 250 },
  );

describe('resolveFlowEnds', () => {
  it('fills in subnets and workloads that were unknown, in flows and in sums', async () => {
    await beat([makeFlow({ source_ip: '192.0.2.10', bytes: 70 }), makeFlow({ source_ip: '203.0.113.5', bytes: 5 })]);
    await resolveFlowEnds(undefined, 0);
    expect(await flows()).toMatchObject([{ source_cidr: null }, { source_cidr: null }]);
    const subnet = await addSubnet('192.0.2.0/24');
    const guest = await makeWorkload(cluster);
    await assign(subnet, '192.0.2.10', guest);
    await resolveUntil(async () => (await flows())[0]?.source_workload_id !== null);
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
    await beat([makeFlow({ vmid: 4711, source_ip: '198.51.100.9', destination_ip: '203.0.113.5' })]);
    await addSubnet('198.51.100.0/24');
    const guest = await makeWorkload(cluster, null, { vmid: 4711 });
    await resolveUntil(async () => (await flows())[0]?.source_workload_id !== null);
    expect((await flows())[0]).toMatchObject({ source_workload_id: guest.id, destination_workload_id: null });
  });

  it('changes no end that was resolved, also when the next heartbeat comes', async () => {
    const subnet = await addSubnet('192.0.2.0/24');
    const [before, after] = [await makeWorkload(cluster), await makeWorkload(cluster)];
    await assign(subnet, '192.0.2.10', before);
    await vi.waitUntil(
      async () => {
        await beat([makeFlow({ source_ip: '192.0.2.10' })]);
        return (await flows())[0]?.source_workload_id !== null || !(await sql`truncate traffic_flows`);
      },
      { timeout: 10_000, interval: 300 },
    );
    await sql`update ip_addresses set workload_id = ${after.id} where workload_id = ${before.id}`;
    await addSubnet('192.0.2.0/28');
    await beat([makeFlow({ source_ip: '192.0.2.10', source_port: 2 })]);
    await resolveUntil(async () => {
      await beat([makeFlow({ source_ip: '192.0.2.10' }), makeFlow({ source_ip: '192.0.2.10', source_port: 3 })]);
      const [third] = await sql`select source_workload_id from traffic_flows where source_port = 3`;
      return third?.source_workload_id === after.id || !(await sql`delete from traffic_flows where source_port = 3`);
    });
    const [first] =
      await sql`select source_workload_id, source_cidr::text from traffic_flows where source_port = 40000`;
    expect(first).toMatchObject({ source_workload_id: before.id, source_cidr: '192.0.2.0/24' });
  });

  it('loses and doubles no byte of the sums, whatever becomes known', { timeout: 90_000 }, async () => {
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
        async (reports, prefixes) => {
          await sql`truncate traffic_flows, flow_rollup_minutes, flow_rollup_hours`;
          await sql`delete from subnets where cluster_id = ${cluster.id}`;
          await beat(reports.map((one) => makeFlow(one)));
          // Half of it is older than a day.
          await sql`with old as (delete from flow_rollup_minutes where bytes % 2 = 1 returning *)
          insert into flow_rollup_hours select * from old`;
          const before = await total();
          for (const cidr of prefixes) await addSubnet(cidr);
          const [marker] = [await addSubnet('172.31.0.0/16')];
          await beat([makeFlow({ source_ip: '172.31.0.1', destination_ip: '172.31.0.2', bytes: 0 })]);
          await resolveUntil(async () => {
            const [row] = await sql`select source_cidr from traffic_flows where host(source_ip) = '172.31.0.1'`;
            const walked =
              await sql`select 1 from flow_rollup_minutes where not source_internal and source_prefix <<= '172.31.0.0/16'`;
            return row?.source_cidr !== null && walked.length === 0 && (await resolveFlowEnds(undefined, 0)).done;
          });
          expect(marker).toBeDefined();
          expect(await total()).toEqual({ ...before, flows: before?.flows + 1 });
          const known = await sql`select cidr::text from subnets where cluster_id = ${cluster.id}`;
          for (const { cidr } of known) {
            const [row] = await sql`select count(*)::int as n from traffic_flows
            where source_cidr is null and source_ip <<= ${cidr}::cidr or destination_cidr is null and destination_ip <<= ${cidr}::cidr`;
            expect(row?.n).toBe(0);
          }
        },
      ),
      { numRuns: 6 },
    );
  });
});
