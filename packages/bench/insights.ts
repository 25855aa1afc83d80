import { execFile, fork } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startSimulator } from '@fabric/simulator/http-server';
import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import type { LiveRule, LiveState } from '@/domain/firewall/live-state';
import { computeFlowContext } from '@/domain/flow-context/compute-flow-context';
import type { FlowFacts } from '@/domain/flow-context/flow-context';
import { prepareGuestContext } from '@/domain/flow-context/guest-context';
import { startEmbeddedDatabase } from '@/runtime/embedded-database';
import { findFreePort } from '@/runtime/postgres/server';
import { migrateDatabase } from '@/server/db/migrate';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * Insights of a workload with very many flows:
 *   npx tsx packages/bench/insights.ts [flows of the workload] [rules] [flows of others] [--rest-only]
 * One web process (the production build, or with --rest-only the REST surface from the sources) with PostgreSQL as embedded.
 * A third of the workload's flows was seen by a second node, too.
 * Bars: first byte at most 100 ms; the whole answer at least half as fast as psql reads the same rows; the web process needs
 * no more memory for four times as many flows; contexts of 100,000 flows by 500 rules in at most 2 s.
 */
const [flowCount = 100_000, ruleCount = 500, others = 1_000_000] = process.argv
  .slice(2)
  .filter((argument) => /^\d+$/.test(argument))
  .map(Number);
const ROUNDS = 5;
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const ruleText = (i: number) =>
  i % 3 === 0
    ? `IN ACCEPT -source 10.${i % 200}.0.0/16 -p tcp -dport ${1000 + i} -log nolog`
    : i % 3 === 1
      ? `IN DROP -source 192.0.${i % 250}.0/24 -p udp -dport ${1000 + i}:${1010 + i}`
      : `OUT ACCEPT -dest 203.0.${i % 64}.${(i * 4) % 252}/30 -p tcp -dport 443,${2000 + i}`;

// --- contexts alone -----------------------------------------------------------------------------------------------

function measureContexts(): number {
  const rules = Array.from({ length: ruleCount }, (_, pos): LiveRule => {
    const common = { pos, enable: 1 };
    if (pos % 3 === 0)
      return {
        ...common,
        type: 'in',
        action: 'ACCEPT',
        source: `10.${pos % 200}.0.0/16`,
        proto: 'tcp',
        dport: String(1000 + pos),
      };
    if (pos % 3 === 1)
      return {
        ...common,
        type: 'in',
        action: 'DROP',
        source: `192.0.${pos % 250}.0/24`,
        proto: 'udp',
        dport: `${1000 + pos}:${1010 + pos}`,
      };
    return {
      ...common,
      type: 'out',
      action: 'ACCEPT',
      dest: `203.0.${pos % 64}.${(pos * 4) % 252}/30`,
      proto: 'tcp',
      dport: `443,${2000 + pos}`,
    };
  });
  const state: LiveState = {
    cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} },
    guest: { options: { enable: 1 }, rules, ipsets: {}, aliases: {} },
    node: { options: {}, networks: ['10.0.0.2/8'], rules: [] },
  };
  const flows = Array.from({ length: 100_000 }, (_, i): FlowFacts => {
    const inbound = i % 2 === 0;
    const peer = i % 5 < 3 ? `10.${i % 200}.${i % 250}.${i % 200}` : `203.0.${i % 64}.${i % 252}`;
    return {
      source_ip: inbound ? peer : '10.0.0.9',
      destination_ip: inbound ? '10.0.0.9' : peer,
      protocol: i % 7 === 0 ? 'udp' : 'tcp',
      source_port: 32_768 + (i % 28_000),
      destination_port: 1000 + (i % 600),
      decision: 'observed',
      initiator: 'source',
    };
  });
  const samples = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    const guest = prepareGuestContext({
      workload_id: 'guest',
      state,
      nics: [{ name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01' }],
      audit: [],
    });
    for (const [i, flow] of flows.entries()) computeFlowContext(guest, flow, i % 2 === 0 ? 'destination' : 'source');
    return performance.now() - started;
  });
  return summary(samples).median;
}

const contextMs = measureContexts();
console.log(`contexts of 100,000 flows by ${ruleCount} rules: ${ms(contextMs)}`);
expectBar(`contexts of 100,000 flows in at most 2 s (${ms(contextMs)})`, contextMs <= 2000);

// --- the whole ----------------------------------------------------------------------------------------------------

const directory = mkdtempSync(join(tmpdir(), 'fabric-bench-'));
chmodSync(directory, 0o755);
const database = await startEmbeddedDatabase(directory, () => {});
await migrateDatabase(database.url);
const settings = {
  DATABASE_URL: database.url,
  REDIS_URL: '',
  FABRIC_SECRET_KEY: 'bench-secret-key-bench-secret-key-bench',
  FABRIC_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
  FABRIC_DATA_DIR: directory,
  LOG_LEVEL: 'error',
};
Object.assign(process.env, settings);
const { systemScope } = await import('@/server/auth/scope');
const { closeDb, db, sqlClient } = await import('@/server/db/client');
const { createCluster } = await import('@/server/sync/clusters');
const { requestSyncIn } = await import('@/server/sync/request-sync');
const { runClusterSync } = await import('@/server/sync/run-sync');
const { bearer, makeNode, makeUser } = await import('@/test/factories');

const simulator = await startSimulator({ scenario: smallLab });
const control = simulator.cluster();
const [first] = control.nodes;
if (!first) throw new Error('the simulator has no node');
const VMID = 100;
control.firewall.setFile(
  `firewall/${VMID}.fw`,
  `[OPTIONS]\n\nenable: 1\n\n[RULES]\n\n${Array.from({ length: ruleCount }, (_, i) => ruleText(i)).join('\n')}\n`,
);
const scope = systemScope('cluster:write', 'bench');
const cluster = await createCluster(scope, {
  name: 'bench',
  api_url: first.url,
  api_token: control.tokens.manager,
  tls_fingerprint: first.fingerprint256,
  rule_placement: 'above',
});
await db.transaction((tx) => requestSyncIn(tx, scope, cluster.id, 'manual'));
await runClusterSync(cluster.id, { signal: new AbortController().signal });
const sql = sqlClient();
const [me] = await sql`select id, node_id from workloads where vmid = ${VMID}`;
if (!me) throw new Error('the guest was not synced');
const other = await makeNode(cluster);
// Guests of others, so that names have to be found among many.
await sql.unsafe(`insert into workloads (id, cluster_id, node_id, vmid, kind, external_id, name)
  select gen_random_uuid(), '${cluster.id}', '${other.id}', 10000 + i, 'qemu', 'qemu/' || 10000 + i, 'guest ' || i
  from generate_series(0, 4999) as i`);
await sql`create table bench_guests (i int primary key, id uuid)`;
await sql`insert into bench_guests select vmid - 10000, id from workloads where vmid >= 10000`;

const started = performance.now();
const total = flowCount + others;
/** Every so many rows is one of the workload's: they lie among the others', as heartbeats bring them. */
const every = (total / flowCount).toFixed(6);
const CHUNK = 50_000;
for (let from = 0; from < total; from += CHUNK) {
  await sql.unsafe(`
    insert into traffic_flows (node_id, flow_key, cluster_id, source_ip, destination_ip, protocol, source_port,
      destination_port, decision, state, bytes, packets, first_seen_at, observed_at, collector, initiator, interface, vmid,
      nic, workload_id, source_workload_id, destination_workload_id, source_cidr, destination_cidr, raw)
    select r.node_id, md5(r.i::text)::uuid, '${cluster.id}',
      case when inbound then peer_ip else own_ip end, case when inbound then own_ip else peer_ip end,
      case when r.i % 7 = 0 then 'udp' else 'tcp' end, 32768 + r.i % 28000, 1000 + r.i % 600,
      case when r.i % 50 = 0 then 'drop' else 'observed' end, 'ESTABLISHED', 20000 + r.i, 40,
      r.at - interval '20 minutes', r.at, 'ebpf', 'source', 'tap100i0', ${VMID}, 0, r.seen_by,
      case when inbound then peer_id else own_id end, case when inbound then own_id else peer_id end,
      case when inbound then peer_cidr else own_cidr end, case when inbound then own_cidr else peer_cidr end,
      jsonb_build_object('source_translated', '198.51.100.7', 'zone', 0, 'excerpt', 'tap100i0-IN policy ACCEPT: IN=fwbr100i0 OUT=fwbr100i0')
    from (
      select n.i, n.mine, n.i / 7 % 2 = 0 as inbound, g.id as peer_id, '10.0.0.9'::inet as own_ip, '10.0.0.0/16'::cidr as own_cidr,
        -- The newest quarter is what a quarter of the range holds.
        now() - make_interval(secs => (n.i / 5 % 4) * 900 + 30) as at,
        case when n.mine then '${me.id}'::uuid else h.id end as own_id,
        case when g.id is null then ('203.0.' || n.i % 64 || '.' || n.i % 252)::inet else ('10.' || 1 + n.i % 200 || '.' || n.i % 250 || '.' || n.i % 200)::inet end as peer_ip,
        case when g.id is not null then ('10.' || 1 + n.i % 200 || '.0.0/16')::cidr end as peer_cidr,
        copy.node_id, copy.seen_by
      from (select i, floor((i + 1) / ${every}) <> floor(i / ${every}) as mine from generate_series(${from}, ${Math.min(from + CHUNK, total) - 1}) as i) as n
      left join bench_guests as g on n.i % 5 < 3 and g.i = n.i % 5000
      left join bench_guests as h on h.i = (n.i + 7) % 5000
      cross join lateral (values ('${me.node_id}'::uuid, case when n.mine then '${me.id}'::uuid else h.id end, true),
        ('${other.id}'::uuid, g.id, n.mine and n.i % 3 = 0 and g.id is not null)) as copy (node_id, seen_by, wanted)
      where copy.wanted) as r`);
}
await sql`vacuum analyze traffic_flows`;
console.log(`${total} flows stored, ${flowCount} of the workload, in ${ms(performance.now() - started)}`);
const headers = await bearer(await makeUser('security_engineer'));

const restOnly = process.argv.includes('--rest-only');
const program = file(restOnly ? '../../src/test/web-process.fixture.ts' : '../../dist/web.mjs');
if (!restOnly && !(existsSync(program) && existsSync(file('../../.next/standalone/server.js')))) {
  throw new Error('Run npm run build first (or give --rest-only): this measures the production build.');
}
const expected = await findFreePort();
const web = fork(program, ['--embedded'], {
  env: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', PORT: String(expected), HOST: '127.0.0.1', ...settings },
  execArgv: restOnly ? ['--import', 'tsx'] : [],
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
const { port = expected } = await new Promise<{ port?: number }>((resolve, reject) => {
  web.once('message', (message) => resolve(message as { port?: number }));
  web.once('exit', (code) => reject(new Error(`the web process ended with ${code}`)));
});

/** Resident memory of the web process in MB. */
const getResidentMemory = () => {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${web.pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
};

type Answer = { firstByte: number; firstFlow: number; whole: number; bytes: number; peak: number; end: string };

/** Reads an answer as it comes. @param bytesPerSecond how fast it is read; all there is when not given */
function read(query: string, bytesPerSecond = Number.POSITIVE_INFINITY): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const answer: Answer = { firstByte: 0, firstFlow: 0, whole: 0, bytes: 0, peak: 0, end: '' };
    const sampler = setInterval(() => {
      answer.peak = Math.max(answer.peak, getResidentMemory());
    }, 20);
    const url = `http://127.0.0.1:${port}/api/v1/workloads/${me?.id}/insights?${query}`;
    get(url, { headers }, (response) => {
      response.on('data', (chunk: Buffer) => {
        answer.firstByte ||= performance.now() - begun;
        if (!answer.firstFlow && (answer.bytes > 0 || chunk.includes('"flows":[{')))
          answer.firstFlow = performance.now() - begun;
        answer.bytes += chunk.length;
        answer.end = (answer.end + chunk.toString('latin1')).slice(-8_000);
        const ahead = (answer.bytes / bytesPerSecond) * 1000 - (performance.now() - begun);
        if (ahead > 20) {
          response.pause();
          setTimeout(() => response.resume(), ahead);
        }
      });
      response.on('error', reject);
      response.on('end', () => {
        clearInterval(sampler);
        answer.whole = performance.now() - begun;
        if (response.statusCode !== 200) reject(new Error(`${response.statusCode}: ${answer.end}`));
        else resolve(answer);
      });
    }).on('error', reject);
  });
}

/** The statement that reads the same rows, with its parameters put in. */
async function buildRowsQuery(): Promise<string> {
  const { PgDialect } = await import('drizzle-orm/pg-core');
  const { sql: text } = await import('drizzle-orm');
  const { insightRows } = await import('@/server/traffic/storage/postgres/insight-rows');
  const { selectFlows } = await import('@/server/traffic/storage/postgres/flow-list');
  const iso = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const selection = {
    visible: 'all' as const,
    prefixes: 'all' as const,
    periods: [],
    cutoff: iso(24 * 60),
    since: iso(120),
    until: null,
    filter: { workload_id: String(me?.id) },
    named: [],
    mode: 'all' as const,
  };
  const query = new PgDialect().sqlToQuery(selectFlows(selection, insightRows(selection, text`t.*`)));
  return query.sql.replace(/\$(\d+)/g, (_, number) => `'${String(query.params[Number(number) - 1])}'`);
}

const since = (minutes: number) => `since=${new Date(Date.now() - minutes * 60_000).toISOString()}`;
const statement = await buildRowsQuery();
async function psql(): Promise<{ whole: number; bytes: number }> {
  const begun = performance.now();
  const { stdout } = await promisify(execFile)('psql', ['-XAtq', '-d', database.url, '-c', statement], {
    maxBuffer: 2 ** 30,
  });
  return { whole: performance.now() - begun, bytes: stdout.length };
}

try {
  await read(since(120));
  await read(`${since(120)}&include_flow_context=true&include_rules=true`);
  const floor: { whole: number; bytes: number }[] = [];
  const plain: Answer[] = [];
  const context: Answer[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    // By turns, so that what else the machine does strikes all of them.
    floor.push(await psql());
    plain.push(await read(since(120)));
    context.push(await read(`${since(120)}&include_flow_context=true&include_rules=true`));
  }
  const quarter = await read(`${since(15)}&include_flow_context=true`);
  const floorMs = summary(floor.map(({ whole }) => whole)).median;
  const median = (answers: readonly Answer[], of: (answer: Answer) => number) => summary(answers.map(of)).median;
  const line = (name: string, answers: readonly Answer[]) => [
    name,
    ms(median(answers, (answer) => answer.firstByte)),
    ms(median(answers, (answer) => answer.firstFlow)),
    ms(median(answers, (answer) => answer.whole)),
    `${(median(answers, (answer) => answer.bytes) / 1e6).toFixed(0)} MB`,
    `${((100 * floorMs) / median(answers, (answer) => answer.whole)).toFixed(0)} %`,
    `${Math.max(...answers.map((answer) => answer.peak)).toFixed(0)} MB`,
  ];
  printTable(
    ['insights', 'first byte', 'first flow', 'whole', 'size', 'of psql', 'peak memory'],
    [
      ['psql', '', '', ms(floorMs), `${((floor[0]?.bytes ?? 0) / 1e6).toFixed(0)} MB`, '100 %', ''],
      line('a quarter of the flows', [quarter]),
      line('all flows', plain),
      line('with rules and context', context),
    ],
  );
  const counted = (answer: Answer | undefined) => Number(/"summary":\{"flows" ?: ?(\d+)/.exec(answer?.end ?? '')?.[1]);
  expectBar(
    `every flow once (${counted(plain[0])})`,
    counted(plain[0]) === flowCount && counted(context[0]) === flowCount,
  );
  const firstByte = summary([...plain, ...context].map((answer) => answer.firstByte)).max;
  expectBar(`first byte at most 100 ms (${ms(firstByte)})`, firstByte <= 100);
  for (const [name, answers] of [
    ['all flows', plain],
    ['with context', context],
  ] as const) {
    const share = floorMs / median(answers, (answer) => answer.whole);
    expectBar(`${name} at least half as fast as psql (${share.toFixed(2)})`, share >= 0.5);
  }
  const peak = Math.max(...context.map((answer) => answer.peak));
  expectBar(
    `memory as for a quarter of the flows (${quarter.peak.toFixed(0)} and ${peak.toFixed(0)} MB)`,
    peak - quarter.peak <= 40,
  );

  // A reader that is ten times slower makes the database wait, not the process grow.
  const size = plain[0]?.bytes ?? 0;
  const slow = await read(since(120), (size / median(plain, (answer) => answer.whole)) * 100);
  expectBar(
    `a slow reader costs no memory (${slow.peak.toFixed(0)} MB after ${ms(slow.whole)})`,
    slow.peak - peak <= 40,
  );

  const open = async () => {
    const [row] = await sql`select count(*)::int as n from pg_stat_activity
      where application_name = 'fabric' and state = 'active' and pid <> pg_backend_pid()`;
    return Number(row?.n);
  };
  const leaving = get(
    `http://127.0.0.1:${port}/api/v1/workloads/${me.id}/insights?${since(120)}`,
    { headers },
    (response) => {
      response.once('data', () => response.pause());
    },
  ).on('error', () => {});
  await delay(500);
  const during = await open();
  leaving.destroy();
  let after = during;
  for (let i = 0; i < 40 && after > 0; i++) {
    await delay(50);
    after = await open();
  }
  expectBar(`the query ends with its reader (${during} open, then ${after})`, during === 1 && after === 0);
} finally {
  web.kill('SIGKILL');
  await closeDb();
  await simulator.close();
  await database.stop();
  rmSync(directory, { recursive: true, force: true });
}
