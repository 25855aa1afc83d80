import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { startIngestEnvironment } from './ingest-environment';
import { postgresCpu, processCpu } from './process-cpu';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * What log forwarding costs ingestion: npx tsx packages/bench/forwarding.ts [rounds]
 * The same heartbeats (HTTP to one web process of the production build) in turn without a destination, with one whose receiver does not
 * read, with one whose receiver takes conversations as JSON lines while the heartbeats are stored, and with one that takes them as IPFIX.
 * This process forwards, as a worker does, the conversations of a first run over and over: they are made half an hour old. Every other
 * round begins at the other end, because the tables grow from one measurement to the next.
 * Bars: with each of them at least 0.9 x the flows per second, and the web process needs at most 1.1 x the CPU time per flow.
 */
const ROUNDS = Number(process.argv[2] ?? 4);
const HEARTBEATS = 192;
const IN_FLIGHT = 8;

// Before anything reads the environment: that happens once.
process.env.FABRIC_ALLOW_PRIVATE_TARGETS = '127.0.0.0/8';
const environment = await startIngestEnvironment();
const { forwardRecords } = await import('@/server/forwarding/run-forwarding');
const { sql } = environment;

const CASES = ['none', 'stalled', 'taking', 'ipfix'] as const;
type Case = (typeof CASES)[number];
let isReading = true;
const open = new Set<Socket>();
const receiver = createServer((socket) => {
  open.add(socket);
  socket.on('error', () => undefined);
  if (isReading) socket.resume();
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const { port } = receiver.address() as { port: number };
const collector = createSocket('udp4');
await new Promise<void>((resolve) => collector.bind(0, '127.0.0.1', resolve));

/** Before everything that is stored. */
const START = JSON.stringify({
  due_at: new Date(Date.now() - 3_600_000).toISOString(),
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
});

async function createDestination(kind: 'json' | 'ipfix'): Promise<string> {
  const [row] = await sql`insert into forwarding_destinations
    (id, name, kind, streams, max_wait_hours, host, port, transport, max_message_bytes)
    values (gen_random_uuid(), 'bench', ${kind}, '{conversations}', 24, '127.0.0.1',
      ${kind === 'ipfix' ? collector.address().port : port}, ${kind === 'ipfix' ? null : 'tcp'}, ${kind === 'ipfix' ? 1400 : null})
    returning id`;
  await sql`insert into forwarding_streams (destination_id, stream, position)
    values (${row?.id}, 'conversations', ${START}::text::jsonb)`;
  return String(row?.id);
}

/** Forwards as a worker does until it is stopped. */
function startForwarding(id: string): { stop: () => Promise<void> } {
  const controller = new AbortController();
  const running = (async () => {
    while (!controller.signal.aborted) {
      await forwardRecords(id, { signal: controller.signal }).catch(() => undefined);
      await sql`update forwarding_streams set position = ${START}::text::jsonb`;
      await sql`delete from forwarding_exports`;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  return {
    stop: async () => {
      controller.abort(new Error('the round is over'));
      await running;
    },
  };
}

type Cost = { perSecond: number; webUs: number; postgresUs: number; p95: number; forwarded: number };

async function measure(kind: Case): Promise<Cost> {
  await sql`delete from forwarding_destinations`;
  isReading = kind !== 'stalled';
  const forwarding =
    kind === 'none' ? null : startForwarding(await createDestination(kind === 'ipfix' ? 'ipfix' : 'json'));
  let before = { web: 0, postgres: 0 };
  const cpu = () => ({ web: processCpu(environment.webPid), postgres: postgresCpu(environment.databasePid()) });
  const run = await environment.send({ perNode: 0, heartbeats: HEARTBEATS, inFlight: IN_FLIGHT }, () => {
    before = cpu();
  });
  const after = cpu();
  const [{ forwarded } = { forwarded: 0 }] = await sql<{ forwarded: number }[]>`
    select coalesce(sum(sent), 0)::float8 as forwarded from forwarding_streams`;
  await forwarding?.stop();
  for (const socket of open) socket.destroy();
  const bad = run.sent.find(({ status, rejected }) => status !== 200 || rejected > 0);
  if (bad) throw new Error(`a heartbeat failed with ${bad.status}`);
  const flows = run.sent.reduce((sum, one) => sum + one.accepted + one.updated, 0);
  return {
    perSecond: flows / run.seconds,
    webUs: ((after.web - before.web) / flows) * 1e6,
    postgresUs: ((after.postgres - before.postgres) / flows) * 1e6,
    p95: summary(run.sent.map((one) => one.ms)).p95,
    forwarded,
  };
}

try {
  await measure('none');
  await sql`update traffic_conversations set updated_at = updated_at - interval '30 minutes', last_seen_at = last_seen_at - interval '30 minutes',
    first_seen_at = first_seen_at - interval '30 minutes'`;
  await sql`vacuum analyze traffic_conversations`;
  const costs: Record<Case, Cost[]> = { none: [], stalled: [], taking: [], ipfix: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of round % 2 === 0 ? CASES : CASES.toReversed()) costs[kind].push(await measure(kind));
  }
  const median = (kind: Case, of: keyof Cost) => summary(costs[kind].map((cost) => cost[of])).median;
  console.log(`${HEARTBEATS} heartbeats, ${IN_FLIGHT} in flight, medians of ${ROUNDS} rounds`);
  printTable(
    ['receiver', 'flows/s', 'ratio', 'web us', 'postgres us', 'p95', 'forwarded'],
    CASES.map((kind) => [
      ...[
        kind,
        median(kind, 'perSecond').toFixed(0),
        (median(kind, 'perSecond') / median('none', 'perSecond')).toFixed(2),
      ],
      ...[median(kind, 'webUs').toFixed(1), median(kind, 'postgresUs').toFixed(1), ms(median(kind, 'p95'))],
      median(kind, 'forwarded').toFixed(0),
    ]),
  );
  for (const kind of ['taking', 'ipfix'] as const)
    expectBar(`${kind}: conversations were sent`, median(kind, 'forwarded') > 0);
  for (const kind of CASES) {
    expectBar(
      `${kind}: CPU time of web per flow at most 1.1 x`,
      median(kind, 'webUs') <= 1.1 * median('none', 'webUs'),
    );
    expectBar(
      `${kind}: at least 0.9 x the flows per second`,
      median(kind, 'perSecond') >= 0.9 * median('none', 'perSecond'),
    );
  }
} finally {
  receiver.close();
  collector.close();
  for (const socket of open) socket.destroy();
  await environment.stop();
}
