import type { ImportChange } from '@/domain/ipam/csv-import';
import { type AddressImportRow, type RowError, SETTABLE } from '@/domain/ipam/import-rows';
import { parseCidr } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { PrefixTable } from '@/domain/net/prefix-table';
import type { Tx } from '../../db/client';
import { newId } from '../../lib/ids';
import {
  findClustersByName,
  listAddressesByCluster,
  listAssigneesByCluster,
  listSubnetsByCluster,
  lockNetworksByCluster,
} from '../queries/imports';
import { toImportChange } from './import-changes';

/** What is stored in the clusters that a file names, as a check of its rows needs it. */
export type ImportContext = {
  clusters: Awaited<ReturnType<typeof findClustersByName>>;
  networks: Awaited<ReturnType<typeof lockNetworksByCluster>>;
  subnets: Awaited<ReturnType<typeof listSubnetsByCluster>>;
  addresses: Awaited<ReturnType<typeof listAddressesByCluster>>;
  workloads: Awaited<ReturnType<typeof listAssigneesByCluster>>;
  newId: () => string;
};

/**
 * Reads it, and keeps others from changing prefixes and addresses of these clusters until the transaction ends.
 * @param clusterNames null: of every cluster, because a row names none
 */
export async function loadImportContext(tx: Tx, clusterNames: readonly string[] | null): Promise<ImportContext> {
  const clusters = await findClustersByName(tx, clusterNames);
  const ids = clusters.map(({ id }) => id);
  if (ids.length === 0) return { clusters, networks: [], subnets: [], addresses: [], workloads: [], newId };
  const networks = await lockNetworksByCluster(tx, ids);
  const [subnets, addresses, workloads] = await Promise.all([
    listSubnetsByCluster(tx, ids),
    listAddressesByCluster(tx, ids),
    listAssigneesByCluster(tx, ids),
  ]);
  return { clusters, networks, subnets, addresses, workloads, newId };
}

type Stored = ImportContext['addresses'][number];
export type AddressWrite = Omit<Stored, 'address' | 'source'> & {
  address: string;
  source: 'agent' | 'sdn' | 'config' | 'cloudinit' | 'manual';
  cluster_id: string;
  subnet_id: string;
};
export type AddressPlan = {
  create: AddressWrite[];
  update: AddressWrite[];
  unchanged: number;
  errors: RowError[];
  /** What `create` and `update` are, for people. */
  changes: ImportChange[];
};

const key = (a: string, b: string) => `${a} ${b}`;
const toCanonical = (text: string) => {
  const ip = parseIp(text);
  return ip ? formatIp(ip) : text;
};

/** Why a row needs a cluster: those that are possible, by name. */
export function formatAmbiguousCluster(what: string, candidates: readonly { name: string }[]): string {
  const names = candidates.map(({ name }) => name).sort();
  const more = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return `${what} several clusters: ${names.slice(0, 10).join(', ')}${more}. Enter the cluster.`;
}

/** What the rows become, compared with what is stored; every row that cannot be taken over is named. */
export function planAddresses(rows: readonly AddressImportRow[], context: ImportContext): AddressPlan {
  const plan: AddressPlan = { create: [], update: [], unchanged: 0, errors: [], changes: [] };
  const clusterNames = new Map(context.clusters.map((cluster) => [cluster.id, cluster.name]));
  const clusters = new Map(context.clusters.map((cluster) => [cluster.name, cluster.id]));
  const networks = new Map(context.networks.map((network) => [key(network.cluster_id, network.name), network]));
  const nameOf = new Map(context.networks.map((network) => [network.id, network.name]));
  type Home = { network_id: string; subnet_id: string; cidr: string };
  const ofNetwork = new Map<string, PrefixTable<Home>>();
  const ofCluster = new Map<string, PrefixTable<Home>>();
  /** Networks of a cluster by a prefix of theirs. */
  const sharing = new Map<string, string[]>();
  const put = (tables: Map<string, PrefixTable<Home>>, id: string, cidr: string, home: Home) => {
    const parsed = parseCidr(cidr);
    const table = tables.get(id) ?? new PrefixTable<Home>();
    tables.set(id, table);
    if (parsed) table.set(parsed, home);
  };
  for (const { id, network_id, cluster_id, cidr } of context.subnets) {
    put(ofNetwork, network_id, cidr, { network_id, subnet_id: id, cidr });
    put(ofCluster, cluster_id, cidr, { network_id, subnet_id: id, cidr });
    const same = key(cluster_id, cidr);
    sharing.set(same, [...(sharing.get(same) ?? []), nameOf.get(network_id) ?? '']);
  }
  const stored = new Map(context.addresses.map((row) => [key(row.network_id, toCanonical(row.address)), row]));
  const guests = new Map<string, ImportContext['workloads'][number] | null>();
  for (const guest of context.workloads) {
    for (const name of [guest.external_id, String(guest.vmid)]) guests.set(key(guest.cluster_id, name), guest);
    const byName = key(guest.cluster_id, `name:${guest.name}`);
    // A name that several have names none of them.
    guests.set(byName, guests.has(byName) ? null : guest);
  }
  const taken = new Map<string, number>();
  const guestNames = new Map(context.workloads.map((guest) => [guest.id, `${guest.external_id} (${guest.name})`]));
  const readable = (row: AddressWrite) => ({
    state: row.state,
    hostname: row.hostname,
    mac: row.mac,
    description: row.description,
    workload: row.workload_id && (guestNames.get(row.workload_id) ?? row.workload_id),
    source: row.source,
  });
  /** The clusters in which a row without a cluster has a place. */
  const clustersFor = (row: AddressImportRow) => {
    const ip = parseIp(row.address);
    return context.clusters.filter(({ id }) => {
      const network = row.network === undefined ? null : networks.get(key(id, row.network));
      const table = network === null ? ofCluster.get(id) : network && ofNetwork.get(network.id);
      return ip && table?.match(ip);
    });
  };

  for (const row of rows) {
    const fail = (field: string, message: string) => plan.errors.push({ line: row.line, field, message });
    const candidates = row.cluster === undefined ? clustersFor(row) : [];
    const clusterId = row.cluster === undefined ? candidates[0]?.id : clusters.get(row.cluster);
    if (candidates.length > 1) {
      fail('cluster', formatAmbiguousCluster(`${row.address} has a place in`, candidates));
      continue;
    }
    if (clusterId === undefined) {
      if (row.cluster !== undefined) fail('cluster', `Cluster ${row.cluster} not found.`);
      else
        fail(
          'address',
          `No prefix of ${row.network === undefined ? 'any cluster' : `a network named ${row.network}`} contains ${row.address}. Add a prefix first.`,
        );
      continue;
    }
    const network = row.network === undefined ? null : networks.get(key(clusterId, row.network));
    if (network === undefined) {
      fail('network', `Network ${row.network} not found in the cluster.`);
      continue;
    }
    const ip = parseIp(row.address);
    const home = ip && (network ? ofNetwork.get(network.id) : ofCluster.get(clusterId))?.match(ip);
    if (!home) {
      fail(
        'address',
        `No prefix of ${network ? row.network : 'the cluster'} contains ${row.address}. Add a prefix first.`,
      );
      continue;
    }
    const alike = network ? [] : (sharing.get(key(clusterId, home.cidr)) ?? []);
    if (alike.length > 1) {
      fail(
        'network',
        `${home.cidr} is a prefix of several networks: ${[...alike].sort().join(', ')}. Enter the network.`,
      );
      continue;
    }
    const place = key(home.network_id, row.address);
    const before = taken.get(place);
    if (before !== undefined) {
      fail('address', `Line ${before} already contains ${row.address} of ${nameOf.get(home.network_id)}.`);
      continue;
    }
    taken.set(place, row.line);
    const guest =
      row.workload === undefined
        ? undefined
        : (guests.get(key(clusterId, row.workload)) ?? guests.get(key(clusterId, `name:${row.workload}`)));
    if (row.workload !== undefined && !guest) {
      fail(
        'workload',
        guest === null
          ? `Several workloads are named ${row.workload}. Use the ID, for example qemu/100.`
          : `Workload ${row.workload} not found in the cluster.`,
      );
      continue;
    }
    const known = stored.get(place);
    if ((row.state === 'conflict' || row.state === 'stale') && known?.state !== row.state) {
      fail('state', `${SETTABLE} Only what was found sets ${row.state}.`);
      continue;
    }
    const { network_id, subnet_id } = home;
    const base: AddressWrite = known
      ? { ...known, address: row.address, cluster_id: clusterId, network_id, subnet_id }
      : {
          id: context.newId(),
          network_id,
          subnet_id,
          cluster_id: clusterId,
          address: row.address,
          state: 'active',
          source: 'manual',
          workload_id: null,
          interface_id: null,
          mac: null,
          hostname: null,
          description: '',
        };
    const next: AddressWrite = { ...base };
    if (row.state !== undefined) next.state = row.state;
    if (row.hostname !== undefined) next.hostname = row.hostname;
    if (row.description !== undefined) next.description = row.description;
    if (guest && guest.id !== base.workload_id) {
      const cards = guest.interfaces.filter((nic) => nic.network_id === home.network_id);
      next.workload_id = guest.id;
      next.interface_id = cards.length === 1 ? (cards[0]?.id ?? null) : null;
      next.mac = (cards.length === 1 ? cards[0]?.mac : null) ?? null;
      // A stale address that gets a holder again is in use.
      if (next.state === 'stale') next.state = 'active';
    }
    if (row.mac !== undefined) next.mac = row.mac;
    const change = () =>
      toImportChange(
        {
          line: row.line,
          name: row.address,
          cluster_name: clusterNames.get(clusterId) ?? '',
          network_name: nameOf.get(network_id) ?? '',
        },
        known ? readable(base) : null,
        readable(next),
      );
    if (!known) {
      plan.create.push(next);
      plan.changes.push(change());
      continue;
    }
    const decided = (['state', 'workload_id', 'mac'] as const).some((field) => next[field] !== base[field]);
    if (decided && known.state === 'conflict') {
      fail('address', `${row.address} has an open conflict. Resolve the conflict first.`);
      continue;
    }
    if (decided) next.source = 'manual';
    const fields = ['state', 'workload_id', 'interface_id', 'mac', 'hostname', 'description', 'source'] as const;
    if (fields.every((field) => next[field] === base[field])) plan.unchanged += 1;
    else {
      plan.update.push(next);
      plan.changes.push(change());
    }
  }
  return plan;
}
