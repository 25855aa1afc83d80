import {
  fillClickhouse,
  fillInventory,
  fillPostgres,
  markAll,
  planSpan,
  startFlowStores,
} from './flow-stores-environment';
import { DAY_MS, HOUR_MS, listQuestions, makeSelections, type Question } from './flow-stores-questions';
import { postgresCpu, processCpu } from './process-cpu';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * ClickHouse and PostgreSQL as the store of the same flows. Usage, after `npm install --prefix .ci/chdb`:
 *   npx tsx packages/bench/flow-stores.ts [million flows, 10]
 *   npx tsx packages/bench/flow-stores.ts 100 --only clickhouse
 * The first one fills both with a day of 600 workloads on 8 nodes and asks each what pages ask, in turns. Bars: at most 40 bytes a flow
 * in ClickHouse (evidence apart); what reads raw flows (lists, groups, maps) in at most a quarter of PostgreSQL's time, insights of one
 * workload in at most twice, everything else in at most as much.
 * The second one fills ClickHouse with a year. Bars: a page of a day within 1 s, groups of the year within 5 s.
 * PostgreSQL has the settings of the embedded one, ClickHouse (chDB) a thread for each processor. Both have their data on disk. Where other
 * programs use the processors, compare CPU instead of time: threads of a statement wait for each other.
 */
const [million = 10] = process.argv
  .slice(2)
  .filter((argument) => /^\d+(\.\d+)?$/.test(argument))
  .map(Number);
const isAlone = process.argv.includes('--only');
const ROUNDS = 3;
/** No more rounds of a question after so long. */
const PATIENCE_MS = 30_000;

const stores = await startFlowStores();
const { sql, chdb, connection } = stores;
const { withDatabaseUse } = await import('@/server/db/client');
const { clock } = await import('@/server/lib/clock');
/** Filling takes a while; what is asked is as of now. */
const now = Math.floor(Date.now() / 60_000) * 60_000;
clock.now = () => new Date(now);

type Engine = keyof typeof stores.stores;
type Sample = { took: number; cpu: number };
type Result = { samples: Sample[]; answer: number | string | null; failed: string | null };

const readCpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + postgresCpu(stores.databasePid()) + processCpu(chdb.pid);
};

async function ask(question: Question, engine: Engine, result: Result, isCounted: boolean): Promise<void> {
  const [cpu, started] = [readCpu(), performance.now()];
  try {
    result.answer = await withDatabaseUse(question.use, () => question.ask(stores.stores[engine]));
    if (isCounted) result.samples.push({ took: performance.now() - started, cpu: (readCpu() - cpu) * 1000 });
  } catch (error) {
    result.failed =
      error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error);
  }
}

/** Asks a question several times, of all engines in turns. */
async function measure(question: Question, engines: readonly Engine[]): Promise<Map<Engine, Result>> {
  const results = new Map(
    engines.map((engine): [Engine, Result] => [engine, { samples: [], answer: null, failed: null }]),
  );
  const started = performance.now();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const engine of round % 2 === 0 ? engines : [...engines].reverse()) {
      const result = results.get(engine) as Result;
      // The first round warms up.
      if (!result.failed) await ask(question, engine, result, round > 0);
    }
    if (round > 0 && performance.now() - started > PATIENCE_MS) break;
  }
  return results;
}

const median = (result: Result | undefined, of: keyof Sample): number =>
  result === undefined || result.failed !== null
    ? Number.POSITIVE_INFINITY
    : summary(result.samples.map((one) => one[of])).median;
const show = (result: Result | undefined, of: keyof Sample): string =>
  result?.failed ? result.failed.slice(0, 30) : ms(median(result, of));

const MOST: Record<Question['bar'], number> = { raw: 0.25, other: 1, insights: 2 };

async function compareEngines(questions: readonly Question[]): Promise<void> {
  const rows: string[][] = [];
  const missed: string[] = [];
  for (const question of questions) {
    const results = await measure(question, ['postgres', 'clickhouse']);
    const [postgres, clickhouse] = [results.get('postgres'), results.get('clickhouse')];
    const ratio = median(clickhouse, 'took') / median(postgres, 'took');
    const isSame = postgres?.failed || clickhouse?.failed || postgres?.answer === clickhouse?.answer;
    const isMet = ratio <= MOST[question.bar];
    if (!isMet) missed.push(`${question.name} (${ratio.toFixed(2)} of ${MOST[question.bar]})`);
    if (!isSame) expectBar(`${question.name}: ${postgres?.answer} and ${clickhouse?.answer} are the same`, false);
    const row = [
      question.name,
      show(postgres, 'took'),
      show(clickhouse, 'took'),
      ratio.toFixed(2),
      show(postgres, 'cpu'),
      show(clickhouse, 'cpu'),
    ];
    rows.push([...row, isMet ? '' : 'missed']);
    console.error(row.join('  '));
  }
  printTable(['question', 'PostgreSQL', 'ClickHouse', 'ratio', 'CPU', 'CPU', ''], rows);
  for (const bar of Object.keys(MOST) as Question['bar'][]) {
    const names = questions.filter((question) => question.bar === bar).map(({ name }) => name);
    const over = missed.filter((text) => names.some((name) => text.startsWith(`${name} (`)));
    expectBar(
      `${bar}: ${names.length - over.length} of ${names.length} in at most ${MOST[bar]} of PostgreSQL's time${over.length > 0 ? `; not ${over.join(', ')}` : ''}`,
      over.length === 0,
    );
  }
}

/** Bytes on disk for each of so many flows: of ClickHouse the merged parts, evidence (`raw`) apart. */
async function printSizes(isBoth: boolean): Promise<void> {
  const [flows] = await connection.read<{ flows: number; bytes: number }>({
    pieces: [
      `select sum(rows) as flows, sum(data_compressed_bytes) as bytes from system.parts where active and table = 'flows' and database = currentDatabase()`,
    ],
  });
  const [evidence] = await connection.read<{ bytes: number }>({
    pieces: [
      `select sum(b) as bytes from (select arraySum(arrayMap((n, s) -> if(n = '12', s, 0), subcolumns.names, subcolumns.data_compressed_bytes)) as b
        from system.parts_columns where active and table = 'flows' and column = 'newest' and database = currentDatabase())`,
    ],
  });
  const others = await connection.read<{ name: string; bytes: number; rows: number }>({
    pieces: [
      `select table as name, sum(bytes_on_disk) as bytes, sum(rows) as rows from system.parts where active and (table like 'rollup_%' or table = 'counted_days') and database = currentDatabase() group by table order by table`,
    ],
  });
  const count = flows?.flows ?? 1;
  const [bytes, raw] = [(flows?.bytes ?? 0) / count, (evidence?.bytes ?? 0) / count];
  const rows = [
    ['ClickHouse: flows without evidence', (bytes - raw).toFixed(1)],
    ['ClickHouse: evidence', raw.toFixed(1)],
    ...others.map((one) => [`ClickHouse: ${one.name}, ${one.rows} rows`, (one.bytes / count).toFixed(1)]),
  ];
  if (isBoth) {
    const tables = ['traffic_flows', 'traffic_conversations', 'flow_rollup_minutes', 'flow_hour_totals'];
    for (const table of tables) {
      const [size] =
        await sql`select pg_table_size(${table}::regclass)::float8 as rows, pg_indexes_size(${table}::regclass)::float8 as indexes`;
      rows.push([
        `PostgreSQL: ${table}, and its indexes`,
        `${(size?.rows / count).toFixed(1)} + ${(size?.indexes / count).toFixed(1)}`,
      ]);
    }
    const [text] = await sql`select sum(pg_column_size(raw))::float8 as bytes from traffic_flows`;
    rows.push(['PostgreSQL: evidence, of these', (text?.bytes / count).toFixed(1)]);
  }
  printTable([`bytes for each of ${count} flows`, ''], rows);
  expectBar(`at most 40 bytes a flow in ClickHouse, evidence apart (${(bytes - raw).toFixed(1)})`, bytes - raw <= 40);
}

/** What makes the totals by workload of an hour, from what each engine has of it. */
async function compareUpkeep(cluster_id: string): Promise<void> {
  const rows: string[][] = [];
  const until = Math.floor(now / HOUR_MS) * HOUR_MS - HOUR_MS;
  for (let round = 0; round < 3; round++) {
    const row = [`round ${round + 1}`];
    for (const store of Object.values(stores.stores)) {
      await markAll(sql, cluster_id, { since: until - HOUR_MS, until });
      const [cpu, started] = [readCpu(), performance.now()];
      while (!(await store.upkeep.sum()).done);
      row.push(ms(performance.now() - started), ms((readCpu() - cpu) * 1000));
    }
    rows.push(row);
  }
  printTable(['totals of an hour', 'PostgreSQL', 'CPU', 'ClickHouse', 'CPU'], rows);
}

async function measureYear(): Promise<void> {
  const { select, planned } = makeSelections(now);
  const rows: string[][] = [];
  const run = async (name: string, most: number | null, work: Question['ask'], bar: Question['use'] = 'heavy') => {
    const result = (await measure({ name, bar: 'raw', use: bar, ask: work }, ['clickhouse'])).get('clickhouse');
    rows.push([name, show(result, 'took'), show(result, 'cpu'), String(result?.answer ?? result?.failed)]);
    console.error(rows.at(-1)?.join('  '));
    if (most !== null)
      expectBar(`${name} within ${ms(most)} (${show(result, 'took')})`, median(result, 'took') <= most);
  };
  const list = (since: number, until: number | null) => async (store: typeof stores.stores.clickhouse) =>
    (await store.list(select({}, since, until), { limit: 100 } as never)).total ?? 0;
  await run('list: the newest day', 1_000, list(now - DAY_MS, null));
  await run('list: a day half a year ago', 1_000, list(now - 180 * DAY_MS, now - 179 * DAY_MS));
  for (const group_by of ['workloads', 'service', 'node'] as const) {
    const { selection, source } = planned({}, now - 365 * DAY_MS);
    await run(
      `groups: a year, ${group_by} (from ${source})`,
      5_000,
      async (store) => (await store.groups(selection, source, { group_by, limit: 100 } as never)).total ?? 0,
    );
  }
  const { selection: year, totals, buckets } = planned({}, now - 365 * DAY_MS);
  await run('chart: a year', null, async (store) => (await store.series(year, totals, buckets)).length);
  await run('map: a year', null, async (store) => (await store.edges(year, totals)).table.size);
  const { selection } = planned({}, now - 365 * DAY_MS, false);
  await run(
    'groups: a year, sources (from flows)',
    null,
    async (store) => (await store.groups(selection, 'flows', { group_by: 'source', limit: 100 } as never)).total ?? 0,
  );
}

try {
  const inventory = await fillInventory(stores);
  const started = performance.now();
  const span = planSpan(million * 1e6, now, isAlone ? 365 * DAY_MS : DAY_MS);
  await fillClickhouse(stores, inventory, span, { isSettled: !isAlone });
  console.error(`ClickHouse filled in ${ms(performance.now() - started)}`);
  if (isAlone) {
    // Minutes that are older than a day, as the upkeep does.
    await stores.stores.clickhouse.upkeep.retain({ now, flow_hours: 400 * 24 });
    const counting = performance.now();
    while (!(await stores.stores.clickhouse.upkeep.sum()).done);
    console.error(`days counted in ${ms(performance.now() - counting)}`);
    await printSizes(false);
    await measureYear();
  } else {
    await fillPostgres(stores, inventory, span);
    console.error(`both filled in ${ms(performance.now() - started)}`);
    await printSizes(true);
    await compareEngines(listQuestions(inventory, now));
    await compareUpkeep(inventory.cluster_id);
  }
} finally {
  await stores.stop();
}
