import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForwardingTestResult } from '@/domain/forwarding/destination';
import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { makeCluster, makeNode } from '@/test/factories';
import { describeWithTools } from '../../../agent/test/requirements';
import { flowStore } from '../traffic/storage/flow-store';
import { setUpDestinations } from './testing/destinations.fixture';
import {
  type CollectedFlow,
  expectAllRead,
  findFreeUdpPort,
  startCollector,
  startNfacctd,
  startNfcapd,
} from './testing/flow-collectors.fixture';
import { makeDirectory } from './testing/receivers.fixture';
import { advanceTime, makeConnection, storeFlows } from './testing/stored-traffic.fixture';

const sql = sqlClient();
const MINUTE = 60;
let nodes: { node_id: string; cluster_id: string }[];

beforeAll(async () => {
  const clusters = [await makeCluster(), await makeCluster()];
  nodes = await Promise.all(clusters.map(async ({ id }) => ({ node_id: (await makeNode({ id })).id, cluster_id: id })));
});

const { request, api, create: createAny, getProgress, forward: forwardOnce } = setUpDestinations();
const create = (port: number, more: object = {}) => createAny({ kind: 'ipfix', host: '127.0.0.1', port, ...more });
const readProgress = ({ id }: { id: string }) => getProgress(id, 'conversations');
const forward = async (destination: { id: string }) => {
  await sql`update forwarding_streams set next_attempt_at = null`;
  await forwardOnce(destination);
};
const node = (i = 0) => nodes[i] as (typeof nodes)[number];

/** Connections of all kinds: both families, TCP and ICMP, answered or not, some without counters, in two clusters. */
async function makeTraffic(count: number, from = 0, delay = 0): Promise<void> {
  const all = Array.from({ length: count }, (_, i) => from + i);
  for (const which of nodes.keys()) {
    const flows = all
      .filter((i) => i % nodes.length === which)
      .flatMap((i) =>
        makeConnection(
          i,
          {
            ...{ family: i % 3 === 0 ? 6 : 4, isIcmp: i % 7 === 0 },
            ...{ sent: i % 11 === 0 ? null : 100 + i, received: i % 5 === 0 || i % 11 === 0 ? null : 2 ** 33 + i },
          },
          delay,
        ),
      );
    await storeFlows(node(which), flows);
  }
}

type Totals = Record<string, { bytes: number; packets: number }>;
const add = (totals: Totals, key: string, bytes: number, packets: number) => {
  const sum = totals[key] ?? { bytes: 0, packets: 0 };
  totals[key] = { bytes: sum.bytes + bytes, packets: sum.packets + packets };
};
const isClient = (ip: string) => ip.startsWith('10.1.') || ip.startsWith('2001:db8:1:');
/** Per direction and family, as the database has them. */
async function readStored(): Promise<{ totals: Totals; counted: number; flows: number; conversations: number }> {
  const rows = await sql<{ ip: string; cb: number; cp: number; sb: number; sp: number; isCounted: boolean }[]>`
    select host(client_ip) as ip, coalesce(client_bytes, 0)::float8 as cb, coalesce(client_packets, 0)::float8 as cp,
      coalesce(server_bytes, 0)::float8 as sb, coalesce(server_packets, 0)::float8 as sp, client_bytes is not null as "isCounted"
    from traffic_conversations`;
  const totals: Totals = {};
  let counted = 0;
  for (const { ip, cb, cp, sb, sp, isCounted } of rows) {
    const family = ip.includes(':') ? 'IPv6' : 'IPv4';
    add(totals, `${family} from clients`, cb, cp);
    add(totals, `${family} from servers`, sb, sp);
    if (isCounted) counted += sp > 0 ? 2 : 1;
  }
  const uncounted = rows.filter(({ isCounted }) => !isCounted).length;
  return { totals, counted, flows: counted + uncounted, conversations: rows.length };
}
function sumCollected(flows: readonly CollectedFlow[]): Totals {
  const totals: Totals = {};
  for (const { source_ip: ip, bytes, packets } of flows)
    add(totals, `${ip.includes(':') ? 'IPv6' : 'IPv4'} from ${isClient(ip) ? 'clients' : 'servers'}`, bytes, packets);
  return totals;
}

describeWithTools(
  'nfcapd',
  'nfdump',
  'nfacctd',
)('conversations as IPFIX', () => {
  const directories = [makeDirectory(), makeDirectory()] as const;
  afterAll(() => {
    for (const { remove } of directories) remove();
  });

  it('arrive at nfcapd and nfacctd with the totals of the database, without a gap in the sequence', async () => {
    const ports = [await findFreeUdpPort(), await findFreeUdpPort()] as const;
    const nfcapd = await startNfcapd(directories[0].path, ports[0]);
    const nfacctd = await startNfacctd(directories[0].path, ports[1]);
    try {
      const destinations = [await create(ports[0]), await create(ports[1], { max_message_bytes: 512 })];
      await makeTraffic(1300);
      await advanceTime(15 * MINUTE);
      for (const destination of destinations) await forward(destination);
      // Another run, with another socket: other conversations, and some of the same ones, which have grown by late reports.
      await makeTraffic(100, 1200, 15 * MINUTE);
      await makeTraffic(400, 1300);
      await advanceTime(15 * MINUTE);
      for (const destination of destinations) await forward(destination);

      const stored = await readStored();
      expect(Object.keys(stored.totals)).toHaveLength(4);
      for (const destination of destinations)
        expect(await readProgress(destination)).toMatchObject({ lost: 0, waiting: 0, last_error: null });
      for (const port of ports) await expectAllRead(port);
      await expect.poll(() => sumCollected(nfacctd.readRows())).toEqual(stored.totals);
      await nfcapd.stop();
      expect(sumCollected(nfcapd.readFlows()), nfcapd.readLog()).toEqual(stored.totals);
      expect(nfcapd.readSequenceFailures()).toBe(0);
      expect(stored.conversations).toBe(1700);
      expect(nfcapd.readFlows().length).toBeGreaterThan(stored.flows);
      const protocols = new Set(nfcapd.readFlows().map(({ protocol }) => protocol));
      expect(protocols).toEqual(new Set(['tcp', 'icmp', 'icmp6']));
    } finally {
      await nfcapd.stop();
      await nfacctd.stop('SIGINT');
    }
  });

  it('arrive as one flow for each direction of a conversation', async () => {
    const port = await findFreeUdpPort();
    const nfcapd = await startNfcapd(directories[1].path, port);
    try {
      const destination = await create(port);
      await makeTraffic(300);
      await advanceTime(15 * MINUTE);
      await forward(destination);
      await expectAllRead(port);
      await nfcapd.stop();
      const { flows, conversations } = await readStored();
      expect(nfcapd.readFlows()).toHaveLength(flows);
      expect(await readProgress(destination)).toMatchObject({ sent: conversations, lost: 0 });
      const [span] = await sql`select (extract(epoch from min(first_seen_at)) * 1000)::float8 as first,
        (extract(epoch from max(last_seen_at)) * 1000)::float8 as last from traffic_conversations`;
      expect(nfcapd.readSpan()).toEqual(span);
    } finally {
      await nfcapd.stop();
    }
  });
});

describe('an IPFIX destination', () => {
  const sum = (records: readonly { bytes: number }[]) => records.reduce((total, { bytes }) => total + bytes, 0);
  const readTotal = async () =>
    Number((await sql`select sum(bytes)::float8 as bytes from traffic_conversations`)[0]?.bytes);
  const count = async () => Number((await sql`select count(*) as n from traffic_conversations`)[0]?.n);

  it('sends only what is new of a conversation that changed, and nothing when its counters did not', async () => {
    const collector = await startCollector();
    const destination = await create(collector.port);
    await storeFlows(node(), makeConnection(1, { sent: 100, received: 1000 }));
    await advanceTime(12 * MINUTE);
    await forward(destination);
    // A report that was delayed, about the answering direction.
    await storeFlows(node(), makeConnection(1, { sent: null, received: 70 }, 12 * MINUTE).slice(1));
    await advanceTime(2 * MINUTE);
    await forward(destination);
    await sql`update traffic_conversations set updated_at = now() - interval '61 seconds', revision = revision + 1`;
    await forward(destination);
    await expect.poll(() => collector.readRecords().length).toBe(3);
    expect(collector.readRecords().map(({ bytes }) => bytes)).toEqual([100, 1000, 70]);
    expect(sum(collector.readRecords())).toBe(await readTotal());
    expect(await readProgress(destination)).toMatchObject({ sent: 2, waiting: 0 });
    await collector.close();
  });

  it('does not send again what parts of a conversation were sent as', async () => {
    const collector = await startCollector();
    const destination = await create(collector.port);
    const other = { ...node(), node_id: (await makeNode({ id: node().cluster_id })).id };
    // Two nodes saw a direction each, at interfaces of different workloads.
    const [request, answer] = makeConnection(1, { sent: 100, received: 1000 });
    if (!request || !answer) throw new Error('expected two directions');
    const [left, right] = [newId(), newId()];
    request.record.workload_id = left;
    answer.record.workload_id = right;
    for (const { record } of [request, answer]) record.first_seen_at = new Date(Date.now() - 60_000).toISOString();
    await storeFlows(node(), [request]);
    await storeFlows(other, [answer]);
    await advanceTime(12 * MINUTE);
    await forward(destination);
    expect(await count()).toBe(2);
    await sql`update traffic_flows set source_workload_id = case when workload_id = ${left} then ${left}::uuid else ${right}::uuid end,
      destination_workload_id = case when workload_id = ${left} then ${right}::uuid else ${left}::uuid end`;
    await sql`update traffic_conversations as c set client_workload_id = f.source_workload_id, server_workload_id = f.destination_workload_id,
      is_merge_due = true from traffic_flows as f where f.conversation_id = c.id and c.client_ip = f.source_ip`;
    await sql`update traffic_conversations as c set client_workload_id = f.destination_workload_id, server_workload_id = f.source_workload_id,
      is_merge_due = true from traffic_flows as f where f.conversation_id = c.id and c.client_ip <> f.source_ip`;
    await flowStore().upkeep.settleConversations();
    expect(await count()).toBe(1);
    await advanceTime(2 * MINUTE);
    await forward(destination);
    expect(sum(collector.readRecords())).toBe(await readTotal());
    expect(await sql`select conversation_id from forwarding_exports`).toHaveLength(1);
    await collector.close();
  });

  it('continues sequence numbers of each cluster, also when two workers send at one time', async () => {
    const collector = await startCollector();
    const destination = await create(collector.port);
    for (const from of [0, 40, 80]) {
      await makeTraffic(40, from);
      await advanceTime(15 * MINUTE);
      await Promise.all([forward(destination), forward(destination)]);
    }
    const { flows, totals } = await readStored();
    await expect.poll(() => collector.readRecords().length).toBe(flows);
    expect(sum(collector.readRecords())).toBe(Object.values(totals).reduce((total, { bytes }) => total + bytes, 0));
    const expected = new Map<number, number>();
    for (const { domain, sequence, records } of collector.messages.filter(({ records }) => records.length > 0)) {
      expect(sequence).toBe(expected.get(domain) ?? 0);
      expected.set(domain, sequence + records.length);
    }
    const domains = nodes.map(({ cluster_id }) => Number.parseInt(cluster_id.slice(-8), 16));
    expect(new Set(expected.keys())).toEqual(new Set(domains));
    await collector.close();
  });

  it('waits while no program listens, and then sends everything', async () => {
    const port = await findFreeUdpPort();
    const destination = await create(port);
    await makeTraffic(60);
    await advanceTime(15 * MINUTE);
    await forward(destination);
    const waiting = await readProgress(destination);
    expect(waiting).toMatchObject({
      sent: 0,
      lost: 0,
      waiting: 60,
      last_error: expect.stringContaining('ECONNREFUSED'),
    });
    const collector = await startCollector(port);
    await forward(destination);
    await expect.poll(() => sum(collector.readRecords())).toBe(await readTotal());
    expect(await readProgress(destination)).toMatchObject({ sent: 60, lost: 0, waiting: 0, last_error: null });
    await collector.close();
  });

  it('counts as lost what it could not send of a batch, and never sends it twice', async () => {
    const collector = await startCollector();
    const destination = await create(collector.port, { max_message_bytes: 512 });
    await makeTraffic(800);
    await advanceTime(15 * MINUTE);
    collector.closeAfter(5);
    await forward(destination);
    const failed = await readProgress(destination);
    expect(failed.last_error).toMatch(/ECONNREFUSED/);
    expect(failed.lost).toBeGreaterThan(0);
    expect(failed.sent + failed.lost).toBe(800);
    const second = await startCollector(collector.port);
    await makeTraffic(10, 800);
    await advanceTime(15 * MINUTE);
    await forward(destination);
    await expect.poll(() => second.readRecords().length).toBeGreaterThan(10);
    const first = new Set(collector.readRecords().map(({ ends }) => ends));
    expect(second.readRecords().filter(({ ends }) => first.has(ends))).toEqual([]);
    expect(await readProgress(destination)).toMatchObject({ sent: failed.sent + 10, lost: failed.lost });
    await second.close();
  });

  it('counts a conversation with ends of two families as lost, and sends the others', async () => {
    const collector = await startCollector();
    const destination = await create(collector.port);
    const [mixed] = makeConnection(900, { sent: 100, received: null });
    if (!mixed) throw new Error('expected a flow');
    await storeFlows(node(), [{ ...mixed, record: { ...mixed.record, destination_ip: '2001:db8:2::1' } }]);
    await makeTraffic(5, 901);
    await advanceTime(15 * MINUTE);
    await forward(destination);
    expect(await readProgress(destination)).toMatchObject({ sent: 5, lost: 1, waiting: 0, last_error: null });
    await expect.poll(() => collector.readRecords().length).toBeGreaterThanOrEqual(5);
    await collector.close();
  });

  it('sends templates and a record of totals as test, and says that nothing confirms it', async () => {
    const collector = await startCollector();
    const destination = await create(collector.port);
    const test = () => api<ForwardingTestResult>('POST', `/forwarding-destinations/${destination.id}/test`);
    expect(await test()).toEqual({ is_sent: true, is_confirmed: false, record_id: null, error: null });
    await expect.poll(() => collector.messages).toMatchObject([{ domain: 0, records: [{ scope: 1 }] }]);
    await collector.close();
    expect(await test()).toMatchObject({
      is_sent: false,
      error: expect.stringMatching(/ECONNREFUSED.*Check the port/),
    });
  });

  it('gets conversations only, at a private address, in messages of a permitted size', async () => {
    const refuse = async (body: object) => {
      const given = { kind: 'ipfix', name: newId(), host: '127.0.0.1', port: 4739, ...body };
      const response = await request('POST', '/forwarding-destinations', given);
      const { errors } = (await response.json()) as { errors?: { field: string; message: string }[] };
      return { status: response.status, ...errors?.[0] };
    };
    const audit = /conversations only/;
    expect(await refuse({ streams: ['audit'] })).toMatchObject({
      field: 'streams',
      message: expect.stringMatching(audit),
    });
    expect(await refuse({ streams: ['audit', 'conversations'] })).toMatchObject({ field: 'streams' });
    expect(await refuse({ max_message_bytes: 511 })).toMatchObject({ field: 'max_message_bytes' });
    expect(await refuse({ max_message_bytes: 8953 })).toMatchObject({ field: 'max_message_bytes' });
    expect((await refuse({ transport: 'tcp' })).status).toBe(400);
    expect(await refuse({ host: '169.254.169.254' })).toMatchObject({
      field: 'host',
      message: expect.stringMatching(/not allowed/),
    });
    expect(await refuse({ host: '198.51.100.1' })).toMatchObject({
      field: 'host',
      message: expect.stringMatching(/unencrypted/),
    });

    const { id } = await create(4739);
    const update = async (of: string, body: object) => {
      const response = await request('PATCH', `/forwarding-destinations/${of}`, body);
      const { errors } = (await response.json()) as { errors?: { field: string }[] };
      return [response.status, errors?.[0]?.field];
    };
    expect(await update(id, { streams: ['audit'] })).toEqual([422, 'streams']);
    expect(await update(id, { max_message_bytes: 10_000 })).toEqual([422, 'max_message_bytes']);
    expect(await update(id, { transport: 'tls' })).toEqual([422, 'transport']);
    expect(await update(id, { host: '198.51.100.1' })).toEqual([422, 'host']);
    expect(await update(id, { max_message_bytes: 512, port: 2055 })).toEqual([200, undefined]);
    const syslog = await create(514, { kind: 'syslog', streams: ['audit'] });
    expect(await update(syslog.id, { max_message_bytes: 512 })).toEqual([422, 'max_message_bytes']);
  });
});
