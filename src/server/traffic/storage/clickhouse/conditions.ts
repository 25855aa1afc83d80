import type { EndFilter } from '@/domain/flow/flow-end';
import type { TrafficMode } from '@/domain/insights';
import { cidrBounds, parseCidr } from '@/domain/net/cidr';
import { formatIp } from '@/domain/net/ip-address';
import type { PortRange } from '@/domain/net/port-range';
import type { FlowSelection, VisibleWorkloads } from '../flow-selection';
import { ch, inIds, NONE, number, type Part, raw, text, texts, uuid } from './statement';

/* Parts of the conditions of flows, conversations and rollups. */

export const isNone = (column: Part): Part => ch`${column} = ${uuid(NONE)}`;

/** One workload: of those that may not be seen there is no traffic, as there is none of one that does not exist. */
export const workloadIs = (column: Part, id: string, visible: VisibleWorkloads): Part =>
  visible === 'all' || visible.includes(id.toLowerCase()) ? ch`${column} = ${uuid(id)}` : raw('false');

/** A workload at an end; to those who may not see it, a workload is none. */
export function endIs(column: Part, value: string, visible: VisibleWorkloads): Part {
  if (value !== 'none') return workloadIs(column, value, visible);
  return visible === 'all' ? isNone(column) : ch`(${isNone(column)} or not ${inIds(column, visible)})`;
}

/** A port within a range. */
export const portIn = (column: Part, { first, last }: PortRange): Part =>
  first === last
    ? ch`ifNull(${column} = ${number(first)}, false)`
    : ch`ifNull(${column} between ${number(first)} and ${number(last)}, false)`;

/** Whether an address is one of IPv4. All are stored as IPv6; `::ffff:0:a.b.c.d` is no IPv4, although its text begins in the same way. */
export const isIpv4 = (column: Part): Part =>
  ch`${column} between toIPv6('::ffff:0.0.0.0') and toIPv6('::ffff:255.255.255.255')`;

/** Whether an address is in a network. None of IPv4 is in one of IPv6, such as `::/0`. */
export function addressIn(column: Part, cidr: string): Part {
  const network = parseCidr(cidr);
  if (!network) throw new Error('expected a network');
  const { first, last } = cidrBounds(network);
  const isBetween = ch`${column} between toIPv6(${text(formatIp(first))}) and toIPv6(${text(formatIp(last))})`;
  return first.family === 4 ? isBetween : ch`(${isBetween} and not (${isIpv4(column)}))`;
}

/** Whether the end that has these columns is what a filter means. */
export function endMatches(columns: { ip: Part; cidr: Part }, filter: EndFilter): Part {
  if (filter.kind === 'network') return addressIn(columns.ip, filter.cidr);
  return filter.kind === 'internal' ? ch`${columns.cidr} <> ''` : ch`${columns.cidr} = ''`;
}

/** SQL of an address as it is shown. */
export const addressText = (column: Part): Part =>
  ch`if(${isIpv4(column)}, substring(toString(${column}), 8), toString(${column}))`;

/** Filters that flows and their rollups have in common. */
export function commonConditions({ visible, filter }: Pick<FlowSelection, 'visible' | 'filter'>): Part[] {
  const { cluster_id, node_id, protocol, decision, source_workload_id, destination_workload_id } = filter;
  const conditions: Part[] = [];
  if (cluster_id !== undefined) conditions.push(ch`t.cluster_id = ${uuid(cluster_id)}`);
  if (node_id !== undefined) conditions.push(ch`t.node_id = ${uuid(node_id)}`);
  if (protocol !== undefined) conditions.push(ch`t.protocol = ${text(protocol)}`);
  if (decision?.length) conditions.push(ch`has(${texts(decision)}, t.decision)`);
  if (source_workload_id !== undefined) {
    conditions.push(endIs(raw('t.source_workload_id'), source_workload_id, visible));
  }
  if (destination_workload_id !== undefined) {
    conditions.push(endIs(raw('t.destination_workload_id'), destination_workload_id, visible));
  }
  return conditions;
}

/** SQL of a view of a workload's traffic. `external`: whether the other end is outside the known subnets. */
export function modeConditions(mode: TrafficMode, workload: Part, external: Part): Part[] {
  switch (mode) {
    case 'all':
      return [];
    case 'inbound':
      return [ch`t.destination_workload_id = ${workload}`];
    case 'outbound':
      return [ch`t.source_workload_id = ${workload}`];
    case 'internal':
      return [ch`not (${external})`];
    case 'external':
      return [ch`(${external})`];
    case 'denied':
      return [raw(`t.decision in ('drop', 'reject')`)];
  }
}
