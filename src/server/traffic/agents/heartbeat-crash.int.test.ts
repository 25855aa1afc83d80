import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@/runtime/embedded-database';
import { postgresProcesses } from '@/runtime/postgres/orphans';
import { hashToken } from '@/server/auth/session-tokens';
import { migrateDatabase } from '@/server/db/migrate';
import { newNodeToken } from '@/server/traffic/agents/agent-identity';
import { bundled } from '@/test/bundle';
import { makeFlows, makeHeartbeat } from './testing/heartbeat.fixture';

const program = bundled('src/test/web-process.fixture.ts');
const FLOWS = 200;
const AGENTS = 4;
const ROUNDS = 3;

let directory: string;
let database: EmbeddedDatabase;
let sql: postgres.Sql;
let web: { process: ChildProcess; url: string };
let agents: { node_id: string; token: string }[];

/** A web process on the database; it has its own settings only. */
async function startWeb(): Promise<typeof web> {
  const child = spawn(process.execPath, [program()], {
    env: {
      NODE_ENV: 'production',
      PATH: '/usr/bin:/bin',
      DATABASE_URL: database.url,
      FABRIC_SECRET_KEY: 'crash-test-secret-key-crash-test-secret-key',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { port: number }));
    child.once('exit', (code) => reject(new Error(`the web process ended with ${code}`)));
  });
  return { process: child, url: `http://127.0.0.1:${port}/api/v1/agents/heartbeat` };
}

/** Waits until the database answers; a query that a crash cut off is asked again. */
async function count(query: () => Promise<postgres.Row[]>): Promise<postgres.Row> {
  for (let attempt = 0; ; attempt++) {
    try {
      return (await query())[0] ?? {};
    } catch (error) {
      if (attempt > 200) throw error;
      await delay(50);
    }
  }
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-crash-'));
  database = await startEmbeddedDatabase(directory, () => {});
  await migrateDatabase(database.url);
  sql = postgres(database.url, { max: 2, onnotice: () => {} });
  const [cluster] = await sql`insert into clusters (id, name, api_url)
    values (gen_random_uuid(), 'c', 'https://pve.example.org:8006') returning id`;
  agents = [];
  for (let i = 0; i < AGENTS; i++) {
    const [node] = await sql`insert into nodes (id, cluster_id, name)
      values (gen_random_uuid(), ${cluster?.id}, ${`n${i}`}) returning id`;
    const token = newNodeToken();
    await sql`insert into node_agents (node_id, token_hash) values (${node?.id}, ${hashToken(token)})`;
    agents.push({ node_id: node?.id, token });
  }
  web = await startWeb();
}, 60_000);
afterAll(async () => {
  web?.process.kill('SIGKILL');
  await sql?.end({ timeout: 1 });
  await database?.stop();
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});
afterEach(async () => {
  if (web.process.exitCode !== null || web.process.signalCode !== null) web = await startWeb();
});

const killWeb = async () => {
  web.process.kill('SIGKILL');
};
const killPostgres = async () => {
  const pid = database.pid();
  // The main process first: it must not clean up after its children.
  for (const one of [pid, ...postgresProcesses(join(directory, 'postgres'))]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It followed its parent already.
    }
  }
  while (database.pid() === pid) await delay(10);
};

type Sent = { agent: number; heartbeat: ReturnType<typeof makeHeartbeat>; confirmed: boolean };

async function post(one: Sent): Promise<void> {
  try {
    const response = await fetch(web.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${agents[one.agent]?.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(one.heartbeat),
      signal: AbortSignal.timeout(20_000),
    });
    one.confirmed = response.status === 200;
    await response.arrayBuffer();
  } catch {
    // The process died: whether the heartbeat was stored is unknown.
  }
}

/** How many flows of a heartbeat are stored: all its flows have ports of their own. */
async function countStoredFlows({ agent, heartbeat }: Sent): Promise<number> {
  const ports = heartbeat.flows.map((flow) => (flow as { source_port: number }).source_port);
  const { n } = await count(
    () => sql`select count(*)::int as n from traffic_flows
      where node_id = ${agents[agent]?.node_id ?? ''} and source_port = any(${ports})`,
  );
  return n;
}

it.each([
  ['web process', killWeb],
  ['PostgreSQL', killPostgres],
])('accepted data exists after kill -9 of %s, other data completely or not at all', async (_what, kill) => {
  await sql`truncate traffic_flows, flow_rollup_minutes, agent_heartbeats`;
  let boot = 0;
  const all: Sent[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const boots = agents.map(() => `0190a0a0-0000-7000-8000-${String(++boot).padStart(12, '0')}`);
    const sent: Sent[] = [];
    let killed: Promise<void> | undefined;
    // Each agent sends one heartbeat after the other; right after the third answer the process is killed.
    await Promise.all(
      agents.map(async (_, agent) => {
        for (let sequence = 0; sequence < 4 && !killed; sequence++) {
          const from = (round * 4 + sequence) * FLOWS;
          const one: Sent = {
            agent,
            heartbeat: makeHeartbeat(makeFlows(FLOWS, from), { boot_id: boots[agent], sequence }),
            confirmed: false,
          };
          sent.push(one);
          await post(one);
          if (one.confirmed && sent.filter((other) => other.confirmed).length >= 3) killed ??= kill();
        }
      }),
    );
    await killed;
    if (web.process.signalCode !== null || web.process.killed) web = await startWeb();
    expect(sent.filter(({ confirmed }) => confirmed).length).toBeGreaterThanOrEqual(3);
    for (const one of sent) {
      const stored = await countStoredFlows(one);
      expect(one.confirmed ? [FLOWS] : [0, FLOWS]).toContain(stored);
    }
    all.push(...sent);
  }
  // Agents send again what was not confirmed: nothing is missing then, and nothing counted twice.
  const lost = all.filter(({ confirmed }) => !confirmed);
  for (const one of lost) {
    for (let attempt = 0; attempt < 50 && !one.confirmed; attempt++) {
      await post(one);
      if (!one.confirmed) await delay(100);
    }
    expect(one.confirmed).toBe(true);
  }
  for (const one of all) expect(await countStoredFlows(one)).toBe(FLOWS);
  const flows = await count(() => sql`select count(*)::int as n, sum(bytes)::int as bytes from traffic_flows`);
  const sums = await count(() => sql`select sum(flows)::int as n, sum(bytes)::int as bytes from flow_rollup_minutes`);
  expect(flows.n).toBe(all.length * FLOWS);
  expect(sums).toEqual(flows);
});
