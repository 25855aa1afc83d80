import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, keepRunning } from '@/runtime/child-process';
import { startEmbeddedDatabase } from '@/runtime/embedded-database';
import { findFreePort } from '@/runtime/postgres/server';
import { prepareStores } from '@/runtime/prepare-stores';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const PASSWORD = 'a long walk by the river';
export const GUESTS = 20;
export const guestAddress = (node: number, guest: number): string =>
  `10.${Math.floor(node / 250)}.${node % 250}.${10 + guest}`;

type Options = {
  users: number;
  agents: number;
  /** Queues on this Redis, or in the database. */
  redisUrl: string | null;
  /** Pause before a process that ended is started again, the first time. */
  backoffMs?: number;
};

export type ServiceEnvironment = {
  url: string;
  databaseUrl: string;
  redisUrl: string | null;
  databasePid(): number;
  processes: Record<'web' | 'worker', Child>;
  /** Bearer tokens of the agents, by the number of their node. */
  tokens: string[];
  emails: string[];
  /** Lines that the processes logged at level error. */
  errors: string[];
  stop(): Promise<void>;
};

/**
 * A service as `npm start` runs it, over the production build: PostgreSQL as embedded (durable), one web and one worker
 * that are started again when they end. In it are nodes with agents, 20 guests each, and people of several roles.
 */
export async function startServiceEnvironment({
  users,
  agents,
  redisUrl,
  backoffMs = 500,
}: Options): Promise<ServiceEnvironment> {
  if (!existsSync(file('../../dist/web.mjs')) || !existsSync(file('../../.next/standalone/server.js'))) {
    throw new Error('Run npm run build first: this measures the production build.');
  }
  const directory = mkdtempSync(join(tmpdir(), 'fabric-bench-'));
  chmodSync(directory, 0o755);
  const database = await startEmbeddedDatabase(directory, () => {});
  const secret = 'bench-secret-key-bench-secret-key-bench';
  const environment = {
    NODE_ENV: 'production' as const,
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl ?? '',
    FABRIC_SECRET_KEY: secret,
    FABRIC_SETUP_CODE: 'bench-setup-code',
    FABRIC_DATA_DIR: directory,
    FABRIC_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
    LOG_LEVEL: 'error',
  };
  Object.assign(process.env, environment);
  await prepareStores({ DATABASE_URL: database.url, REDIS_URL: redisUrl ?? undefined });
  const made = await fill(users, agents);

  const port = String(await findFreePort());
  const errors: string[] = [];
  const start = (name: 'web' | 'worker') =>
    keepRunning(
      {
        name,
        command: process.execPath,
        arguments: [file(`../../dist/${name}.mjs`), '--embedded'],
        environment: { PATH: process.env.PATH, ...environment, PORT: port, HOST: '127.0.0.1' },
        workingDirectory: file('../../dist'),
      },
      {
        onLine: (line) => {
          if (line.startsWith('{')) errors.push(`${name}: ${line}`);
        },
        onEvent: () => {},
        backoffMs,
      },
    );
  const processes = { web: start('web'), worker: start('worker') };
  await Promise.all([processes.web.ready, processes.worker.ready]);
  return {
    ...made,
    url: `http://127.0.0.1:${port}`,
    databaseUrl: database.url,
    redisUrl,
    databasePid: database.pid,
    processes,
    errors,
    async stop() {
      await Promise.all(Object.values(processes).map((child) => child.stop(20_000)));
      const { closeDb } = await import('@/server/db/client');
      await closeDb();
      await database.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const ROLES = ['admin', 'security_engineer', 'network_operator', 'viewer', 'auditor'] as const;

/** Inventory and people, straight into the database. */
async function fill(users: number, agents: number): Promise<{ tokens: string[]; emails: string[] }> {
  const { sqlClient } = await import('@/server/db/client');
  const { grantRole, makeAgent, makeCluster, makeNode, makeUser } = await import('@/test/factories');
  const { hashPassword } = await import('@/server/access/sign-in/passwords');
  const sql = sqlClient();
  const tokens: string[] = [];
  let cluster: Awaited<ReturnType<typeof makeCluster>> | undefined;
  let network: string | undefined;
  for (let number = 0; number < agents; number += 1) {
    if (number % 50 === 0 || !cluster) {
      cluster = await makeCluster();
      const [row] = await sql`insert into networks (id, cluster_id, name, kind, source)
        values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
      network = String(row?.id);
    }
    const node = await makeNode(cluster);
    tokens.push((await makeAgent(node)).authorization.replace('Bearer ', ''));
    const prefix = guestAddress(number, 0).replace(/\.\d+$/, '.0/24');
    await sql`with s as (
      insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster.id}, ${network ?? ''}, ${prefix}::cidr, 'manual') returning id),
    w as (
      insert into workloads (id, cluster_id, node_id, vmid, kind, external_id, name, status)
      select gen_random_uuid(), ${cluster.id}, ${node.id}, 100 + ${number * GUESTS}::int + g, 'qemu',
        'qemu/' || (100 + ${number * GUESTS}::int + g), 'guest ' || (100 + ${number * GUESTS}::int + g), 'running'
      from generate_series(0, ${GUESTS - 1}::int) g returning id, vmid)
    insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
    select gen_random_uuid(), ${cluster.id}, ${network ?? ''}, s.id,
      host(${guestAddress(number, 0)}::inet + (w.vmid - 100 - ${number * GUESTS}::int))::inet, w.id, 'manual'
    from s, w`;
  }
  const password_hash = await hashPassword(PASSWORD);
  const emails: string[] = [];
  for (let number = 0; number < users; number += 1) {
    const email = `person${number}@example.org`;
    const user = await makeUser(null, undefined, { email, password_hash });
    await grantRole(user, number === 0 ? 'super_admin' : (ROLES[number % ROLES.length] ?? 'viewer'));
    emails.push(email);
  }
  await sql`insert into system_settings (key, value) values ('setup', '{"completed_at": "2026-01-01T00:00:00Z"}')`;
  await sql`vacuum analyze`;
  return { tokens, emails };
}
