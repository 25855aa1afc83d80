import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FlowEstimates } from '@/domain/collector/estimate';
import type { FlowExporter } from '@/domain/collector/exporter';
import { forgetSharedAnswers } from '@/server/admission/shared-answers';
import { sqlClient } from '@/server/db/client';
import { bearer, makeCluster, makeNode, makeUser, makeWorkload } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call, callJson } from '@/test/request';
import { freshAddressBook } from '../flows/address-book';
import { resolveFlowEnds, sumTraffic } from '../flows/upkeep';
import {
  type ReceivingCollector,
  SendingExporter,
  type SentFlow,
  startReceivingCollector,
} from './testing/sending-exporter.fixture';

const sql = sqlClient();
let admin: { authorization: string };
let collector: ReceivingCollector;
let device: SendingExporter;
let exporter: FlowExporter;
let workload: { id: string };
let time: ReturnType<typeof fakeClock>;

beforeAll(async () => {
  await sql`delete from flow_exporters`;
  admin = await bearer(await makeUser('admin'));
  const cluster = await makeCluster();
  const node = await makeNode(cluster);
  workload = await makeWorkload(cluster);
  await sql`update workloads set node_id = ${node.id} where id = ${workload.id}`;
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr7', 'bridge', 'provider') returning id`;
  const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, '10.7.0.0/24', 'manual') returning id`;
  await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, '10.7.0.1', ${workload.id}, 'manual')`;
  await freshAddressBook();
  const created = await callJson<FlowExporter>('/flow-exporters', admin, {
    body: { name: 'law', address: '127.0.0.1', cluster_id: cluster.id, node_id: node.id },
  });
  expect(created.status).toBe(201);
  exporter = created.body;
  collector = await startReceivingCollector();
  device = await SendingExporter.open(collector);
  time = fakeClock();
});
afterAll(async () => {
  time.restore();
  device.close();
  await collector.close();
});

const flow = (values: Partial<SentFlow> = {}): SentFlow => ({
  ...{ source: '10.7.0.1', destination: '203.0.113.9', source_port: 40_000, destination_port: 443 },
  ...{ bytes: 1500, packets: 3 },
  ...values,
});

/** What every page says about traffic, as its bytes. */
async function readPages(): Promise<Record<string, string>> {
  await sumTraffic();
  await resolveFlowEnds(undefined, 0);
  await sumTraffic();
  forgetSharedAnswers();
  const pages: Record<string, string> = {};
  for (const path of [
    '/dashboard',
    '/flows',
    '/flows/groups',
    '/flows/groups?group_by=source',
    '/flows/series',
    '/topology',
    '/conversations',
    `/workloads/${workload.id}/visibility`,
    '/coverage/workloads',
  ]) {
    const answer = await call(path, { headers: admin });
    const text = await answer.text();
    expect(answer.status, `${path}: ${text}`).toBe(200);
    // When the totals were last brought up to date, by the clock of the database.
    pages[path] = text.replace(/"as_of":"[^"]*"/, '"as_of"');
  }
  return pages;
}

/** A datagram of sFlow 5 with one sampled packet of TCP, which the agent has read. */
function encodeSflow(rate: number, bytes: number): Buffer {
  const words = (...values: number[]) => {
    const buffer = Buffer.alloc(values.length * 4);
    for (const [i, value] of values.entries()) buffer.writeUInt32BE(value, i * 4);
    return buffer;
  };
  const [source, destination] = [0x0a_07_00_01, 0xcb_00_71_09];
  const packet = words(3, 32, bytes, 6, source, destination, 40_001, 8443, 0, 0);
  const sample = Buffer.concat([words(1, 1, rate, 1000, 0, 1, 2, 1), packet]);
  return Buffer.concat([words(5, 1, 0x7f_00_00_01, 0, 1, 1000, 1, 1, sample.length), sample]);
}

it('leaves every list and total of flows as it is, to the byte, while sampled records are stored', async () => {
  await device.send([
    flow(),
    flow({ source: '203.0.113.9', destination: '10.7.0.1', source_port: 443, destination_port: 40_000 }),
  ]);
  await collector.flush();
  const before = await readPages();
  expect(await readPages()).toEqual(before);
  for (const path of ['/flows', '/flows/groups', '/conversations']) expect(before[path]).toContain(workload.id);

  await device.send([flow({ sampling: 100 }), flow({ sampling: 10, source_port: 40_002 })]);
  await device.send([flow({ destination: '10.7.0.77', destination_port: 22, sampling: 1000 })]);
  await device.sendBytes(encodeSflow(64, 500));
  await device.sendBytes(encodeSflow(1, 700));
  await collector.flush();
  const { body } = await callJson<FlowEstimates>(`/flow-estimates?flow_exporter_id=${exporter.id}`, admin);
  expect(body.items.map(({ port, bytes, packets, samples }) => [port, bytes, packets, samples])).toEqual([
    [22, 1_500_000, 3_000, 3],
    [443, 165_000, 330, 6],
    [8443, 32_700, 65, 2],
  ]);
  expect(body.items.every(({ source_workload_id }) => source_workload_id === workload.id)).toBe(true);
  expect((await callJson<FlowExporter>(`/flow-exporters/${exporter.id}`, admin)).body).toMatchObject({
    ...{ protocol: 'sflow', records: 7, stored: 2, sampled: 5, estimated: 5, folded: 0, dropped: 0, malformed: 0 },
  });
  expect(await readPages()).toEqual(before);

  // The pages do change with the same records when they are exact.
  await device.send([flow()]);
  await collector.flush();
  const after = await readPages();
  for (const path of ['/flows', '/flows/groups', '/flows/series', '/topology']) {
    expect(after[path], path).not.toBe(before[path]);
  }
});
