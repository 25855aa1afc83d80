import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { bearer, makeAgent, makeNode, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { describeWithTools } from '../../../agent/test/requirements';
import { makeFlows, makeHeartbeat } from '../traffic/agents/testing/heartbeat.fixture';
import { flowStore } from '../traffic/storage/flow-store';
import { setUpDestinations } from './testing/destinations.fixture';
import {
  findFreePort,
  makeCertificate,
  makeDirectory,
  type SyslogMessage,
  startLineReceiver,
  startRsyslog,
} from './testing/receivers.fixture';
import { advanceTime, makeStoredFlow } from './testing/stored-traffic.fixture';

const sql = sqlClient();
const MINUTE = 60;
let tenants: Awaited<ReturnType<typeof makeTwoTenants>>;
let node: { id: string };
let agent: { authorization: string };

beforeAll(async () => {
  tenants = await makeTwoTenants('viewer');
  node = await makeNode(tenants.cluster);
  agent = await makeAgent(node);
});

const { request, api, read, getProgress, forward, create: createAny } = setUpDestinations();
const create = (values: object) => createAny({ streams: ['audit', 'conversations'], ...values });
/** Audit records, in their order. */
const makeRecords = async (count: number, tenant_id: string | null = null) => {
  for (let i = 0; i < count; i++)
    await api('POST', '/notification-channels', {
      kind: 'email',
      name: newId(),
      recipients: ['a@example.org'],
      tenant_id,
    });
};
const trail = async (after: number) => {
  const rows = await sql<{ id: string }[]>`select id from audit_records where seq > ${after} order by seq`;
  return rows.map(({ id }) => id);
};
const lastSeq = async () => Number((await sql`select max(seq) as seq from audit_records`)[0]?.seq);

/** Conversations with an unknown end each, reported after a delay in seconds. */
async function makeConversations(count: number, from = 0, delay = 0): Promise<void> {
  await sql`delete from rate_limits`;
  const response = await call('/agents/heartbeat', {
    ...{ method: 'POST', headers: agent },
    body: makeHeartbeat(
      makeFlows(count, from).map((flow) => ({
        ...flow,
        observed_at: new Date(Date.now() - delay * 1000).toISOString(),
      })),
      { machine_id: node.id.replaceAll('-', '') },
    ),
  });
  expect(response.status, await response.clone().text()).toBe(200);
}
type Sent = {
  type: string;
  id: string;
  bytes: number | null;
  revision: number;
  seq: number | null;
  omitted?: string[];
};
const sumBytes = (records: readonly { bytes: number | null }[]) =>
  records.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
const stored = async () => {
  const [row] = await sql`select count(*)::int as count, sum(bytes)::float8 as bytes from traffic_conversations`;
  return { count: Number(row?.count), bytes: Number(row?.bytes) };
};

describeWithTools(
  'rsyslogd',
  'rsyslog/lmnsd_gtls.so',
  'openssl',
)('forwarding to rsyslog over TLS', () => {
  const directory = makeDirectory();
  let ca = '';
  let port = 0;
  let receiver: Awaited<ReturnType<typeof startRsyslog>>;
  beforeAll(async () => {
    ca = makeCertificate(directory.path);
    port = await findFreePort();
    receiver = await startRsyslog(directory.path, port);
  });
  afterAll(async () => {
    await receiver.stop();
    directory.remove();
  });
  const parse = ({ text }: SyslogMessage): Sent => JSON.parse(text) as Sent;

  it('delivers every record in its order, also those that waited while the receiver was away', async () => {
    const destination = await create({
      kind: 'syslog',
      host: 'localhost',
      port,
      ca_certificates: ca,
      max_message_bytes: 2048,
    });
    const start = await lastSeq();
    await makeRecords(8);
    await makeConversations(200);
    await advanceTime(15 * MINUTE);
    await forward(destination);
    await receiver.stop('SIGKILL');
    await makeRecords(5);
    await makeConversations(100, 200);
    await advanceTime(15 * MINUTE);
    await forward(destination);
    const failed = await getProgress(destination.id, 'conversations');
    expect(failed).toMatchObject({
      sent: 200,
      waiting: 100,
      lost: 0,
      last_error: expect.stringContaining('ECONNREFUSED'),
    });
    await forward(destination);
    expect((await getProgress(destination.id, 'conversations')).last_failed_at, 'waits for its pause').toBe(
      failed.last_failed_at,
    );
    receiver = await startRsyslog(directory.path, port);
    await advanceTime(MINUTE);
    await forward(destination);

    const expected = await trail(start - 1);
    await expect.poll(() => receiver.readMessages().length).toBe(expected.length + 300);
    const messages = receiver.readMessages();
    const audit = messages.filter(({ type }) => type === 'audit');
    expect(audit.map((one) => parse(one).id)).toEqual(expected);
    expect(audit[0]).toMatchObject({ priority: '109', app: 'fabric' });
    const conversations = messages.filter(({ type }) => type === 'conversation').map(parse);
    expect({ count: new Set(conversations.map(({ id }) => id)).size, bytes: sumBytes(conversations) }).toEqual(
      await stored(),
    );
    expect(await getProgress(destination.id, 'audit')).toMatchObject({
      sent: expected.length,
      waiting: 0,
      last_error: null,
    });
  });

  it('fails on a certificate of another authority, and says so', async () => {
    const destination = await create({ kind: 'syslog', host: 'localhost', port });
    const result = await api('POST', `/forwarding-destinations/${destination.id}/test`);
    expect(result).toMatchObject({
      is_sent: false,
      error: expect.stringMatching(/TLS with localhost:\d+ failed.*Check/),
    });
  });
});

describe('records that a receiver does not get', () => {
  it('counts conversations that waited too long, and sends the rest', async () => {
    const destination = await create({
      kind: 'json',
      host: '127.0.0.1',
      port: await findFreePort(),
      transport: 'tcp',
      max_wait_hours: 1,
    });
    await makeConversations(40);
    await advanceTime(15 * MINUTE);
    await forward(destination);
    expect(await getProgress(destination.id, 'conversations')).toMatchObject({ waiting: 40, lost: 0 });
    await advanceTime(60 * MINUTE);
    await makeConversations(10, 40);
    await advanceTime(12 * MINUTE);
    const receiver = await startLineReceiver(destination.port ?? 0);
    await forward(destination);
    await receiver.close();
    expect(receiver.lines.filter((line) => line.includes('"type":"conversation"'))).toHaveLength(10);
    expect(await getProgress(destination.id, 'conversations')).toMatchObject({
      sent: 10,
      lost: 40,
      is_lost_exact: true,
      waiting: 0,
    });
  });

  it('counts audit records that the retention removed', async () => {
    const destination = await create({ kind: 'json', host: '127.0.0.1', port: await findFreePort(), transport: 'tcp' });
    const start = await lastSeq();
    await makeRecords(6);
    // As the retention does it, which the database permits only for records older than 30 days.
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`delete from audit_records where seq <= ${start + 4}`;
    });
    const receiver = await startLineReceiver(destination.port ?? 0);
    await forward(destination);
    await receiver.close();
    const sent = receiver.lines.map((line) => JSON.parse(line) as Sent).filter(({ type }) => type === 'audit');
    expect(sent.map(({ id }) => id)).toEqual(await trail(start));
    expect(await getProgress(destination.id, 'audit')).toMatchObject({ lost: 5, is_lost_exact: true });
  });
});

describe('forwarding', () => {
  it('sends a conversation again when it changed, with a higher revision', async () => {
    const receiver = await startLineReceiver();
    const destination = await create({ kind: 'json', host: '127.0.0.1', port: receiver.port, transport: 'tcp' });
    await makeConversations(1);
    await advanceTime(12 * MINUTE);
    await forward(destination);
    // A report that was delayed.
    await makeConversations(1, 0, 12 * MINUTE);
    await advanceTime(2 * MINUTE);
    await forward(destination);
    await forward(destination);
    await receiver.close();
    const sent = receiver.lines.map((line) => JSON.parse(line) as Sent).filter(({ type }) => type === 'conversation');
    expect(sent.map(({ revision }) => revision)).toEqual([1, 2]);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  it('sends a tenant only what it may read', async () => {
    const receiver = await startLineReceiver();
    const { id: tenant_id } = tenants.ours.tenant;
    const destination = await create({
      tenant_id,
      kind: 'json',
      host: '127.0.0.1',
      port: receiver.port,
      transport: 'tcp',
    });
    await makeRecords(2, tenant_id);
    await makeRecords(2, tenants.theirs.tenant.id);
    await makeConversations(3);
    await advanceTime(15 * MINUTE);
    await forward(destination);
    await receiver.close();
    const sent = receiver.lines.map((line) => JSON.parse(line) as Sent & { tenant_id: string });
    expect(sent.map(({ type, tenant_id: of, seq }) => [type, of, seq])).toEqual([
      ['audit', tenant_id, null],
      ['audit', tenant_id, null],
    ]);
  });

  it('sends conversations to the tenant that owned their workloads when they were seen', async () => {
    const receivers = await Promise.all([startLineReceiver(), startLineReceiver()]);
    const sides = [tenants.theirs, tenants.ours];
    for (const [i, { port }] of receivers.entries()) {
      const tenant_id = sides[i]?.tenant.id;
      await create({ kind: 'json', host: '127.0.0.1', port, transport: 'tcp', tenant_id, streams: ['conversations'] });
    }
    const destinations = await sql<{ id: string }[]>`select id from forwarding_destinations`;
    const { id } = await makeWorkload(tenants.cluster, tenants.theirs.project);
    const cluster = { node_id: node.id, cluster_id: tenants.cluster.id };
    const store = (port: number) =>
      db.transaction((tx) =>
        flowStore().append(
          tx,
          cluster,
          [makeStoredFlow(port, Date.now(), { source_workload_id: id })],
          clock.now().toISOString(),
        ),
      );
    await store(1);
    await api('POST', '/workloads/assign', { project_id: tenants.ours.project.id, workload_ids: [id] });
    await store(2);
    // A receiver is so far: the move was before its position, the end of what was seen before the move is after it.
    await sql`update forwarding_streams set position = jsonb_set(position, '{due_at}', to_jsonb(to_char(now() at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')))`;
    await sql`update workload_owners set from_at = from_at - interval '15 minutes', to_at = to_at - interval '15 minutes'`;
    await advanceTime(15 * MINUTE);
    for (const destination of destinations) await forward(destination);
    for (const { close } of receivers) await close();
    const ports = receivers.map(({ lines }) =>
      lines.map((line) => (JSON.parse(line) as { client_port: number }).client_port),
    );
    expect(ports).toEqual([[1], [2]]);
  });

  it('posts batches with a token, smaller ones when the receiver wants it, and the same batch again after a failure', async () => {
    const requests: { token: string | undefined; batch: string | undefined; lines: number; status: number }[] = [];
    const answers: number[] = [503];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on('end', () => {
        const lines = text.split('\n').filter(Boolean).length;
        const status = answers.shift() ?? (lines > 400 ? 413 : 200);
        requests.push({
          token: request.headers['x-token'] as string,
          batch: request.headers['fabric-batch'] as string,
          lines,
          status,
        });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const destination = await create({
      ...{ kind: 'http', url: `http://127.0.0.1:${port}/secret-path`, streams: ['conversations'] },
      ...{ header_name: 'X-Token', header_value: 'secret-value' },
    });
    expect(JSON.stringify(destination)).not.toMatch(/secret-/);
    await makeConversations(500);
    await advanceTime(15 * MINUTE);
    await forward(destination);
    await sql`update forwarding_streams set next_attempt_at = null`;
    await forward(destination);
    await new Promise((resolve) => server.close(resolve));
    expect(requests.map(({ status, lines }) => [status, lines])).toEqual([
      ...[
        [503, 500],
        [413, 500],
      ],
      ...Array.from({ length: 5 }, () => [200, 100]),
    ]);
    expect(requests[0]?.batch).toBe(requests[1]?.batch);
    expect(new Set(requests.map(({ token }) => token))).toEqual(new Set(['secret-value']));
    expect(await getProgress(destination.id, 'conversations')).toMatchObject({
      sent: 500,
      waiting: 0,
      last_error: null,
    });
  });

  it('keeps header values with their server, and secrets out of the trail', async () => {
    const { id } = await create({ kind: 'http', url: 'https://192.0.2.1/secret-path', header_value: 'secret-value' });
    const update = (body: object) => request('PATCH', `/forwarding-destinations/${id}`, body);
    expect((await update({ url: 'https://192.0.2.2/other' })).status).toBe(422);
    expect((await update({ host: '192.0.2.2' })).status).toBe(422);
    expect((await update({ url: 'http://198.51.100.1/clear' })).status).toBe(422);
    expect((await update({ url: 'https://192.0.2.1/secret-other' })).status).toBe(200);
    expect(await read(id)).toMatchObject({ url_origin: 'https://192.0.2.1', has_header_value: true });
    expect((await update({ header_value: null })).status).toBe(200);
    expect(await read(id)).toMatchObject({ has_header_value: false });
    const records = await sql`select before, after from audit_records where object_id = ${id} order by seq`;
    expect(records.length).toBe(3);
    expect(JSON.stringify(records)).not.toMatch(/secret-/);
  });

  it('refuses receivers on this machine that were not allowed, and clear text through the internet', async () => {
    await expect(create({ kind: 'json', host: '169.254.169.254', port: 514 })).rejects.toThrow(/not allowed/);
    await expect(create({ kind: 'json', host: '198.51.100.1', port: 514, transport: 'tcp' })).rejects.toThrow(
      /unencrypted/,
    );
    const admin = await makeUser('admin');
    const response = await call('/forwarding-destinations', { method: 'POST', headers: await bearer(admin), body: {} });
    expect(response.status).toBe(403);
  });
});
