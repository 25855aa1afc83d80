import { randomSource } from '@/domain/firewall/random-state.fixture';
import { db } from '@/server/db/client';
import { stableKey } from '@/server/lib/ids';
import { makeCluster, makeNode, makeWorkload } from '@/test/factories';
import type { FlowNode, ValidFlow } from '../flow-rows';
import type { FlowStore } from '../flow-store';

/** An engine to hold the contract against. */
export type ContractEngine = {
  store: FlowStore;
  /** Removes all that is stored of flows. */
  clear: () => Promise<void>;
  /** The share of random histories, filters and pages that it is asked with: reading a statement takes some engines longer than the answer. */
  share?: number;
};

/** Rows of a page when all pages of a list are read: few, so that pages end between all kinds of rows. */
export const getPageSize = (rows: number, { share = 1 }: Pick<ContractEngine, 'share'>): number =>
  Math.ceil(rows / share);

export const SUBNET = '10.7.0.0/24';
export const OTHER_SUBNET = '10.8.0.0/24';
const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** The whole hour in which the histories end: all of them are in the three hours before. */
export const NOW = Math.floor(Date.now() / HOUR) * HOUR;
export const iso = (time: number) => new Date(time).toISOString();

/** What of the inventory the histories are about: workloads of two nodes, and one of a node that saw nothing of its own. */
export type Inventory = {
  nodes: readonly FlowNode[];
  workloads: readonly { id: string; name: string; node: number; ip: string }[];
};

export async function makeInventory(): Promise<Inventory> {
  const cluster = await makeCluster();
  const nodes = [await makeNode(cluster), await makeNode(cluster)];
  const guests = [];
  for (const node of [0, 0, 1, 1]) {
    const { id, name } = await makeWorkload(cluster, null, { node_id: nodes[node]?.id ?? null });
    guests.push({ id, name, node, ip: `10.7.0.${guests.length + 1}` });
  }
  return { nodes: nodes.map(({ id }) => ({ node_id: id, cluster_id: cluster.id })), workloads: guests };
}

export type HistoryEnd = { ip: string; port: number; workload: number | null; cidr: string | null; prefix: string };

/** A connection: its ends, which nodes see it and what. */
export type Connection = {
  name: string;
  client: HistoryEnd;
  server: HistoryEnd;
  protocol: string;
  begin: number;
  nodes: readonly number[];
  /** A workload through which it is routed, on whose node it is seen at its interface. */
  router: number | null;
  is_opener_known: boolean;
  reports: readonly Report[];
};

/** What one node reports of one direction in one heartbeat. */
export type Report = {
  node: number;
  from_client: boolean;
  decision: 'observed' | 'accept' | 'drop' | 'reject';
  state: string | null;
  bytes: number | null;
  packets: number | null;
  at: number;
};

type Random = () => number;

const SERVICES = [443, 443, 22, 5432, 53];

/** One of them begins as addresses of IPv4 do where they are stored as IPv6. */
const OUTSIDE = [
  { ip: '203.0.0.9', prefix: '203.0.0.0/24' },
  { ip: '203.0.1.9', prefix: '203.0.1.0/24' },
  { ip: '2001:db8::9', prefix: '2001:db8::/48' },
  { ip: '::ffff:0:102:304', prefix: '::/48' },
] as const;

/** Known workloads, addresses of known subnets without a workload, and the outside. */
function makeEnd(random: Random, port: number, workloads: Inventory['workloads']): HistoryEnd {
  const which = Math.floor(random() * (workloads.length + 3));
  const workload = workloads[which];
  if (workload) return { ip: workload.ip, port, workload: which, cidr: SUBNET, prefix: SUBNET };
  if (which === workloads.length) {
    return {
      ip: `10.8.0.${1 + Math.floor(random() * 2)}`,
      port,
      workload: null,
      cidr: OTHER_SUBNET,
      prefix: OTHER_SUBNET,
    };
  }
  const { ip, prefix } = OUTSIDE[Math.floor(random() * OUTSIDE.length)] as (typeof OUTSIDE)[number];
  return { ip, port, workload: null, cidr: null, prefix };
}

function makeReports(random: Random, connection: Omit<Connection, 'reports'>): Report[] {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const kind = pick(['answered', 'answered', 'one_way', 'drop', 'reject', 'accept'] as const);
  const isCounted = random() < 0.9;
  const directions = [
    { from_client: true, decision: 'observed' as const },
    ...(kind === 'answered' || kind === 'accept' ? [{ from_client: false, decision: 'observed' as const }] : []),
    ...(kind === 'answered' || kind === 'one_way' ? [] : [{ from_client: true, decision: kind }]),
  ];
  const times = 1 + Math.floor(random() * 4);
  return connection.nodes.flatMap((node) =>
    Array.from({ length: times }, (_, k) =>
      directions.map((direction): Report => {
        const isLogged = direction.decision !== 'observed';
        const hasReply = kind === 'answered' || kind === 'accept';
        return {
          ...{ node, ...direction, state: isLogged ? null : hasReply ? 'ESTABLISHED' : 'SYN_SENT' },
          bytes: isLogged || !isCounted ? null : 100 + Math.floor(random() * 10_000),
          packets: isLogged || isCounted ? 1 + Math.floor(random() * 20) : null,
          // No two reports of a flow at the same time: which of them is the newest would be a matter of order.
          at: connection.begin + k * 2 * MINUTE + 1_000 + node * 300,
        };
      }),
    ).flat(),
  );
}

/** A connection from the first workload to the third, which are on both nodes. */
export const makeSharedConnection = (port: number, begin: number): Connection => ({
  ...{ name: String(port), protocol: 'tcp', begin, nodes: [0, 1], router: null, is_opener_known: true, reports: [] },
  client: { ip: '10.7.0.1', port, workload: 0, cidr: SUBNET, prefix: SUBNET },
  server: { ip: '10.7.0.3', port: 443, workload: 2, cidr: SUBNET, prefix: SUBNET },
});

/** Connections that depend on the seed only. */
export function makeConnections(seed: number, count: number, { workloads }: Inventory): Connection[] {
  const random = randomSource(seed);
  return Array.from({ length: count }, (_, i) => {
    const client = makeEnd(random, 33_000 + i, workloads);
    const server = makeEnd(random, SERVICES[Math.floor(random() * SERVICES.length)] as number, workloads);
    const at = [client, server].flatMap((end) => (end.workload === null ? [] : [workloads[end.workload]?.node ?? 0]));
    const made = {
      ...{ name: `${seed}/${i}`, client, server, protocol: server.port === 53 ? 'udp' : 'tcp' },
      begin: NOW - 3 * HOUR + Math.floor(random() * 170) * MINUTE,
      nodes: at.length === 0 ? [Math.floor(random() * 2)] : [...new Set(at)],
      router: random() < 0.2 ? Math.floor(random() * workloads.length) : null,
      is_opener_known: random() < 0.6,
    };
    return { ...made, reports: makeReports(random, made) };
  });
}

/** The workload at whose interface a node sees a connection: one that routes it, or one of its own, of the client first. */
export function findObserver(connection: Connection, node: number, { workloads }: Inventory): string | null {
  const { client, server } = connection;
  const router = connection.router === null ? undefined : workloads[connection.router];
  if (router?.node === node) return router.id;
  const own = [client, server].flatMap((end) => {
    const workload = end.workload === null ? undefined : workloads[end.workload];
    return workload?.node === node ? [workload.id] : [];
  });
  // Traffic between two unknown ends is seen at the interface of a workload that routes it.
  const isStrange = client.workload === null && server.workload === null;
  return own[0] ?? (isStrange ? (workloads.find((workload) => workload.node === node)?.id ?? null) : null);
}

/** A report as it is stored. */
export function toValidFlow(connection: Connection, report: Report, inventory: Inventory): ValidFlow {
  const { client, server, protocol } = connection;
  const [source, destination] = report.from_client ? [client, server] : [server, client];
  const isLogged = report.decision !== 'observed';
  const getWorkloadId = ({ workload }: HistoryEnd) =>
    workload === null ? null : (inventory.workloads[workload]?.id ?? null);
  const observer = findObserver(connection, report.node, inventory);
  const opener = report.from_client ? 'source' : 'destination';
  return {
    record: {
      flow_key: stableKey([source.ip, destination.ip, protocol, source.port, destination.port, report.decision]),
      ...{ source_ip: source.ip, destination_ip: destination.ip, protocol, decision: report.decision },
      ...{ source_port: source.port, destination_port: destination.port, state: report.state },
      ...{ bytes: null, packets: null, reported_bytes: report.bytes, reported_packets: report.packets },
      ...{ first_seen_at: iso(isLogged ? report.at : connection.begin), observed_at: iso(report.at) },
      ...{ collector: isLogged ? 'firewall_log' : 'ebpf', icmp_type: null, icmp_code: null, vlan: null },
      initiator: connection.is_opener_known && !isLogged ? opener : null,
      interface: observer === null ? null : `tap-${observer.slice(0, 8)}`,
      ...{ vmid: observer === null ? null : 100, nic: observer === null ? null : 0, workload_id: observer },
      ...{ source_workload_id: getWorkloadId(source), destination_workload_id: getWorkloadId(destination) },
      ...{ source_cidr: source.cidr, destination_cidr: destination.cidr, raw: null },
    },
    ...{ delta_bytes: report.bytes, delta_packets: report.packets, has_begin: !isLogged },
    ...{ source_prefix: source.prefix, destination_prefix: destination.prefix, is_resolvable: false },
  };
}

/** A heartbeat: what a node reports at one time. */
export type Heartbeat = { node: number; now: string; seen: readonly { connection: Connection; report: Report }[] };

/** Heartbeats with all reports, in the order of their times or, as after an outage, in any order. */
export function makeHeartbeats(connections: readonly Connection[], seed: number, isShuffled: boolean): Heartbeat[] {
  const random = randomSource(seed);
  const byTime = new Map<string, { connection: Connection; report: Report }[]>();
  for (const connection of connections) {
    for (const report of connection.reports) {
      const key = `${report.node} ${Math.floor(report.at / MINUTE)}`;
      byTime.set(key, [...(byTime.get(key) ?? []), { connection, report }]);
    }
  }
  const rank = (key: string) => (isShuffled ? random() : Number(key.split(' ')[1]));
  return (
    [...byTime]
      .map(([key, seen]) => {
        const [node = 0, minute = 0] = key.split(' ').map(Number);
        // Stored at a time that depends on nothing else that is reported.
        return { node, seen, rank: rank(key), now: iso(NOW + (minute - NOW / MINUTE) * 1_000 + node) };
      })
      .sort((a, b) => a.rank - b.rank)
      // In whatever order they come, time continues.
      .map((heartbeat, i) => (isShuffled ? { ...heartbeat, now: iso(NOW - 3 * MINUTE + i) } : heartbeat))
  );
}

/** Stores flows as the caller of the engine does. @returns how many were new */
export async function storeFlows(
  store: FlowStore,
  node: FlowNode,
  flows: readonly ValidFlow[],
  now: string,
): Promise<number> {
  const stored = await db.transaction((tx) => store.append(tx, node, flows, now));
  await store.deliver(node.node_id);
  return stored;
}

/** The flows of a heartbeat as `append` takes them. */
function toFlows(seen: Heartbeat['seen'], inventory: Inventory): ValidFlow[] {
  const flows = seen.map(({ connection, report }) => toValidFlow(connection, report, inventory));
  return flows.sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1));
}

/** The same of a heartbeat. */
export const storeHeartbeat = (store: FlowStore, { node, now, seen }: Heartbeat, inventory: Inventory) =>
  storeFlows(store, inventory.nodes[node] as FlowNode, toFlows(seen, inventory), now);

/** Heartbeats that come before what was committed is waited for: some of them share an insert, others do not. */
const TOGETHER = 8;

export async function storeHistory(store: FlowStore, history: readonly Heartbeat[], inventory: Inventory) {
  let stored = 0;
  for (const [i, { node, now, seen }] of history.entries()) {
    const flows = toFlows(seen, inventory);
    stored += await db.transaction((tx) => store.append(tx, inventory.nodes[node] as FlowNode, flows, now));
    if (i % TOGETHER > 0 && i < history.length - 1) continue;
    for (const { node_id } of inventory.nodes) await store.deliver(node_id);
  }
  return stored;
}
