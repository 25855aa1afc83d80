import { type IngestEnvironment, type Run, startIngestEnvironment } from './ingest-environment';
import { FLOWS, MOST_FLOWS, NODES } from './ingest-flows';
import { postgresCpu, processCpu } from './process-cpu';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * What storing heartbeats costs, on the whole path (HTTP to one web process of the production build, gzip, validation,
 * upsert, rollups): npx tsx packages/bench/ingest.ts [rows present ...]
 * (default 0 1000 5000 50000 1000000; the last may be 10000000)
 * Below a million rows, just started agents meet a table that was analyzed when it was that small, as autovacuum
 * leaves it. Each of these cases must store at least half as many flows per second as a million rows do after such a
 * start. The largest heartbeat that an agent may send must be stored within 20 s on such tables, well before the
 * answer times out.
 * Nine of ten flows of a heartbeat are known: among the newest million of the stored ones, as live flows are. With
 * more rows present, also anywhere among them, which no real agent does: the worst case, for scale.
 * Bars: at least 8,000 flows/s; flows per CPU second of PostgreSQL at least a quarter of what COPY of the same rows
 * into an unindexed table does; the largest number of rows present costs at most 1.5 x the smallest. For scale: p95 of
 * an open loop.
 */
const sizes = process.argv
  .slice(2)
  .filter((argument) => /^\d+$/.test(argument))
  .map(Number);
if (sizes.length === 0) sizes.push(0, 1_000, 5_000, 50_000, 1_000_000);
const WARM_UP = 256;
/** Heartbeats per measurement of a small table: more would make it large. The first ones decide what the plan is. */
const SMALL_HEARTBEATS = 16;
const HEARTBEATS = 384;
const IN_FLIGHT = 8;
const OPEN_PER_SECOND = 4;
/** Rows that the largest heartbeats meet: none, and a number that once made such a heartbeat permanently slow. */
const LARGEST_ON = [0, 3_000];
const LARGEST_HEARTBEATS = 3;
const LONGEST_MS = 20_000;
/** Since when stored flows were not reported: their conversations continue. */
const AGE_MINUTES = 1;
/** Rows that heartbeats meet again. */
const ALIVE = 1_000_000;

/** `known`: the share of flows that were stored before. */
type Cost = {
  perSecond: number;
  known: number;
  postgresUs: number;
  webUs: number;
  latency: ReturnType<typeof summary>;
};

/** Flows that were stored; anything but success fails the bench. */
function countStoredFlows({ sent }: Run): number {
  const bad = sent.filter((one) => one.status !== 200 || one.rejected > 0);
  if (bad.length > 0) throw new Error(`${bad.length} heartbeats failed, the first with ${bad[0]?.status}`);
  return sent.reduce((sum, one) => sum + one.accepted + one.updated, 0);
}

/** Heartbeats of one agent that was started just now, so that it does not say what is new: all its flows are looked up. */
const restart = { nodes: 1, restarted: true, heartbeats: SMALL_HEARTBEATS };

/** Sets the page cost of new sessions to PostgreSQL's own, as in an external database, or to the bundled one's. */
async function setPageCost({ sql }: IngestEnvironment, cost: '4' | 'default'): Promise<void> {
  const [row] = await sql`select current_database() as name`;
  await sql.unsafe(
    `alter database ${row?.name} ${cost === 'default' ? 'reset random_page_cost' : `set random_page_cost = ${cost}`}`,
  );
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
}

/**
 * Heartbeats that meet a small, analyzed table of their node. Autovacuum is off for the duration: it would repair the
 * measured state within a minute.
 */
async function measureSmall(
  environment: IngestEnvironment,
  rows: number,
  plan: Partial<Parameters<typeof send>[1]> = {},
): Promise<Cost> {
  await setPageCost(environment, '4');
  await environment.sql`alter table traffic_flows set (autovacuum_enabled = off)`;
  await environment.sql`truncate traffic_flows, traffic_conversations, flow_rollup_minutes`;
  const perNode = await environment.preload(rows, AGE_MINUTES, 0, restart.nodes);
  const cost = await send(environment, { first: 0, perNode, ...restart, ...plan });
  await setPageCost(environment, 'default');
  await environment.sql`alter table traffic_flows reset (autovacuum_enabled)`;
  await environment.sql`truncate traffic_flows, traffic_conversations, flow_rollup_minutes`;
  return cost;
}

async function measure(environment: IngestEnvironment, perNode: number, first: number): Promise<Cost> {
  // Until most pages were written once since the checkpoint: steady state is measured, not the minute after a checkpoint.
  await environment.send({ first, perNode, heartbeats: WARM_UP, inFlight: IN_FLIGHT });
  const cost = await send(environment, { first, perNode, heartbeats: HEARTBEATS });
  // Of conversations that have ended by now, each report would begin another flow.
  if (cost.known < 0.8)
    throw new Error(`only ${Math.round(cost.known * 100)} % of the flows were known: fill it faster`);
  return cost;
}

async function send(
  environment: IngestEnvironment,
  plan: { first: number; perNode: number; restarted?: boolean; nodes?: number; flows?: number; heartbeats: number },
): Promise<Cost> {
  let before = { postgres: 0, web: 0 };
  const cpu = () => ({ postgres: postgresCpu(environment.databasePid()), web: processCpu(environment.webPid) });
  const run = await environment.send({ ...plan, inFlight: plan.nodes ?? IN_FLIGHT }, () => {
    before = cpu();
  });
  const after = cpu();
  const flows = countStoredFlows(run);
  return {
    perSecond: flows / run.seconds,
    known: run.sent.reduce((sum, one) => sum + one.updated, 0) / flows,
    postgresUs: ((after.postgres - before.postgres) / flows) * 1e6,
    webUs: ((after.web - before.web) / flows) * 1e6,
    latency: summary(run.sent.map((one) => one.ms)),
  };
}

/** CPU time of PostgreSQL for COPY of stored rows into a table without an index, in microseconds per row; the best of 3. */
async function copyFloor({ sql, databasePid, scratch }: IngestEnvironment, rows: number): Promise<number> {
  // The server reads and writes the file itself: no client takes part in the floor.
  const path = sql.unsafe(`'${scratch}'`);
  await sql`create table bench_copy (like traffic_flows)`;
  await sql`copy (select * from traffic_flows limit ${sql.unsafe(String(rows))}) to ${path}`;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    await sql`truncate bench_copy`;
    await sql`checkpoint`;
    const before = postgresCpu(databasePid());
    await sql`copy bench_copy from ${path}`;
    best = Math.min(best, ((postgresCpu(databasePid()) - before) / rows) * 1e6);
  }
  await sql`drop table bench_copy`;
  return best;
}

const environment = await startIngestEnvironment();
try {
  const costs: [string, Cost][] = [];
  const largest: [number, Cost][] = [];
  for (const rows of LARGEST_ON) {
    largest.push([rows, await measureSmall(environment, rows, { flows: MOST_FLOWS, heartbeats: LARGEST_HEARTBEATS })]);
  }
  let anywhere: Cost | undefined;
  let restarted: Cost | undefined;
  let present = 0;
  for (const rows of sizes) {
    if (rows < ALIVE) {
      costs.push([String(rows), await measureSmall(environment, rows)]);
      continue;
    }
    const perNode = await environment.preload(rows, AGE_MINUTES, present);
    present = rows;
    console.error(`${rows} rows are present`);
    const alive = { first: Math.max(0, perNode - ALIVE / NODES), perNode };
    costs.push([String(rows), await measure(environment, alive.perNode, alive.first)]);
    restarted ??= await send(environment, { ...alive, ...restart });
    if (rows > ALIVE) anywhere = await measure(environment, perNode, 0);
  }
  // Floor and open loop are of a large table; small ones alone are measured in a minute.
  const floor = present === 0 ? Number.NaN : await copyFloor(environment, 300_000);
  const open =
    present === 0
      ? null
      : await environment.send({ perNode: Math.floor(present / 64), heartbeats: 120, perSecond: OPEN_PER_SECOND });
  if (open) countStoredFlows(open);

  const restartedRow = restarted ? [[`${ALIVE}, restarted`, restarted] as const] : [];
  console.log(`${HEARTBEATS} heartbeats of ${FLOWS} flows, ${IN_FLIGHT} in flight, nine of ten flows known`);
  printTable(
    ['rows present', 'flows/s', 'postgres us', 'web us', 'x COPY', 'median', 'p95'],
    [...costs, ...restartedRow, ...(anywhere ? [[`${present}, any`, anywhere] as const] : [])].map(([rows, cost]) => [
      rows,
      cost.perSecond.toFixed(0),
      cost.postgresUs.toFixed(1),
      cost.webUs.toFixed(1),
      Number.isNaN(floor) ? 'not measured' : (floor / cost.postgresUs).toFixed(2),
      ms(cost.latency.median),
      ms(cost.latency.p95),
    ]),
  );
  if (open) {
    console.log(`COPY floor: ${floor.toFixed(1)} us of PostgreSQL per row`);
    const { median, p95 } = summary(open.sent.map((one) => one.ms));
    console.log(`open loop, ${OPEN_PER_SECOND} heartbeats/s: median ${ms(median)}, p95 ${ms(p95)}`);
  }

  for (const [rows, { latency }] of largest) {
    console.log(
      `heartbeats of ${MOST_FLOWS} flows, ${rows} rows present: median ${ms(latency.median)}, longest ${ms(latency.max)}`,
    );
    expectBar(`${MOST_FLOWS} flows on ${rows} rows within ${LONGEST_MS / 1000} s`, latency.max <= LONGEST_MS);
  }
  const large = costs.filter(([rows]) => Number(rows) >= ALIVE);
  const small = costs.filter(([rows]) => Number(rows) < ALIVE);
  const [first] = large;
  const last = large.at(-1);
  if (first) expectBar('at least 8,000 flows/s', first[1].perSecond >= 8_000);
  for (const [rows, cost] of restarted ? small : []) {
    expectBar(`${rows} rows: at least half the rate at ${ALIVE}`, cost.perSecond >= (restarted?.perSecond ?? 0) / 2);
  }
  if (first) {
    expectBar(
      'at least 0.25 x COPY per CPU second of PostgreSQL',
      large.every(([, cost]) => floor / cost.postgresUs >= 0.25),
    );
  }
  if (first && last && first !== last) {
    expectBar(`${last[0]} rows cost at most 1.5 x ${first[0]}`, last[1].postgresUs <= 1.5 * first[1].postgresUs);
  }
} finally {
  await environment.stop();
}
