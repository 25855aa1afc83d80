import postgres from 'postgres';
import { vi } from 'vitest';
import type { Cluster } from '@/domain/cluster';
import { systemScope } from '@/server/auth/scope';
import { db } from '@/server/db/client';
import { type Simulator, type SimulatorOptions, startSimulator } from '@/server/providers/hypervisor/fake/http-server';
import type { ClusterControl } from '@/server/providers/hypervisor/fake/control/cluster-control';
import { createCluster } from '../create-cluster';
import { requestSyncIn } from '../request-sync';
import { runClusterSync } from '../run-sync';

// Simulated clusters listen on loopback.
vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');

const scope = systemScope('cluster:write', 'test');

export type SyncWorld = {
  simulator: Simulator;
  control: ClusterControl;
  cluster: Cluster;
  /** Adds a queued run and carries it out in this process. */
  sync(trigger?: 'manual' | 'auto', context?: Partial<Parameters<typeof runClusterSync>[1]>): Promise<RunRow>;
  /** Lets the simulated cluster publish what changed: its status is broadcast every ten seconds. */
  settle(): Promise<void>;
  sql: postgres.Sql;
  close(): Promise<void>;
};

export type RunRow = {
  id: string;
  status: string;
  stage: string | null;
  counters: Record<string, Record<string, number>>;
  errors: { stage: string; code: string; object?: string; message: string; remedy?: string }[];
  attempts: number;
};

/** Rows by table that were inserted, updated or deleted since the database was made. */
export async function writesSoFar(sql: postgres.Sql): Promise<Record<string, number>> {
  await sql`select pg_stat_force_next_flush()`;
  const rows = await sql<{ relname: string; writes: number }[]>`
    select relname, (n_tup_ins + n_tup_upd + n_tup_del)::int as writes from pg_stat_user_tables
    where relname in ('nodes', 'workloads', 'workload_interfaces', 'networks', 'subnets')`;
  return Object.fromEntries(rows.map((row) => [row.relname, row.writes]));
}

/** A simulated cluster, stored with its administrator's access, and what tests do with it. */
export async function makeSyncWorld(options: SimulatorOptions, name = 'lab'): Promise<SyncWorld> {
  const simulator = await startSimulator(options);
  const control = simulator.cluster();
  const [first] = control.nodes;
  if (!first) throw new Error('a scenario without nodes');
  const cluster = await createCluster(scope, {
    name,
    api_url: first.url,
    api_token: control.tokens.manager,
    tls_fingerprint: first.fingerprint256,
    rule_placement: 'above',
  });
  const sql = postgres(process.env.DATABASE_URL ?? '', { max: 1, onnotice: () => {} });
  return {
    simulator,
    control,
    cluster,
    sql,
    async sync(trigger = 'manual', context = {}) {
      const { run_id } = await db.transaction((tx) => requestSyncIn(tx, scope, cluster.id, trigger));
      await runClusterSync(cluster.id, { signal: new AbortController().signal, ...context });
      const [run] = await sql<RunRow[]>`select * from sync_runs where id = ${run_id}`;
      if (!run) throw new Error('the run is gone');
      return run;
    },
    settle: () => simulator.clock.advance(15_000),
    async close() {
      await simulator.close();
      await sql.end({ timeout: 5 });
    },
  };
}
