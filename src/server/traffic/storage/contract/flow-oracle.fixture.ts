import { parseEndFilter, toVisibleCidr } from '@/domain/flow/flow-end';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import { getServicePort } from '@/domain/flow/service-port';
import { type Cidr, cidrContains, parseCidr } from '@/domain/net/cidr';
import { type IpAddress, parseIp } from '@/domain/net/ip-address';
import type { FlowReach, OwnedPeriod } from '../flow-selection';
import { findObserver, type Heartbeat, type Inventory, iso } from './flow-history.fixture';

/** A flow as it is after all heartbeats; times in milliseconds. */
export type OracleFlow = {
  connection: string;
  /** The workloads at its ends when it was stored. */
  identity: string;
  node_id: string;
  protocol: string;
  source_ip: string;
  source_port: number;
  source_workload_id: string | null;
  source_cidr: string | null;
  source_prefix: string;
  destination_ip: string;
  destination_port: number;
  destination_workload_id: string | null;
  destination_cidr: string | null;
  destination_prefix: string;
  decision: string;
  initiator: 'source' | 'destination' | null;
  workload_id: string | null;
  state: string | null;
  bytes: number | null;
  packets: number | null;
  first: number;
  at: number;
  created_at: string;
  updated_at: string;
};

/** What a report added, when it was observed; `flows`: whether the flow was new. */
export type OracleAddition = { flow: OracleFlow; at: number; bytes: number; packets: number; flows: number };

const add = (a: number | null, b: number | null) => (b === null ? a : (a ?? 0) + b);

/** What is stored after some heartbeats, without SQL. */
export function replayHeartbeats(heartbeats: readonly Heartbeat[], inventory: Inventory) {
  const flows = new Map<string, OracleFlow>();
  const additions: OracleAddition[] = [];
  for (const { node, now, seen } of heartbeats) {
    for (const { connection, report } of seen) {
      const { client, server, protocol, begin, is_opener_known } = connection;
      const [source, destination] = report.from_client ? [client, server] : [server, client];
      const getWorkloadId = (workload: number | null) =>
        workload === null ? null : (inventory.workloads[workload]?.id ?? null);
      const isLogged = report.decision !== 'observed';
      const key = [node, connection.name, report.from_client, report.decision].join(' ');
      const opener = report.from_client ? 'source' : 'destination';
      const known = flows.get(key);
      const flow: OracleFlow = known ?? {
        identity: `${getWorkloadId(source.workload)} ${getWorkloadId(destination.workload)}`,
        ...{ connection: connection.name, node_id: inventory.nodes[node]?.node_id ?? '', protocol },
        ...{ source_ip: source.ip, source_port: source.port, source_workload_id: getWorkloadId(source.workload) },
        ...{ source_cidr: source.cidr, source_prefix: source.prefix, destination_ip: destination.ip },
        ...{ destination_port: destination.port, destination_workload_id: getWorkloadId(destination.workload) },
        ...{ destination_cidr: destination.cidr, destination_prefix: destination.prefix, decision: report.decision },
        initiator: is_opener_known && !isLogged ? opener : null,
        workload_id: findObserver(connection, node, inventory),
        ...{ state: report.state, bytes: null, packets: null, first: report.at, at: report.at },
        ...{ created_at: now, updated_at: now },
      };
      flow.first = Math.min(flow.first, isLogged ? report.at : begin);
      if (report.at >= flow.at) flow.state = report.state;
      flow.at = Math.max(flow.at, report.at);
      flow.bytes = add(flow.bytes, report.bytes);
      flow.packets = add(flow.packets, report.packets);
      if (report.at >= flow.at || (report.packets ?? 0) > 0) flow.updated_at = now;
      flows.set(key, flow);
      const { bytes, packets, at } = report;
      additions.push({ flow, at, bytes: bytes ?? 0, packets: packets ?? 0, flows: known ? 0 : 1 });
    }
  }
  return { flows: [...flows.values()], additions };
}

const WORKLOADS = ['workload_id', 'source_workload_id', 'destination_workload_id'] as const;

/** A flow to a reader to whom its workloads belonged for a time only: otherwise they are strangers, and it began no earlier. */
export function limitToPeriods(
  flow: OracleFlow,
  { periods }: FlowReach,
  isWithin = ({ from, to }: OwnedPeriod) =>
    (from === null || (flow.created_at >= from && iso(flow.at) >= from)) && (to === null || iso(flow.at) < to),
): OracleFlow {
  const limited = { ...flow };
  for (const name of WORKLOADS) {
    const own = periods.filter(({ workload_id }) => workload_id === flow[name]);
    const begun = own.find((period) => isWithin(period));
    if (own.length > 0 && !begun) limited[name] = null;
    if (begun?.from) limited.first = Math.max(limited.first, Date.parse(begun.from));
  }
  return limited;
}

type Ends = Pick<OracleFlow, 'source_workload_id' | 'destination_workload_id' | 'workload_id'>;

export const isVisible = (id: string | null, { visible }: FlowReach) =>
  id !== null && (visible === 'all' || visible.includes(id));

/** Whether the reader sees the flow: by a workload at an end or, when neither is known, by the one at whose interface it was seen. */
export function isShown(flow: Ends, reach: FlowReach): boolean {
  if (reach.visible === 'all' || isVisible(flow.source_workload_id, reach)) return true;
  if (isVisible(flow.destination_workload_id, reach)) return true;
  const isStrange = flow.source_workload_id === null && flow.destination_workload_id === null;
  return isStrange && isVisible(flow.workload_id, reach);
}

/** The subnet of an end as the reader may know it: every address where it is one that may not be seen. */
export function maskCidr(cidr: string | null, workload: string | null, reach: FlowReach): string | null {
  if (cidr === null || reach.visible === 'all' || reach.prefixes === 'all') return cidr;
  return isVisible(workload, reach) || reach.prefixes.includes(cidr) ? cidr : '0.0.0.0/0';
}

export const maskWorkload = (id: string | null, reach: FlowReach) => (isVisible(id, reach) ? id : null);

const ENDS = ['source', 'destination'] as const;

/** Whether a flow is what a filter means. What may not be seen cannot be asked for. */
export function isMatch(flow: OracleFlow, filter: FlowFilter, reach: FlowReach): boolean {
  const endMatches = (end: (typeof ENDS)[number], text: string) => {
    const requested = parseEndFilter(text);
    if (requested?.kind === 'network') {
      return cidrContains(parseCidr(requested.cidr) as Cidr, parseIp(flow[`${end}_ip`]) as IpAddress);
    }
    return (flow[`${end}_cidr`] !== null) === (requested?.kind === 'internal');
  };
  const workloadMatches = (id: string | null, requested: string) =>
    requested === 'none' ? !isVisible(id, reach) : id === requested && isVisible(id, reach);
  const { workload_id, source_workload_id, destination_workload_id, port, address } = filter;
  return [
    filter.node_id === undefined || flow.node_id === filter.node_id,
    filter.protocol === undefined || flow.protocol === filter.protocol,
    !filter.decision?.length || filter.decision.some((decision) => decision === flow.decision),
    source_workload_id === undefined || workloadMatches(flow.source_workload_id, source_workload_id),
    destination_workload_id === undefined || workloadMatches(flow.destination_workload_id, destination_workload_id),
    workload_id === undefined || (isVisible(workload_id, reach) && isShown(flow, { ...reach, visible: [workload_id] })),
    port === undefined ||
      port.some(({ first, last }) => {
        const service = getServicePort(flow).service_port;
        return service !== null && service >= first && service <= last;
      }),
    address === undefined || ENDS.some((end) => endMatches(end, address)),
    ...ENDS.map((end) => filter[end] === undefined || endMatches(end, filter[end])),
  ].every(Boolean);
}

/** A flow as the reader gets it. Its id and labels are the engine's and the presentation's. */
export function toShownFlow(flow: OracleFlow, reach: FlowReach, names: ReadonlyMap<string, string>) {
  const end = (which: (typeof ENDS)[number]) => {
    const id = maskWorkload(flow[`${which}_workload_id`], reach);
    return {
      [`${which}_ip`]: flow[`${which}_ip`],
      [`${which}_port`]: flow[`${which}_port`],
      [`${which}_workload_id`]: id,
      [`${which}_workload_name`]: id && (names.get(id) ?? null),
      [`${which}_cidr`]: toVisibleCidr(maskCidr(flow[`${which}_cidr`], flow[`${which}_workload_id`], reach)),
    };
  };
  const observer = maskWorkload(flow.workload_id, reach);
  return {
    ...{ node_id: flow.node_id, protocol: flow.protocol, decision: flow.decision, state: flow.state },
    ...{ initiator: flow.initiator, bytes: flow.bytes, packets: flow.packets, workload_id: observer },
    ...{ first_seen_at: iso(flow.first), observed_at: iso(flow.at), updated_at: flow.updated_at },
    interface: observer && `tap-${observer.slice(0, 8)}`,
    ...end('source'),
    ...end('destination'),
  };
}
