import { recipeMac } from '@fabric/simulator/scenarios/guest-recipe';
import type { AgentInterface } from '@fabric/simulator/state/guest';
import { systemScope } from '@/server/auth/scope';
import { db } from '@/server/db/client';
import { makeSyncLab, type RunRow, type SyncLab } from '../../sync/testing/sync-lab.fixture';
import { requestDiscoveryIn } from './request-discovery';
import { runDiscovery } from './run-discovery';

const scope = systemScope('ipam:discover', 'test');

export type AddressRow = {
  id: string;
  address: string;
  state: string;
  source: string;
  vmid: number | null;
  mac: string | null;
  nic: string | null;
  cidr: string;
  network: string;
  version: number;
};
export type ConflictRow = {
  kind: string;
  status: string;
  address: string | null;
  mac: string | null;
  vmid: number | null;
  other: number | null;
  id: string;
};

/** A simulated cluster whose inventory is synced, and what tests do with its addresses. */
export type DiscoveryLab = SyncLab & {
  discover(trigger?: 'manual' | 'auto', context?: Partial<Parameters<typeof runDiscovery>[1]>): Promise<RunRow>;
  addresses(): Promise<AddressRow[]>;
  /** `address vmid state source`, in order. */
  lines(): Promise<string[]>;
  conflicts(): Promise<ConflictRow[]>;
  /** Every row with the transaction that wrote it last. */
  writes(): Promise<string[]>;
};

export async function makeDiscoveryLab(...args: Parameters<typeof makeSyncLab>): Promise<DiscoveryLab> {
  const fixture = await makeSyncLab(...args);
  const { sql, cluster } = fixture;
  const addresses = () => sql<AddressRow[]>`
    select a.id, host(a.address) as address, a.state, a.source, w.vmid, a.mac, i.name as nic, s.cidr, n.name as network, a.version
    from ip_addresses a join subnets s on s.id = a.subnet_id join networks n on n.id = a.network_id
      left join workloads w on w.id = a.workload_id left join workload_interfaces i on i.id = a.interface_id
    where a.cluster_id = ${cluster.id} order by a.address`;
  return {
    ...fixture,
    async discover(trigger = 'manual', context = {}) {
      const { run_id } = await db.transaction((tx) => requestDiscoveryIn(tx, scope, cluster.id, trigger));
      await runDiscovery(cluster.id, { signal: new AbortController().signal, ...context });
      const [run] = await sql<RunRow[]>`select * from sync_runs where id = ${run_id}`;
      if (!run) throw new Error('the run is gone');
      return run;
    },
    addresses,
    async lines() {
      return (await addresses()).map((row) => `${row.address} ${row.vmid} ${row.state} ${row.source}`);
    },
    conflicts: () => sql<ConflictRow[]>`
      select c.id, c.kind, c.status, host(c.address) as address, c.mac, w.vmid, o.vmid as other from ipam_conflicts c
        left join workloads w on w.id = c.workload_id left join workloads o on o.id = c.other_workload_id
      where c.cluster_id = ${cluster.id} order by c.kind, c.address, o.vmid`,
    async writes() {
      const tables = ['networks', 'subnets', 'ip_addresses', 'ip_address_history', 'ipam_conflicts'];
      const rows = await Promise.all(
        tables.map((table) => sql<{ row: string }[]>`select ${table} || id || ' ' || xmin as row from ${sql(table)}`),
      );
      return rows.flatMap((list) => list.map(({ row }) => row)).sort();
    },
  };
}

/** The answer of a guest agent: these addresses on the first interface of a guest of the small lab, and more interfaces. */
export function createAgentAnswer(vmid: number, addresses: string[], ...more: AgentInterface[]) {
  const listed = addresses.map((text) => {
    const [address = '', prefix = ''] = text.split('/');
    return {
      'ip-address': address,
      'ip-address-type': address.includes(':') ? 'ipv6' : 'ipv4',
      prefix: Number(prefix),
    };
  });
  const mac = recipeMac('lab', vmid, 0).toLowerCase();
  return {
    kind: 'ok' as const,
    interfaces: [{ name: 'eth0', 'hardware-address': mac, 'ip-addresses': listed }, ...more],
  };
}
/** An interface of containers inside the guest. */
export const createDockerInterface = (address: string): AgentInterface => ({
  name: 'docker0',
  'hardware-address': '02:42:ac:11:00:01',
  'ip-addresses': [{ 'ip-address': address, 'ip-address-type': 'ipv4', prefix: 16 }],
});
