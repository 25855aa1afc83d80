import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CollectorStatus, FlowExporter } from '@/domain/collector/exporter';
import { sqlClient } from '@/server/db/client';
import { bearer, makeAgent, makeCluster, makeNode, makeTwoTenants, makeUser } from '@/test/factories';
import { call, callJson } from '@/test/request';
import { makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { freshAddressBook } from '../flows/address-book';
import type { Batch } from './intake';
import { storeBatch } from './store-batch';
import {
  type ReceivingCollector,
  readStored,
  SendingExporter,
  type SentFlow,
  startReceivingCollector,
} from './testing/sending-exporter.fixture';

const sql = sqlClient();
const REQUEST: SentFlow = {
  ...{ source: '10.9.0.1', destination: '10.9.0.2', source_port: 40_000, destination_port: 443 },
  ...{ bytes: 1500, packets: 3 },
};
const RESPONSE: SentFlow = {
  ...{ source: '10.9.0.2', destination: '10.9.0.1', source_port: 443, destination_port: 40_000 },
  ...{ bytes: 90_000, packets: 70 },
};

let admin: { authorization: string };
let cluster: { id: string };
let node: { id: string };
let collector: ReceivingCollector;
let device: SendingExporter;
let open: SendingExporter[] = [];

async function connect(address?: string): Promise<SendingExporter> {
  const made = await SendingExporter.open(collector, address);
  open.push(made);
  return made;
}

beforeEach(async () => {
  await sql`delete from flow_exporters`;
  await sql`delete from refused_senders`;
  admin = await bearer(await makeUser('admin'));
  cluster = await makeCluster();
  node = await makeNode(cluster);
  collector = await startReceivingCollector();
  device = await connect();
});
afterEach(async () => {
  await collector.close();
  for (const one of open) one.close();
  open = [];
});

type Values = Partial<Record<'name' | 'address' | 'cluster_id' | 'node_id', string | null>>;
async function create(values: Values = {}) {
  const body = { name: `switch ${randomUUID()}`, address: '127.0.0.1', cluster_id: cluster.id, ...values };
  const answer = await callJson<FlowExporter>('/flow-exporters', admin, { body });
  await collector.flush();
  return answer;
}
async function createOfNode() {
  const { status, body } = await create({ node_id: node.id });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}
/** Makes the database refuse what exporters sent, with an error of this code. @returns what ends it */
async function failStoring(code: string) {
  await sql.unsafe(`create function fail_storing() returns trigger language plpgsql as
    $$ begin raise exception 'no' using errcode = '${code}'; end $$;
    create trigger fail_storing before insert or update on flow_exporter_status execute function fail_storing()`);
  return () => sql.unsafe('drop function fail_storing() cascade');
}
const read = async (id: string) => (await callJson<FlowExporter>(`/flow-exporters/${id}`, admin)).body;
const readState = async () => (await callJson<CollectorStatus>('/collector', admin)).body;

describe('collector', () => {
  it('stores what an exporter of a node reports as flows of the node, to the byte', async () => {
    const exporter = await createOfNode();
    expect(exporter).toMatchObject({ state: 'waiting', has_agent: false, datagrams: 0 });
    await device.send([REQUEST, RESPONSE]);
    // The same flow continues: exporters count from zero after each record.
    await device.send([{ ...RESPONSE, bytes: 10, packets: 1, began_ago: 500, ended_ago: 100 }]);
    await collector.flush();
    await device.send([{ ...RESPONSE, bytes: 5, packets: 1, began_ago: 50, ended_ago: 10 }]);
    await collector.flush();
    const { flows, totals, rolled } = await readStored(node.id);
    expect(flows).toMatchObject([
      {
        source: '10.9.0.1',
        bytes: 1500,
        packets: 3,
        collector: 'netflow9',
        decision: 'observed',
        exporter: exporter.name,
      },
      { source: '10.9.0.2', bytes: 90_015, packets: 72 },
    ]);
    expect(rolled).toEqual(totals);
    expect(await read(exporter.id)).toMatchObject({
      ...{ state: 'receiving', protocol: 'netflow9', datagrams: 3, records: 4, stored: 4 },
      ...{ lost: 0, dropped: 0, superseded: 0, sampled: 0, untimed: 0, malformed: 0, unknown_templates: 0 },
    });
  });

  it('shows its flows like those of an agent: with workloads of the node, in list and totals', async () => {
    const { ours, theirs, cluster: shared } = await makeTwoTenants('viewer');
    cluster = shared;
    node = await makeNode(shared);
    await sql`update workloads set node_id = ${node.id} where id in (${ours.workload.id}, ${theirs.workload.id})`;
    const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
      values (gen_random_uuid(), ${shared.id}, 'vmbr9', 'bridge', 'provider') returning id`;
    const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${shared.id}, ${network?.id}, '10.9.0.0/24', 'manual') returning id`;
    for (const [address, workload] of [
      ['10.9.0.1', ours.workload.id],
      ['10.9.0.2', theirs.workload.id],
    ]) {
      await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
        values (gen_random_uuid(), ${shared.id}, ${network?.id}, ${subnet?.id}, ${address as string}, ${workload as string}, 'manual')`;
    }
    await freshAddressBook();
    await createOfNode();
    await device.send([REQUEST, RESPONSE]);
    await collector.flush();
    const own = await bearer(ours.user);
    const { body } = await callJson<{ items: Record<string, unknown>[]; total: number }>(
      `/flows?node_id=${node.id}`,
      admin,
    );
    expect(body.items).toHaveLength(2);
    const asTenant = await callJson<{ items: Record<string, unknown>[] }>(
      `/flows?workload_id=${ours.workload.id}`,
      own,
    );
    expect(asTenant.body.items).toHaveLength(2);
    for (const flow of asTenant.body.items) {
      // No firewall said anything, and only the own workload is named.
      expect(flow).toMatchObject({ decision: 'observed', collector: 'netflow9' });
      expect(JSON.stringify(flow)).not.toContain(theirs.workload.id);
    }
  });

  it('counts lost datagrams, unknown templates, implausible times and what cannot be read', async () => {
    const exporter = await createOfNode();
    await device.send([REQUEST]);
    device.lose(4);
    await device.send([{ ...REQUEST, began_ago: 9_000_000, ended_ago: 8_999_000 }]);
    await device.sendBytes(Buffer.from('000900000000000000000000000000000000000004000008ffffffff', 'hex'));
    await device.sendBytes(Buffer.from('not a flow record'));
    await device.sendBytes(device.encode([REQUEST]).subarray(0, -7));
    await collector.flush();
    expect(await read(exporter.id)).toMatchObject({
      ...{ datagrams: 5, records: 2, stored: 2, lost: 4, untimed: 1, malformed: 2, unknown_templates: 1 },
    });
    expect((await readStored(node.id)).totals).toEqual({ bytes: 3000, packets: 6 });
  });

  it('leaves sampled records out of the exact totals, and shows the sampling', async () => {
    const exporter = await createOfNode();
    await device.send([REQUEST, { ...RESPONSE, sampling: 100 }]);
    await collector.flush();
    expect((await readStored(node.id)).totals).toEqual({ bytes: 1500, packets: 3 });
    expect(await read(exporter.id)).toMatchObject({
      ...{ records: 2, stored: 1, sampled: 1, estimated: 1, folded: 0, sampling: 100 },
    });
  });

  it('refuses senders that are not listed, and shows them until they are', async () => {
    const other = await connect('127.0.0.2');
    await device.send([REQUEST]);
    await other.send([REQUEST]);
    await other.send([REQUEST]);
    await collector.flush();
    const { processes, refused_senders } = await readState();
    expect(processes).toMatchObject([{ listens: `127.0.0.1:${collector.address.port}`, datagrams: 3, refused: 3 }]);
    expect(refused_senders.map(({ address, datagrams }) => [address, datagrams]).sort()).toEqual([
      ['127.0.0.1', 1],
      ['127.0.0.2', 2],
    ]);
    await createOfNode();
    expect((await readState()).refused_senders).toMatchObject([{ address: '127.0.0.2' }]);
    expect((await readStored(node.id)).flows).toEqual([]);
  });

  it('forgets its process when it ends', async () => {
    await collector.close();
    expect((await readState()).processes).toEqual([]);
    collector = await startReceivingCollector();
  });

  it('stores nothing for a node whose agent reports, from the first heartbeat on', async () => {
    const exporter = await createOfNode();
    const agent = await makeAgent(node);
    await device.send([REQUEST]);
    await collector.flush();
    const answer = await call('/agents/heartbeat', { method: 'POST', body: makeHeartbeat(), headers: agent });
    expect(answer.status).toBe(200);
    await device.send([RESPONSE]);
    await collector.flush();
    expect((await readStored(node.id)).totals).toEqual({ bytes: 1500, packets: 3 });
    expect(await read(exporter.id)).toMatchObject({ records: 2, stored: 1, superseded: 1, has_agent: true });
    // A day later its spool is empty.
    await sql`update node_agents set last_heartbeat_at = now() - interval '24 hours 1 minute' where node_id = ${node.id}`;
    await device.send([RESPONSE]);
    await collector.flush();
    expect((await readStored(node.id)).totals).toEqual({ bytes: 91_500, packets: 73 });
  });

  it('drops records of a device that is no node, and of a node that is not its any more', async () => {
    const { body: exporter } = await create();
    await device.send([REQUEST]);
    await collector.flush();
    expect(await read(exporter.id)).toMatchObject({ records: 1, stored: 0, dropped: 1 });
    const [other, change] = [await makeNode(cluster), { method: 'PATCH' }];
    await callJson(`/flow-exporters/${exporter.id}`, admin, { ...change, body: { node_id: node.id } });
    await collector.flush();
    await device.send([REQUEST]);
    await callJson(`/flow-exporters/${exporter.id}`, admin, { ...change, body: { node_id: other.id } });
    await collector.flush();
    await device.send([RESPONSE]);
    await collector.flush();
    expect(await read(exporter.id)).toMatchObject({ records: 3, stored: 1, dropped: 2, node_id: other.id });
    expect((await readStored(node.id)).flows).toEqual([]);
    expect((await readStored(other.id)).totals).toEqual({ bytes: 90_000, packets: 70 });
  });

  it('keeps what it could not store, and stores it once', async () => {
    const exporter = await createOfNode();
    await device.send([REQUEST]);
    const repair = await failStoring('53100');
    await collector.flush();
    await device.send([REQUEST]);
    await collector.flush();
    expect((await readStored(node.id)).flows).toEqual([]);
    await repair();
    await collector.flush();
    expect((await readStored(node.id)).totals).toEqual({ bytes: 3000, packets: 6 });
    expect(await read(exporter.id)).toMatchObject({ datagrams: 2, stored: 2, dropped: 0 });
  });

  it('drops what the database refuses, and counts it', async () => {
    const exporter = await createOfNode();
    await device.send([REQUEST]);
    const repair = await failStoring('22003');
    await collector.flush();
    await repair();
    await device.send([RESPONSE]);
    await collector.flush();
    expect(await read(exporter.id)).toMatchObject({ datagrams: 2, records: 2, stored: 1, dropped: 1 });
    expect((await readStored(node.id)).totals).toEqual({ bytes: 90_000, packets: 70 });
  });

  it('stores a batch once, also when it is stored again after its answer was lost', async () => {
    const { id, address, cluster_id, node_id } = await createOfNode();
    const now = Date.now();
    const batch: Batch = {
      ...{ id: randomUUID(), exporter: { id, address, cluster_id, node_id }, protocol: 'ipfix', sampling: null },
      last_seen_at: new Date(now).toISOString(),
      received: {
        datagrams: 1,
        records: 1,
        lost: 0,
        unknown_templates: 0,
        malformed: 0,
        untimed: 0,
        dropped: 0,
        sampled: 0,
        folded: 0,
      },
      estimates: [],
      flows: [
        {
          ...{
            source_ip: 'fd77::1',
            destination_ip: 'fd77::2',
            protocol: 4,
            source_port: null,
            destination_port: null,
          },
          ...{ icmp_type: null, icmp_code: null, vlan: null, bytes: 7, packets: 1, initiator: null, records: 1 },
          ...{ first_ms: now, last_ms: now, export_protocol: 'ipfix' },
        },
      ],
    };
    await storeBatch(batch);
    await storeBatch(batch);
    const stored = await readStored(node.id);
    expect(stored.totals).toEqual({ bytes: 7, packets: 1 });
    // As agents name it.
    expect(stored.flows).toMatchObject([{ protocol: 'ipip' }]);
    expect(await read(id)).toMatchObject({ datagrams: 1, stored: 1 });
    await call(`/flow-exporters/${id}`, { method: 'DELETE', headers: admin });
    await storeBatch({ ...batch, id: randomUUID() });
    expect((await readStored(node.id)).totals).toEqual({ bytes: 7, packets: 1 });
  });
});

describe('/flow-exporters', () => {
  it('creates, lists, changes and deletes exporters, with audit records', async () => {
    const exporter = await createOfNode();
    const list = async (query: string) =>
      (await callJson<{ items: FlowExporter[] }>(`/flow-exporters?${query}`, admin)).body.items.map(({ id }) => id);
    expect(await list(`cluster_id=${cluster.id}&state=waiting&q=127.0`)).toEqual([exporter.id]);
    expect(await list(`cluster_id=${cluster.id}&state=off`)).toEqual([]);
    const change = { method: 'PATCH', body: { enabled: false, address: '::ffff:127.0.0.9', version: 1 } };
    const changed = await callJson<FlowExporter>(`/flow-exporters/${exporter.id}`, admin, change);
    expect(changed.body).toMatchObject({ state: 'off', address: '127.0.0.9', version: 2 });
    expect((await callJson(`/flow-exporters/${exporter.id}`, admin, change)).status).toBe(409);
    expect((await callJson(`/flow-exporters/${exporter.id}`, admin, { method: 'DELETE' })).status).toBe(204);
    expect((await callJson(`/flow-exporters/${exporter.id}`, admin)).status).toBe(404);
    const records = await sql`select action from audit_records where object_id = ${exporter.id} order by seq`;
    expect(records.map(({ action }) => action)).toEqual([
      'flow_exporter.created',
      'flow_exporter.updated',
      'flow_exporter.deleted',
    ]);
  });

  it('refuses a second exporter of an address or a node, a node elsewhere, and one with an agent', async () => {
    const exporter = await createOfNode();
    const elsewhere = await makeNode(await makeCluster());
    const reporting = await makeNode(cluster);
    const agent = await makeAgent(reporting);
    await call('/agents/heartbeat', { method: 'POST', body: makeHeartbeat(), headers: agent });
    const field = async (values: Values) => {
      const { status, body } = await create({ address: '127.0.0.5', ...values });
      return [status, (body as unknown as { errors?: { field: string }[] }).errors?.[0]?.field];
    };
    expect(await field({ address: '127.0.0.1' })).toEqual([409, 'address']);
    expect(await field({ node_id: node.id })).toEqual([409, 'node_id']);
    expect(await field({ name: exporter.name })).toEqual([409, 'name']);
    expect(await field({ node_id: elsewhere.id })).toEqual([422, 'node_id']);
    expect(await field({ node_id: reporting.id })).toEqual([422, 'node_id']);
    expect((await field({ cluster_id: randomUUID() }))[0]).toBe(404);
    expect(await field({ address: 'switch.example' })).toEqual([400, 'address']);
    const bound = { method: 'PATCH', body: { node_id: reporting.id } };
    expect((await callJson(`/flow-exporters/${exporter.id}`, admin, bound)).status).toBe(422);
  });
});
