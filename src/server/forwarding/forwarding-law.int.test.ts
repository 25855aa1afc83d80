import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomSource } from '@/domain/firewall/random-state.fixture';
import type { ForwardingDestination } from '@/domain/forwarding/destination';
import { sqlClient } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { makeCluster, makeNode } from '@/test/factories';
import { getRunCount } from '@/test/thorough';
import { recordAudit } from '../audit/record';
import { systemScope } from '../auth/scope';
import { db } from '../db/client';
import type { ValidFlow } from '../traffic/storage/flow-rows';
import { flowStore } from '../traffic/storage/flow-store';
import { createDestination, readDestination } from './destinations';
import { forwardRecords } from './run-forwarding';
import { advanceTime, makeStoredFlow } from './testing/stored-traffic.fixture';

const sql = sqlClient();
const scope = systemScope('*', 'test');
const MINUTE = 60;
/** `isTaken`: the receiver ended the connection. What it read before a failure may be sent again, or counted as lost. */
type Sent = { type: string; id: string; revision: number; bytes: number; isTaken: boolean };
/** What a receiver does with a connection; `crash`: the worker ends when all was read, before it knows that. */
const BEHAVIORS = ['take', 'take', 'crash', 'reset', 'refuse'] as const;

let received: Sent[] = [];
let behavior: (typeof BEHAVIORS)[number] = 'take';
let workers: AbortController[] = [];
let node: { node_id: string; cluster_id: string };

const keep = (chunks: readonly Buffer[], isTaken: boolean) => {
  const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1);
  received.push(...lines.map((line) => ({ ...(JSON.parse(line) as Sent), isTaken })));
};
const server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined);
  if (behavior === 'refuse') return socket.resetAndDestroy();
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    if (behavior !== 'reset') return;
    keep(chunks, false);
    socket.resetAndDestroy();
  });
  socket.on('end', () => {
    keep(chunks, behavior === 'take');
    if (behavior === 'take') socket.end();
    else for (const worker of workers) worker.abort(new Error('the worker ends'));
  });
});

beforeAll(async () => {
  const cluster = await makeCluster();
  node = { node_id: (await makeNode(cluster)).id, cluster_id: cluster.id };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

/** What happens: reports, audit records, time that passes, and workers that forward, in any order. */
class History {
  readonly audit = new Set<string>();
  private port = 1;
  private recent: number[] = [];
  constructor(
    readonly random: () => number,
    readonly destination: ForwardingDestination,
    readonly startSeq: number,
  ) {}

  private pick = (most: number) => Math.floor(this.random() * most);

  private append = (flows: ValidFlow[]) =>
    db.transaction((tx) =>
      flowStore().append(
        tx,
        node,
        flows.sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1)),
        new Date().toISOString(),
      ),
    );

  private report = async () => {
    const ports = Array.from({ length: 1 + this.pick(6) }, () => this.port++);
    this.recent.push(...ports);
    const state = this.random() < 0.5 ? 'TIME_WAIT' : 'ESTABLISHED';
    await this.append(ports.map((port) => makeStoredFlow(port, Date.now(), { state })));
  };
  /** A report that changes conversations, also those that ended and were sent. */
  private change = async () => {
    const ports = this.recent.filter(() => this.random() < 0.5);
    if (ports.length === 0) return;
    await this.append(
      ports.map((port) => ({
        ...makeStoredFlow(port, Date.now() - this.pick(2) * 4 * MINUTE * 1000, { state: 'TIME_WAIT' }),
        has_begin: false,
      })),
    );
  };
  /** Large ones, so that a batch does not hold all that wait. */
  private makeAudit = async () => {
    for (let i = this.pick(5); i >= 0; i--) {
      const entry = { action: 'forwarding_destination.tested', object_kind: 'forwarding_destination' } as const;
      await db.transaction((tx) => recordAudit(tx, scope, { ...entry, object_name: 'x'.repeat(this.pick(250_000)) }));
    }
    await this.readAudit();
  };
  readAudit = async () => {
    const rows = await sql<{ id: string }[]>`select id from audit_records where seq > ${this.startSeq}`;
    for (const { id } of rows) this.audit.add(id);
  };
  /** As the retention does it, which the database permits only for records older than 30 days. */
  private expireAudit = async () => {
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`delete from audit_records where seq < (select max(seq) from audit_records) - ${this.pick(4)}`;
    });
  };
  private passTime = async (minutes: number) => {
    await advanceTime(minutes * MINUTE);
    if (minutes > 5) this.recent = [];
  };
  private run = async () => {
    const worker = new AbortController();
    const { signal } = worker;
    workers.push(worker);
    await sql`update forwarding_streams set next_attempt_at = null`;
    await forwardRecords(this.destination.id, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };
  private forward = async () => {
    behavior = BEHAVIORS[this.pick(BEHAVIORS.length)] ?? 'take';
    workers = [];
    // The schedule begins a run while another one lasts, on another worker.
    await Promise.all(this.random() < 0.3 ? [this.run(), this.run()] : [this.run()]);
  };

  happen = async () => {
    const { report, change, makeAudit, forward } = this;
    const step = this.pick(12);
    if (step === 0) return this.expireAudit();
    if (step === 1) return this.passTime(65 + this.pick(100));
    if (step === 2) {
      await this.report();
      await this.passTime(2);
      await this.forward();
      return this.change();
    }
    if (step < 5) return this.passTime(1 + this.pick(14));
    return ([report, change, makeAudit, forward][step % 4] ?? forward)();
  };
  end = async () => {
    behavior = 'take';
    await this.passTime(15);
    for (let left = 1; left > 0; left = (await this.readProgress()).reduce((sum, one) => sum + one.waiting, 0))
      await this.run();
  };
  readProgress = async () =>
    (await readDestination(systemScope('settings:read', 'test'), this.destination.id)).progress;
}

async function startHistory(seed: number): Promise<History> {
  received = [];
  await sql`truncate traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, traffic_marks`;
  const [last] = await sql`select coalesce(max(seq), 0) as seq from audit_records`;
  const { port } = server.address() as { port: number };
  const destination = await createDestination(scope, {
    ...{ kind: 'json', name: newId(), enabled: true, streams: ['audit', 'conversations'], max_wait_hours: 1 },
    ...{ ca_certificates: null, host: '127.0.0.1', port, transport: 'tcp' },
  });
  const history = new History(randomSource(seed), destination, Number(last?.seq));
  await history.readAudit();
  return history;
}

describe('forwarding', () => {
  it('delivers or counts as lost every record that is stored, whatever fails', async () => {
    const seen = { lost: 0, auditLost: 0, twice: 0, changed: 0 };
    for (let seed = 1; seed <= getRunCount(6, 60); seed++) {
      const history = await startHistory(seed);
      for (let step = 0; step < 30; step++) await history.happen();
      await history.end();
      const progress = await history.readProgress();
      const [audit, conversations] = ['audit', 'conversations'].map((stream) =>
        progress.find((one) => one.stream === stream),
      );
      if (!audit || !conversations) throw new Error('expected both streams');

      const taken = received.filter(({ isTaken }) => isTaken);
      const auditIds = new Set(taken.filter(({ type }) => type === 'audit').map(({ id }) => id));
      expect(
        [...auditIds].filter((id) => !history.audit.has(id)),
        `seed ${seed}`,
      ).toEqual([]);
      expect(auditIds.size + audit.lost, `audit records, seed ${seed}`).toBe(history.audit.size);

      const latest = new Map<string, Sent>();
      const sent = taken.filter(({ type }) => type === 'conversation');
      for (const one of sent) if (one.revision >= (latest.get(one.id)?.revision ?? 0)) latest.set(one.id, one);
      const stored = await sql<Sent[]>`select id, revision, bytes::float8 as bytes from traffic_conversations`;
      const missing = stored.filter(({ id, revision, bytes }) => {
        const found = latest.get(id);
        return found?.revision !== revision || found.bytes !== bytes;
      });
      expect([...latest.keys()].filter((id) => !stored.some((one) => one.id === id))).toEqual([]);
      expect(missing.length, `conversations that are missing, seed ${seed}`).toBe(conversations.lost);
      const versions = new Set(sent.map(({ id, revision }) => `${id} ${revision}`));
      expect(conversations.sent, 'what two workers send counts once').toBeLessThanOrEqual(versions.size);
      expect(audit.sent).toBeLessThanOrEqual(auditIds.size);
      expect([audit.is_lost_exact, conversations.is_lost_exact]).toEqual([true, true]);
      seen.lost += conversations.lost;
      seen.auditLost += audit.lost;
      seen.twice += received.length - versions.size - auditIds.size;
      seen.changed += versions.size - latest.size;
    }
    // The histories contain what the law is about.
    for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(0);
  });
});
