import type { ClusterControl } from '@fabric/simulator/control/cluster-control';
import { type Simulator, type SimulatorOptions, startSimulator } from '@fabric/simulator/http-server';
import postgres from 'postgres';
import type { Cluster } from '@/domain/cluster';
import { systemScope } from '@/server/auth/scope';
import { db } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { env } from '@/server/lib/env';
import { createCluster } from '../clusters';
import { requestSyncIn } from '../request-sync';
import { runClusterSync } from '../run-sync';

const scope = systemScope('cluster:write', 'test');

export type SyncLab = {
  simulator: Simulator;
  control: ClusterControl;
  cluster: Cluster;
  /** Adds a queued run and carries it out in this process. */
  sync(trigger?: 'manual' | 'auto', context?: Partial<Parameters<typeof runClusterSync>[1]>): Promise<RunRow>;
  /** Lets time pass for the services, not for the cluster. */
  ahead(ms: number): void;
  /** Lets the simulated cluster publish what changed: its status is broadcast every ten seconds. */
  settle(): Promise<void>;
  sql: postgres.Sql;
  workloads(): Promise<WorkloadRow[]>;
  workload(vmid: number): Promise<WorkloadRow>;
  close(): Promise<void>;
};

export type WorkloadRow = {
  id: string;
  vmid: number;
  kind: string;
  name: string;
  status: string;
  node_name: string | null;
  project_id: string | null;
  tags: string[];
  pool: string | null;
  lock: string | null;
  template: boolean;
  missing_since: Date | null;
  started_at: Date | null;
  config_read_at: Date | null;
  nics: {
    name: string;
    mac: string;
    bridge: string;
    network: string | null;
    firewall: boolean;
    vlan_tag: number | null;
  }[];
};

export type RunRow = {
  id: string;
  status: string;
  stage: string | null;
  counters: Record<string, Record<string, number>>;
  errors: { stage: string; code: string; object?: string; message: string; remedy?: string }[];
  attempts: number;
};

/** Every inventory row with the transaction that wrote it last: equal twice means that nothing was written between. */
export async function inventoryWrites(sql: postgres.Sql): Promise<string[]> {
  const tables = ['nodes', 'workloads', 'workload_interfaces', 'networks', 'subnets'];
  const rows = await Promise.all(
    tables.map((table) => sql<{ row: string }[]>`select ${table} || id || ' ' || xmin as row from ${sql(table)}`),
  );
  return rows.flatMap((list) => list.map(({ row }) => row)).sort();
}

/** A simulated cluster, stored with its administrator's access, and what tests do with it. */
export async function makeSyncLab(options: SimulatorOptions, name = 'lab'): Promise<SyncLab> {
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
  const sql = postgres(env().DATABASE_URL ?? '', { max: 1, onnotice: () => {} });
  const workloads = () => sql<WorkloadRow[]>`
    select w.*, n.name as node_name, coalesce((
      select json_agg(json_build_object('name', i.name, 'mac', i.mac, 'bridge', i.bridge, 'network', net.name,
        'firewall', i.firewall, 'vlan_tag', i.vlan_tag) order by i.name)
      from workload_interfaces i left join networks net on net.id = i.network_id where i.workload_id = w.id), '[]') as nics
    from workloads w left join nodes n on n.id = w.node_id
    where w.cluster_id = ${cluster.id} order by w.vmid`;
  // Both sides tell the same time: a start that moves would be a restart.
  let offset = 0;
  const realNow = clock.now;
  clock.now = () => new Date(simulator.clock.now() + offset);
  return {
    simulator,
    control,
    cluster,
    sql,
    ahead(ms) {
      offset += ms;
    },
    async sync(trigger = 'manual', context = {}) {
      const { run_id } = await db.transaction((tx) => requestSyncIn(tx, scope, cluster.id, trigger));
      await runClusterSync(cluster.id, { signal: new AbortController().signal, ...context });
      const [run] = await sql<RunRow[]>`select * from sync_runs where id = ${run_id}`;
      if (!run) throw new Error('the run is gone');
      return run;
    },
    settle: () => simulator.clock.advance(15_000),
    workloads,
    async workload(vmid) {
      const row = (await workloads()).find((item) => item.vmid === vmid);
      if (!row) throw new Error(`no workload ${vmid}`);
      return row;
    },
    async close() {
      clock.now = realNow;
      await simulator.close();
      await sql.end({ timeout: 5 });
    },
  };
}
