import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { FlowExporter } from '@/domain/collector/exporter';
import { sqlClient } from '@/server/db/client';
import { bearer, makeCluster, makeNode, makeUser } from '@/test/factories';
import { callJson } from '@/test/request';
import { describeAsRoot } from '../../../../agent/test/requirements';
import { type Collector, startCollector } from './run-collector';
import { CLIENT, type Counts, flowKey, SERVER, SoftflowdLab } from './testing/softflowd-lab.fixture';

const sql = sqlClient();
const ENDS = [CLIENT.v4, CLIENT.v6, SERVER.v4, SERVER.v6];

/** The flows of a node between the two ends, in the words of tcpdump. */
async function readCounts(nodeId: string): Promise<Counts> {
  const rows = await sql<{ source: string; destination: string; protocol: string; packets: number; bytes: number }[]>`
    select protocol, host(source_ip) || coalesce(' ' || source_port, '') as source,
      host(destination_ip) || coalesce(' ' || destination_port, '') as destination,
      packets::float8 as packets, bytes::float8 as bytes
    from traffic_flows where node_id = ${nodeId} and host(source_ip) = any (${ENDS}) and host(destination_ip) = any (${ENDS})`;
  return new Map(
    rows.map(({ protocol, source, destination, packets, bytes }) => [
      flowKey(protocol, source, destination),
      { packets, bytes },
    ]),
  );
}

const sorted = (counts: Counts) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

describeAsRoot(
  'softflowd',
  'softflowctl',
  'tcpdump',
  'ip',
  'ping',
)('softflowd', () => {
  let lab: SoftflowdLab;
  let collector: Collector;
  let admin: { authorization: string };
  let node: { id: string };
  let exporter: FlowExporter;

  beforeAll(() => {
    lab = new SoftflowdLab();
  });
  afterAll(() => lab.destroy());
  beforeEach(async () => {
    await sql`delete from flow_exporters`;
    admin = await bearer(await makeUser('admin'));
    const cluster = await makeCluster();
    node = await makeNode(cluster);
    const body = { name: 'softflowd', address: '127.0.0.1', cluster_id: cluster.id, node_id: node.id };
    exporter = (await callJson<FlowExporter>('/flow-exporters', admin, { body })).body;
    collector = await startCollector({ host: '127.0.0.1', port: 0 }, lab.listen);
  });
  afterEach(() => collector.close());

  it.each([
    ['NetFlow 9', ['-v', '9'], 'netflow9', 1],
    [
      'NetFlow 9, each flow several times while it lasts',
      ['-v', '9', '-t', 'maxlife=1', '-t', 'expint=1'],
      'netflow9',
      3,
    ],
    ['IPFIX', ['-v', '10'], 'ipfix', 1],
    ['IPFIX with absolute times and records of both directions', ['-v', '10', '-b', '-A', 'milli'], 'ipfix', 1],
  ] as const)('sends %s, and stored totals equal those of tcpdump', async (_, flags, protocol, seconds) => {
    const counted = await lab.observe(collector.address.port, flags, seconds);
    await collector.flush();
    const keys = [...counted.keys()].join('\n');
    // Both families, TCP, UDP and ICMP, both directions.
    for (const part of [
      `tcp ${CLIENT.v4}`,
      `tcp ${SERVER.v6}`,
      `udp ${CLIENT.v6}`,
      `icmp ${SERVER.v4}`,
      `icmpv6 ${CLIENT.v6}`,
    ])
      expect(keys).toContain(part);
    expect(sorted(await readCounts(node.id))).toEqual(sorted(counted));
    const { body } = await callJson<FlowExporter>(`/flow-exporters/${exporter.id}`, admin);
    expect(body).toMatchObject({
      ...{ protocol, state: 'receiving', lost: 0, unknown_templates: 0, malformed: 0, dropped: 0, untimed: 0 },
    });
    expect(body.stored).toBe(body.records);
  });
});
