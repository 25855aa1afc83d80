import { type SQL, sql } from 'drizzle-orm';
import type { PortRange } from '@/domain/net/port-range';
import { pgArray } from '../../../db/pg-array';
import type { FlowSelection, VisibleWorkloads } from '../flow-selection';
import { inIdList } from './visible-rows';

/* Parts of the conditions of flows, conversations and rollups. */

/** One workload: of those that may not be seen there is no traffic, as there is none of one that does not exist. */
export const workloadIs = (column: SQL, id: string, visible: VisibleWorkloads): SQL =>
  visible === 'all' || visible.includes(id.toLowerCase()) ? sql`${column} = ${id}::uuid` : sql`false`;

/** A workload at an end; to those who may not see it, a workload is none. */
export function endIs(column: SQL, value: string, visible: VisibleWorkloads): SQL {
  if (value !== 'none') return workloadIs(column, value, visible);
  return visible === 'all' ? sql`${column} is null` : sql`(${column} is null or not ${inIdList(column, visible)})`;
}

/** A port within a range. */
export const portIn = (column: SQL, { first, last }: PortRange): SQL =>
  first === last ? sql`${column} = ${first}` : sql`${column} between ${first} and ${last}`;

/** One of these holds. */
export const joinOr = (conditions: readonly SQL[]): SQL => sql`(${sql.join([...conditions], sql` or `)})`;

/** Filters that flows and their rollups have in common. */
export function commonConditions({ visible, filter }: FlowSelection): SQL[] {
  const { cluster_id, node_id, protocol, decision, source_workload_id, destination_workload_id } = filter;
  const conditions: SQL[] = [];
  if (cluster_id !== undefined) conditions.push(sql`t.cluster_id = ${cluster_id}::uuid`);
  if (node_id !== undefined) conditions.push(sql`t.node_id = ${node_id}::uuid`);
  if (protocol !== undefined) conditions.push(sql`t.protocol = ${protocol}`);
  if (decision?.length) conditions.push(sql`t.decision = any (${pgArray('text', decision)})`);
  if (source_workload_id !== undefined) {
    conditions.push(endIs(sql.raw('t.source_workload_id'), source_workload_id, visible));
  }
  if (destination_workload_id !== undefined) {
    conditions.push(endIs(sql.raw('t.destination_workload_id'), destination_workload_id, visible));
  }
  return conditions;
}
