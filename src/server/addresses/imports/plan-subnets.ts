import type { ImportChange } from '@/domain/ipam/csv-import';
import type { RowError, SubnetImportRow } from '@/domain/ipam/import-rows';
import { toImportChange } from './import-changes';
import { formatAmbiguousCluster, type ImportContext } from './plan-addresses';

type Stored = ImportContext['subnets'][number];
export type SubnetWrite = Pick<
  Stored,
  | 'id'
  | 'cluster_id'
  | 'network_id'
  | 'cidr'
  | 'gateway'
  | 'dns_servers'
  | 'dhcp_enabled'
  | 'vlan_tag'
  | 'description'
  | 'version'
>;
export type SubnetPlan = {
  create: SubnetWrite[];
  update: SubnetWrite[];
  unchanged: number;
  errors: RowError[];
  /** What `create` and `update` are, for people. */
  changes: ImportChange[];
};

const key = (a: string, b: string) => `${a} ${b}`;
const FIELDS = ['gateway', 'dns_servers', 'dhcp_enabled', 'vlan_tag', 'description'] as const;

const toReadable = ({ gateway, dns_servers, dhcp_enabled, vlan_tag, description }: SubnetWrite) => ({
  gateway,
  dns_servers: dns_servers.join(' '),
  dhcp_enabled,
  vlan_tag,
  description,
});

/** What the rows become, compared with what is stored; every row that cannot be taken over is named. */
export function planSubnets(rows: readonly SubnetImportRow[], context: ImportContext): SubnetPlan {
  const plan: SubnetPlan = { create: [], update: [], unchanged: 0, errors: [], changes: [] };
  const clusterNames = new Map(context.clusters.map((cluster) => [cluster.id, cluster.name]));
  const clusters = new Map(context.clusters.map((cluster) => [cluster.name, cluster.id]));
  const networks = new Map(context.networks.map((network) => [key(network.cluster_id, network.name), network.id]));
  const stored = new Map(context.subnets.map((row) => [key(row.network_id, row.cidr), row]));
  const taken = new Map<string, number>();
  for (const row of rows) {
    const fail = (field: string, message: string) => plan.errors.push({ line: row.line, field, message });
    const candidates =
      row.cluster === undefined ? context.clusters.filter(({ id }) => networks.has(key(id, row.network))) : [];
    if (candidates.length > 1) {
      fail('cluster', formatAmbiguousCluster(`The network ${row.network} is in`, candidates));
      continue;
    }
    const clusterId = row.cluster === undefined ? candidates[0]?.id : clusters.get(row.cluster);
    if (clusterId === undefined) {
      if (row.cluster !== undefined) fail('cluster', `Cluster ${row.cluster} not found.`);
      else fail('network', `Network ${row.network} not found in any cluster. Add the network first.`);
      continue;
    }
    const networkId = networks.get(key(clusterId, row.network));
    if (networkId === undefined) {
      fail('network', `Network ${row.network} not found in the cluster. Add the network first.`);
      continue;
    }
    const place = key(networkId, row.cidr);
    const before = taken.get(place);
    if (before !== undefined) {
      fail('cidr', `Line ${before} already contains ${row.cidr} of ${row.network}.`);
      continue;
    }
    taken.set(place, row.line);
    const known = stored.get(place);
    const base: SubnetWrite = known ?? {
      id: context.newId(),
      cluster_id: clusterId,
      network_id: networkId,
      cidr: row.cidr,
      gateway: null,
      dns_servers: [],
      dhcp_enabled: false,
      vlan_tag: null,
      description: '',
      version: 0,
    };
    const given = Object.fromEntries(
      FIELDS.flatMap((field) => (row[field] === undefined ? [] : [[field, row[field]]])),
    );
    const next: SubnetWrite = { ...base, ...given, version: base.version + 1 };
    const isSame = FIELDS.every((field) => JSON.stringify(next[field]) === JSON.stringify(base[field]));
    if (known && isSame) {
      plan.unchanged += 1;
      continue;
    }
    (known ? plan.update : plan.create).push(next);
    const at = { cluster_name: clusterNames.get(clusterId) ?? '', network_name: row.network };
    plan.changes.push(
      toImportChange({ line: row.line, name: row.cidr, ...at }, known ? toReadable(base) : null, toReadable(next)),
    );
  }
  return plan;
}
