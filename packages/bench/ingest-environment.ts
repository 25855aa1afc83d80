import { type ChildProcess, fork } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedDatabase } from '@/runtime/embedded-database';
import { findFreePort } from '@/runtime/postgres/server';
import { migrateDatabase } from '@/server/db/migrate';
import type { Plan, Sent } from './ingest-client';
import { GUESTS, guestAddress, NODES, PRELOAD_SQL } from './ingest-flows';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** Rows of one statement that fills the table. */
const CHUNK = 4_000;

export type Run = { seconds: number; sent: Sent[] };

/**
 * A service as in production: PostgreSQL with the settings of the embedded one (fsync on), one web process from the
 * production build, 64 nodes with agents and 20 guests each.
 */
export async function startIngestEnvironment() {
  const directory = mkdtempSync(join(tmpdir(), 'fabric-bench-'));
  // The database server may run as another user.
  const scratch = mkdtempSync(join(tmpdir(), 'fabric-bench-'));
  chmodSync(scratch, 0o777);
  const database = await startEmbeddedDatabase(directory, () => {});
  await migrateDatabase(database.url);
  const secret = 'bench-secret-key-bench-secret-key-bench';
  Object.assign(process.env, { DATABASE_URL: database.url, FABRIC_SECRET_KEY: secret, LOG_LEVEL: 'error' });
  const { sqlClient, closeDb } = await import('@/server/db/client');
  const { makeAgent, makeCluster, makeNode } = await import('@/test/factories');
  const sql = sqlClient();

  const cluster = await makeCluster();
  await sql`create table bench_nodes (number int, id uuid, cluster_id uuid)`;
  await sql`create table bench_guests (node int, guest int, vmid int, id uuid, primary key (node, guest))`;
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  const tokens: string[] = [];
  for (let number = 0; number < NODES; number++) {
    const node = await makeNode(cluster);
    tokens.push((await makeAgent(node)).authorization.replace('Bearer ', ''));
    await sql`insert into bench_nodes values (${number}, ${node.id}, ${cluster.id})`;
    const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${`10.${number}.0.0/16`}, 'manual') returning id`;
    for (let guest = 0; guest < GUESTS; guest++) {
      const vmid = 100 + number * GUESTS + guest;
      const [workload] = await sql`insert into workloads (id, cluster_id, node_id, vmid, kind, external_id, name)
        values (gen_random_uuid(), ${cluster.id}, ${node.id}, ${vmid}, 'qemu', ${`qemu/${vmid}`}, ${`guest ${vmid}`}) returning id`;
      await sql`insert into bench_guests values (${number}, ${guest}, ${vmid}, ${workload?.id})`;
      await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
        values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${guestAddress(number, guest)}, ${workload?.id}, 'manual')`;
    }
  }

  const expected = await findFreePort();
  const web = startWeb({
    DATABASE_URL: database.url,
    REDIS_URL: '',
    FABRIC_SECRET_KEY: secret,
    FABRIC_DATA_DIR: directory,
    PORT: String(expected),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
  });
  const { port = expected } = await web.ready;

  let from = 0;
  return {
    sql,
    databasePid: database.pid,
    databaseUrl: database.url,
    webPid: web.process.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    /** A file that the database server may write. */
    scratch: join(scratch, 'flows.copy'),
    /** Fills the store up to `rows` flows that were observed `minutes` ago, with their conversations. @returns rows per node */
    async preload(rows: number, minutes: number, already = 0, nodes = NODES): Promise<number> {
      const perNode = Math.floor(rows / nodes);
      for (let i = Math.floor(already / nodes); i < perNode; i += CHUNK) {
        await sql.unsafe(PRELOAD_SQL, [i, Math.min(i + CHUNK, perNode), minutes, nodes]);
      }
      const { postgresFlowStore } = await import('@/server/traffic/storage/postgres/postgres-flow-store');
      for (let assigned = 1; assigned > 0; ) ({ assigned } = await postgresFlowStore.upkeep.settleConversations());
      await sql`vacuum analyze traffic_flows, traffic_conversations`;
      await sql`checkpoint`;
      return perNode;
    },
    /** Sends heartbeats from a process of its own; `started` is called when the first is sent. */
    async send(plan: Omit<Plan, 'url' | 'tokens' | 'from'>, started: () => void = () => {}): Promise<Run> {
      const options = { url: `http://127.0.0.1:${port}`, tokens, from, ...plan };
      from += plan.heartbeats;
      const client = fork(file('./ingest-client.ts'), [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
      await new Promise((resolve) => client.once('message', resolve));
      started();
      client.send('go');
      return new Promise((resolve, reject) => {
        client.once('message', (run) => resolve(run as Run));
        client.once('exit', (code) => reject(new Error(`the client ended with ${code}`)));
      });
    },
    async stop(): Promise<void> {
      web.process.kill('SIGKILL');
      await closeDb();
      await database.stop();
      for (const one of [directory, scratch]) rmSync(one, { recursive: true, force: true });
    },
  };
}
export type IngestEnvironment = Awaited<ReturnType<typeof startIngestEnvironment>>;

type Web = { process: ChildProcess; ready: Promise<{ port?: number }> };

/** One web process: the production build, or with `--rest-only` the REST surface from the sources, without Next. */
function startWeb(environment: Record<string, string>): Web {
  const restOnly = process.argv.includes('--rest-only');
  const program = file(restOnly ? '../../src/test/web-process.fixture.ts' : '../../dist/web.mjs');
  if (!restOnly && !(existsSync(program) && existsSync(file('../../.next/standalone/server.js')))) {
    throw new Error('Run npm run build first (or give --rest-only): this measures the production build.');
  }
  const child = fork(program, ['--embedded'], {
    // One arena of the C library, as the supervisor starts it.
    env: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', MALLOC_ARENA_MAX: '1', ...environment },
    execArgv: restOnly ? ['--import', 'tsx'] : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ready = new Promise<{ port?: number }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { port?: number }));
    child.once('exit', (code) => reject(new Error(`the web process ended with ${code}`)));
  });
  return { process: child, ready };
}
