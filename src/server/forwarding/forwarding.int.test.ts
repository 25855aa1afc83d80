import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ForwardingDestination, ForwardingProgress } from '@/domain/forwarding/destination';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { bearer, makeAgent, makeNode, makeTwoTenants, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { describeWithTools } from '../../../agent/test/requirements';
import { makeFlows, makeHeartbeat } from '../traffic/agents/testing/heartbeat.fixture';
import { forwardRecords } from './run-forwarding';
import {
  findFreePort,
  makeCertificate,
  makeDirectory,
  type SyslogMessage,
  startLineReceiver,
  startRsyslog,
} from './testing/receivers.fixture';

const sql = sqlClient();
const signal = new AbortController().signal;
const MINUTE = 60;
let root: { id: string };
let time: ReturnType<typeof fakeClock>;
let tenants: Awaited<ReturnType<typeof makeTwoTenants>>;
let node: { id: string };
let agent: { authorization: string };

beforeAll(async () => {
  root = await makeUser('super_admin');
  tenants = await makeTwoTenants('viewer');
  node = await makeNode(tenants.cluster);
  agent = await makeAgent(node);
});
beforeEach(() => {
  time = fakeClock();
});
afterEach(async () => {
  time.restore();
  await sql`delete from forwarding_destinations`;
  await sql`delete from rate_limits`;
  await sql`truncate traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, traffic_marks`;
});

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await call(path, { method, headers: await bearer(root), body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text ? JSON.parse(text) : null) as T;
}

const create = (values: object) =>
  api<ForwardingDestination>('POST', '/forwarding-destinations', {
    name: `d ${newId()}`,
    streams: ['audit', 'conversations'],
    ...values,
  });
const read = (id: string) => api<ForwardingDestination>('GET', `/forwarding-destinations/${id}`);
const getProgress = async (id: string, stream: string): Promise<ForwardingProgress> =>
  (await read(id)).progress.find((one) => one.stream === stream) as ForwardingProgress;
const forward = ({ id }: { id: string }) => forwardRecords(id, { signal });
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

/** Conversations with an unknown end each. */
async function makeConversations(count: number, from = 0, values: { sent_at?: string } = {}): Promise<void> {
  await sql`delete from rate_limits`;
  const response = await call('/agents/heartbeat', {
    ...{ method: 'POST', headers: agent },
    body: makeHeartbeat(makeFlows(count, from), { machine_id: node.id.replaceAll('-', ''), ...values }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
}
type Sent = { type: string; id: string; bytes: number | null; revision: number; seq: number | null };
const sumBytes = (records: readonly { bytes: number | null }[]) =>
  records.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
const stored = async () => {
  const [row] = await sql`select count(*)::int as count, sum(bytes)::float8 as bytes from traffic_conversations`;
  return { count: Number(row?.count), bytes: Number(row?.bytes) };
};

describeWithTools('rsyslogd', 'openssl')('forwarding to rsyslog over TLS', () => {
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
    time.advance(15 * MINUTE);
    await forward(destination);
    await receiver.stop('SIGKILL');
    await makeRecords(5);
    await makeConversations(100, 200);
    time.advance(15 * MINUTE);
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
    time.advance(MINUTE);
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
    time.advance(15 * MINUTE);
    await forward(destination);
    expect(await getProgress(destination.id, 'conversations')).toMatchObject({ waiting: 40, lost: 0 });
    time.advance(60 * MINUTE);
    await makeConversations(10, 40);
    time.advance(12 * MINUTE);
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
    time.advance(12 * MINUTE);
    await forward(destination);
    // A report that was delayed.
    await makeConversations(1, 0, { sent_at: clock.now().toISOString() });
    time.advance(2 * MINUTE);
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
    time.advance(15 * MINUTE);
    await forward(destination);
    await receiver.close();
    const sent = receiver.lines.map((line) => JSON.parse(line) as Sent & { tenant_id: string });
    expect(sent.map(({ type, tenant_id: of, seq }) => [type, of, seq])).toEqual([
      ['audit', tenant_id, null],
      ['audit', tenant_id, null],
    ]);
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
    time.advance(15 * MINUTE);
    await forward(destination);
    time.advance(MINUTE);
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
    const update = (body: object) =>
      bearer(root).then((headers) => call(`/forwarding-destinations/${id}`, { method: 'PATCH', headers, body }));
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
