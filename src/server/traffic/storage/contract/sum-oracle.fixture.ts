import type { FlowFilter } from '@/domain/flow/flow-filter';
import type { FlowGrouping } from '@/domain/flow/flow-sums';
import { getServicePort } from '@/domain/flow/service-port';
import type { GroupTraffic, GroupTrafficFilter } from '../flow-rows';
import type { FlowReach } from '../flow-selection';
import { HOUR } from './flow-history.fixture';
import {
  isMatch,
  isVisible,
  limitToPeriods,
  maskCidr,
  maskWorkload,
  type OracleAddition,
  type OracleFlow,
} from './flow-oracle.fixture';

const MINUTE = 60_000;

type Sums = { bytes: number; packets: number; flows: number };
/** What adds to totals: with where it counts, and whether it is the report that does. */
export type CountedAddition = Sums & { flow: OracleFlow; at: number; counted: boolean };

export const groupBy = <T>(rows: readonly T[], keyOf: (row: T) => unknown): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
};

export const addUp = (rows: readonly Sums[]): Sums => ({
  bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
  packets: rows.reduce((sum, { packets }) => sum + packets, 0),
  flows: rows.reduce((sum, { flows }) => sum + flows, 0),
});

const isBetweenWorkloads = (flow: OracleFlow) =>
  flow.source_workload_id !== null && flow.destination_workload_id !== null;

/** Marks what counts: between two workloads what the node reported that saw most. */
function markCounted<T extends { flow: OracleFlow }>(
  rows: readonly T[],
  keyOf: (row: T) => unknown,
  compare: (a: readonly T[], b: readonly T[]) => number,
): (T & { counted: boolean })[] {
  return [...groupBy(rows, keyOf).values()].flatMap((same) => {
    if (!isBetweenWorkloads((same[0] as T).flow)) return same.map((row) => ({ ...row, counted: true }));
    const nodes = [...groupBy(same, ({ flow }) => flow.node_id).values()].sort(compare);
    const most = nodes[0]?.[0]?.flow.node_id;
    return same.map((row) => ({ ...row, counted: row.flow.node_id === most }));
  });
}

const byNode = (a: readonly { flow: OracleFlow }[], b: readonly { flow: OracleFlow }[]) =>
  (a[0]?.flow.node_id ?? '') < (b[0]?.flow.node_id ?? '') ? -1 : 1;

/** Totals by the minute, or by the hour, as `countedOnce` defines them: nodes are compared by the hour. */
export function countAdditions(
  additions: readonly OracleAddition[],
  range: { since: number; until: number },
  filter: FlowFilter,
  reach: FlowReach,
  step = MINUTE,
): CountedAddition[] {
  const floor = (time: number, step: number) => Math.floor(time / step) * step;
  const rows = additions
    .map((addition) => {
      const at = floor(addition.at, step);
      // The bucket in which a workload moved belongs to neither owner.
      const flow = limitToPeriods(addition.flow, reach, ({ from, to }) => {
        return (from === null || at >= Date.parse(from)) && (to === null || at + step <= Date.parse(to));
      });
      return { ...addition, flow, at };
    })
    .filter(({ flow }) => {
      const ends = [flow.source_workload_id, flow.destination_workload_id];
      // Totals by the minute do not know at whose interface they were seen.
      const isTheirs = reach.visible === 'all' || ends.some((id) => isVisible(id, reach));
      return isTheirs && isMatch({ ...flow, workload_id: null }, filter, reach);
    });
  const counted = markCounted(
    rows,
    ({ flow, at }) => [
      floor(at, HOUR),
      ...[flow.identity, isBetweenWorkloads(flow), flow.source_prefix, flow.destination_prefix],
      ...[flow.protocol, getServicePort(flow), flow.decision],
    ],
    (a, b) => {
      const [x, y] = [addUp(a), addUp(b)];
      return y.bytes - x.bytes || y.packets - x.packets || y.flows - x.flows || byNode(a, b);
    },
  );
  return counted.filter(({ at }) => at >= range.since && at < range.until);
}

/** Single flows as `flowsCountedOnce` defines them, each as a whole. */
export function countFlows(flows: readonly OracleFlow[]): CountedAddition[] {
  const rows = flows.map((flow) => ({
    flow,
    at: flow.at,
    bytes: flow.bytes ?? 0,
    packets: flow.packets ?? 0,
    flows: 1,
  }));
  return markCounted(
    rows,
    ({ flow }) => [
      isBetweenWorkloads(flow),
      flow.connection,
      flow.source_ip,
      flow.source_port,
      flow.destination_ip,
      flow.destination_port,
      flow.decision,
    ],
    ([a], [b]) => {
      const [x, y] = [a?.flow as OracleFlow, b?.flow as OracleFlow];
      const size = (value: number | null) => value ?? -1;
      return (
        size(y.bytes) - size(x.bytes) ||
        size(y.packets) - size(x.packets) ||
        y.at - x.at ||
        (x.node_id < y.node_id ? -1 : 1)
      );
    },
  );
}

/** What rows are grouped by, as far as the reader may know it. */
export function getGroupKey(flow: OracleFlow, grouping: FlowGrouping, reach: FlowReach): Record<string, unknown> {
  const end = (which: 'source' | 'destination', isAddress: boolean) => {
    const workload = flow[`${which}_workload_id`];
    const shown = maskWorkload(workload, reach);
    const cidr = maskCidr(flow[`${which}_cidr`], workload, reach);
    return {
      [`${which}_workload_id`]: shown,
      [`${which}_cidr`]: isAddress || shown === null ? cidr : null,
      ...(isAddress && { [`${which}_ip`]: flow[`${which}_ip`] }),
    };
  };
  switch (grouping) {
    case 'workloads':
      return { ...end('source', false), ...end('destination', false) };
    case 'source':
    case 'destination':
      return end(grouping, true);
    case 'service':
      return { protocol: flow.protocol, port: getServicePort(flow).service_port };
    case 'decision':
      return { decision: flow.decision };
    case 'node':
      return { node_id: flow.node_id };
  }
}

/** Groups with their totals; a node's group is what that node reported, whether it counts or not. */
export function sumGroups(rows: readonly CountedAddition[], grouping: FlowGrouping, reach: FlowReach) {
  return [...groupBy(rows, ({ flow }) => getGroupKey(flow, grouping, reach)).values()].map((group) => ({
    ...getGroupKey((group[0] as CountedAddition).flow, grouping, reach),
    ...addUp(group.filter(({ counted }) => counted || grouping === 'node')),
    last_seen_at: new Date(Math.max(...group.map(({ at }) => at))).toISOString(),
  }));
}

/** Who opened conversations with whom, by service and decision; an answer is counted to what it answers. */
export function sumEdges(rows: readonly CountedAddition[], reach: FlowReach) {
  const turn = ({ flow }: CountedAddition) => {
    const { service_port, reply } = getServicePort(flow);
    const side = (which: 'source' | 'destination', name: 'source' | 'destination') => {
      const workload = flow[`${which}_workload_id`];
      const isInternal = flow[`${which}_cidr`] !== null;
      const prefix = flow[`${which}_prefix`];
      return {
        [`${name}_workload_id`]: maskWorkload(workload, reach),
        [`${name}_prefix`]: isInternal ? maskCidr(prefix, workload, reach) : prefix,
        [`${name}_internal`]: isInternal,
      };
    };
    const [caller, service] = reply ? (['destination', 'source'] as const) : (['source', 'destination'] as const);
    const { protocol, decision } = flow;
    return { ...side(caller, 'source'), ...side(service, 'destination'), protocol, port: service_port, decision };
  };
  return [
    ...groupBy(
      rows.filter(({ counted }) => counted),
      turn,
    ).values(),
  ].map((group) => ({
    ...turn(group[0] as CountedAddition),
    ...addUp(group),
    last_seen_at: new Date(Math.max(...group.map(({ at }) => at))).toISOString(),
  }));
}

/** What passed between groups of workloads, from conversations of the map. */
export function sumBetween(
  edges: ReturnType<typeof sumEdges>,
  { groups, protocols, port, at }: GroupTrafficFilter,
): GroupTraffic[] {
  const sums = new Map<string, GroupTraffic>();
  const findGroups = (id: unknown) => (typeof id === 'string' ? (groups.get(id) ?? [null]) : [null]);
  for (const edge of edges) {
    const { source_workload_id: source, destination_workload_id: destination } = edge as Record<string, unknown>;
    if (edge.decision === 'drop' || edge.decision === 'reject') continue;
    if (protocols !== null && !protocols.includes(edge.protocol)) continue;
    if (port !== undefined && edge.port !== port) continue;
    if (at !== undefined && ![source, destination].some((id) => at.includes(String(id)))) continue;
    for (const from of findGroups(source)) {
      for (const to of findGroups(destination)) {
        const key = `${from} ${to}`;
        const sum = sums.get(key) ?? { from, to, flows: 0, last_seen_at: '' };
        sum.flows += edge.flows;
        if (edge.last_seen_at > sum.last_seen_at) sum.last_seen_at = edge.last_seen_at;
        sums.set(key, sum);
      }
    }
  }
  return [...sums.values()];
}
