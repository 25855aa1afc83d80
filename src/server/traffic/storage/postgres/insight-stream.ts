import { type SQL, sql } from 'drizzle-orm';
import { formatFlowEnd, toVisibleCidr } from '@/domain/flow/flow-end';
import { readSnapshot, type Snapshot } from '../../../db/stream-rows';
import { toAsyncGenerator } from '../../../lib/to-async-generator';
import type { FactsRow, FlowText } from '../flow-rows';
import type { FlowReach, InsightSelection } from '../flow-selection';
import type { FlowInsights } from '../flow-store';
import { otherRows, ownRows } from './insight-rows';
import { sumInsights } from './insight-summary';
import { cidrIfVisible, getWorkloadNameColumn, ifVisible } from './visible-rows';

/** A row as the database sends it: no names, no conversions, in the order of `selectValues`. */
type Values = readonly [
  node_id: string,
  flow_key: string,
  cluster_id: string,
  source_ip: string,
  destination_ip: string,
  protocol: string,
  source_port: number | null,
  destination_port: number | null,
  decision: string,
  state: string | null,
  bytes: string | null,
  packets: string | null,
  first_seen_at: string,
  observed_at: string,
  updated_at: string,
  collector: string,
  initiator: 'source' | 'destination' | null,
  icmp_type: number | null,
  icmp_code: number | null,
  source_cidr: string | null,
  destination_cidr: string | null,
  iface: string | null,
  vmid: number | null,
  nic: number | null,
  vlan: number | null,
  raw: string | null,
  workload_id: string | null,
  source_workload_id: string | null,
  source_workload_name: string | null,
  destination_workload_id: string | null,
  destination_workload_name: string | null,
  node_name: string | null,
  cluster_name: string | null,
];

/** What `selectFlows` gives, in the forms that cost least to write and to read. */
function selectValues(reach: FlowReach, rows: SQL): SQL {
  const { visible } = reach;
  const cidr = (end: 'source' | 'destination') =>
    cidrIfVisible(sql.raw(`t.${end}_cidr`), sql.raw(`t.${end}_workload_id`), reach);
  const observer = ifVisible(sql.raw('t.workload_id'), visible);
  const observed = (column: string) =>
    visible === 'all' ? sql.raw(column) : sql`case when ${observer} is not null then ${sql.raw(column)} end`;
  return sql`
    select t.node_id, t.flow_key, t.cluster_id, t.source_ip, t.destination_ip, t.protocol, t.source_port,
      t.destination_port, t.decision, t.state, t.bytes, t.packets, t.first_seen_at, t.observed_at,
      t.updated_at, t.collector, t.initiator, t.icmp_type, t.icmp_code, ${cidr('source')}, ${cidr('destination')},
      ${observed('t.interface')}, ${observed('t.vmid')}, ${observed('t.nic')}, ${observed('t.vlan')},
      ${observed('t.raw::text')}, ow.id, sw.id, ${getWorkloadNameColumn('sw', reach.periods)}, dw.id, ${getWorkloadNameColumn('dw', reach.periods)}, nodes.name, clusters.name
    from (${rows}) as t
    left join nodes on nodes.id = t.node_id
    left join clusters on clusters.id = t.cluster_id
    left join workloads as ow on ow.id = ${observer}
    left join workloads as sw on sw.id = ${ifVisible(sql.raw('t.source_workload_id'), visible)}
    left join workloads as dw on dw.id = ${ifVisible(sql.raw('t.destination_workload_id'), visible)}`;
}

/** `2026-01-31 12:00:00.5+00` as RFC 3339 with milliseconds. The session's zone is UTC. */
const formatTime = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0').slice(0, 3)}Z`;

/** Ids, addresses and the like, which need no escapes. */
const plain = (value: string | null): string => (value === null ? 'null' : `"${value}"`);

const MAX_QUOTED = 10_000;

/** Text in quotes. What comes again and again (protocols, states, names) is escaped once. */
function quoter(): (text: string | null) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (text === null) return 'null';
    let quoted = known.get(text);
    if (quoted === undefined) {
      quoted = JSON.stringify(text);
      if (known.size >= MAX_QUOTED) known.clear();
      known.set(text, quoted);
    }
    return quoted;
  };
}

/**
 * A flow as JSON without its decision and the closing brace. A third faster than JSON of an object; joined, because texts
 * that are added up are only copied together when they are sent, at twice the cost.
 */
function toFlowJson(row: Values, quoted: (text: string | null) => string): string {
  const [
    node_id,
    flow_key,
    cluster_id,
    source_ip,
    destination_ip,
    protocol,
    source_port,
    destination_port,
    ,
    state,
    bytes,
    packets,
    first_seen_at,
    observed_at,
    updated_at,
    collector,
    initiator,
    icmp_type,
    icmp_code,
    source_cidr,
    destination_cidr,
    iface,
    vmid,
    nic,
    vlan,
    raw,
    workload_id,
    source_workload_id,
    source_workload_name,
    destination_workload_id,
    destination_workload_name,
    node_name,
    cluster_name,
  ] = row;
  return [
    `{"id":"${node_id}.${flow_key}"`,
    `,"cluster_id":${plain(cluster_id)}`,
    `,"cluster_name":${quoted(cluster_name)}`,
    `,"node_id":${plain(node_id)}`,
    `,"node_name":${quoted(node_name)}`,
    `,"source_ip":${plain(source_ip)}`,
    `,"destination_ip":${plain(destination_ip)}`,
    `,"protocol":${quoted(protocol)}`,
    `,"source_port":${source_port}`,
    `,"destination_port":${destination_port}`,
    `,"state":${quoted(state)}`,
    `,"bytes":${bytes}`,
    `,"packets":${packets}`,
    `,"first_seen_at":"${formatTime(first_seen_at)}"`,
    `,"observed_at":"${formatTime(observed_at)}"`,
    `,"collector":${quoted(collector)}`,
    `,"initiator":${plain(initiator)}`,
    `,"icmp_type":${icmp_type}`,
    `,"icmp_code":${icmp_code}`,
    `,"interface":${quoted(iface)}`,
    `,"vmid":${vmid}`,
    `,"nic":${nic}`,
    `,"vlan":${vlan}`,
    `,"workload_id":${plain(workload_id)}`,
    `,"source_workload_id":${plain(source_workload_id)}`,
    `,"source_workload_name":${quoted(source_workload_name)}`,
    `,"destination_workload_id":${plain(destination_workload_id)}`,
    `,"destination_workload_name":${quoted(destination_workload_name)}`,
    `,"source_cidr":${plain(toVisibleCidr(source_cidr))}`,
    `,"destination_cidr":${plain(toVisibleCidr(destination_cidr))}`,
    `,"source_label":"${formatFlowEnd(source_ip, source_cidr)}"`,
    `,"destination_label":"${formatFlowEnd(destination_ip, destination_cidr)}"`,
    `,"raw":${raw}`,
    `,"updated_at":"${formatTime(updated_at)}"`,
  ].join('');
}

function toFacts(row: Values): FactsRow {
  const [, , , source_ip, destination_ip, protocol, source_port, destination_port, decision] = row;
  return {
    source_ip,
    destination_ip,
    protocol,
    source_port,
    destination_port,
    decision,
    initiator: row[16],
    icmp_type: row[17],
    icmp_code: row[18],
    workload_id: row[26],
    nic: row[23],
    source_workload_id: row[27],
    destination_workload_id: row[29],
    source_cidr: row[19],
    destination_cidr: row[20],
  };
}

/**
 * Hands over a workload's flows, each once, in batches as the reader takes them: first those that were seen at the
 * workload itself, without anything to wait for. Two queries.
 */
async function forEachInsightFlow(
  snapshot: Snapshot,
  selection: InsightSelection,
  withFacts: boolean,
  work: (flows: readonly FlowText[]) => Promise<void>,
): Promise<void> {
  const ownNodes = new Set<string>();
  const quoted = quoter();
  const texts = (rows: readonly Values[]) =>
    work(
      rows.map((row) => ({
        json: toFlowJson(row, quoted),
        decision: row[8],
        state: row[9],
        facts: withFacts ? toFacts(row) : null,
      })),
    );
  await snapshot.eachValues<Values>(selectValues(selection, ownRows(selection, sql`t.*`)), (rows) => {
    for (const [node_id] of rows) ownNodes.add(node_id);
    return texts(rows);
  });
  const others = otherRows(selection, sql`t.*`, [...ownNodes]);
  await snapshot.eachValues<Values>(selectValues(selection, others), texts);
}

export const streamInsights: FlowInsights['stream'] = (selection, withFacts) =>
  toAsyncGenerator((give) =>
    readSnapshot(async (snapshot) => {
      const summary = snapshot.alongside((executor) => sumInsights(executor, selection));
      // When reading the flows fails, that error is the one reported.
      summary.catch(() => {});
      await forEachInsightFlow(snapshot, selection, withFacts, (flows) => give({ flows }));
      await give({ summary: await summary });
    }),
  );
