import { type SQL, sql } from 'drizzle-orm';
import type { Flow } from '@/domain/flow/flow';
import type { Snapshot } from '../db/stream-rows';
import { selectFlows } from './flow-list';
import type { FactsRow } from './insight-facts';
import { type InsightSelection, otherRows, ownRows } from './insight-flows';

const label = (end: 'source' | 'destination') =>
  `f.${end}_ip || coalesce(' internal (' || f.${end}_cidr || ')', ' external')`;

type Kind = 'number' | 'json' | 'plain' | 'text';

/** How a field is written. `plain` text needs no escapes: ids, addresses, times. */
const WRITTEN: Readonly<Record<Exclude<keyof Flow, 'decision'>, Kind>> = {
  id: 'plain',
  cluster_id: 'plain',
  cluster_name: 'text',
  node_id: 'plain',
  node_name: 'text',
  source_ip: 'plain',
  destination_ip: 'plain',
  protocol: 'text',
  source_port: 'number',
  destination_port: 'number',
  state: 'text',
  bytes: 'number',
  packets: 'number',
  first_seen_at: 'plain',
  observed_at: 'plain',
  collector: 'text',
  initiator: 'plain',
  icmp_type: 'number',
  icmp_code: 'number',
  interface: 'text',
  vmid: 'number',
  nic: 'number',
  vlan: 'number',
  workload_id: 'plain',
  source_workload_id: 'plain',
  source_workload_name: 'text',
  destination_workload_id: 'plain',
  destination_workload_name: 'text',
  source_cidr: 'plain',
  destination_cidr: 'plain',
  source_label: 'plain',
  destination_label: 'plain',
  raw: 'json',
  updated_at: 'plain',
};

function written(name: string, kind: Kind): string {
  const value =
    name === 'source_label' ? label('source') : name === 'destination_label' ? label('destination') : `f.${name}`;
  if (kind === 'plain') return `coalesce('"' || ${value} || '"', 'null')`;
  return `coalesce(${kind === 'text' ? `to_json(${value})` : value}::text, 'null')`;
}

/** One `concat` writes a row several times as fast as the functions that make JSON of rows. */
const JSON_TEXT = sql.raw(
  `concat(${Object.entries(WRITTEN)
    .map(([name, kind], at) => `'${at === 0 ? '{' : ','}"${name}":', ${written(name, kind)}`)
    .join(', ')})`,
);

const FACTS = [
  'source_ip',
  'destination_ip',
  'protocol',
  'source_port',
  'destination_port',
  'initiator',
  'icmp_type',
  'icmp_code',
  'workload_id',
  'nic',
  'source_workload_id',
  'destination_workload_id',
  'source_cidr',
  'destination_cidr',
] as const satisfies readonly (keyof FactsRow)[];
const FACTS_TEXT = sql.raw(`concat(${FACTS.map((name) => `f.${name}`).join(`, E'\\t', `)})`);

const numberOf = (text: string | undefined) => (text ? Number(text) : null);
const textOf = (text: string | undefined) => text || null;

/** None of these can hold a tab. */
function factsOf(text: string, decision: string): FactsRow {
  const [source_ip = '', destination_ip = '', protocol = '', sport, dport, initiator, type, code, ...ids] =
    text.split('\t');
  return {
    source_ip,
    destination_ip,
    protocol,
    source_port: numberOf(sport),
    destination_port: numberOf(dport),
    decision,
    initiator: initiator === 'source' || initiator === 'destination' ? initiator : null,
    icmp_type: numberOf(type),
    icmp_code: numberOf(code),
    workload_id: textOf(ids[0]),
    nic: numberOf(ids[1]),
    source_workload_id: textOf(ids[2]),
    destination_workload_id: textOf(ids[3]),
    source_cidr: textOf(ids[4]),
    destination_cidr: textOf(ids[5]),
  };
}

/** A flow as JSON without its decision and the closing brace, and what tells what decides about it if that was asked for. */
export type FlowText = { json: string; decision: string; facts: FactsRow | null };

type Row = { node_id: string; json: string; decision: string; facts?: string };

/**
 * Hands over a workload's flows, each once, in batches as the reader takes them: first those that were seen at the
 * workload itself, without anything to wait for. Two queries.
 * @returns the nodes that saw flows at the workload itself
 */
export async function eachInsightFlow(
  snapshot: Snapshot,
  selection: InsightSelection,
  withFacts: boolean,
  work: (flows: readonly FlowText[]) => Promise<void>,
): Promise<string[]> {
  const facts = withFacts ? sql`, ${FACTS_TEXT} as facts` : sql``;
  const written = (rows: SQL) => sql`select f.node_id, f.decision, ${JSON_TEXT} as json ${facts}
    from (${selectFlows(selection.visible, rows)}) as f`;
  const ownNodes = new Set<string>();
  const texts = (rows: readonly Row[]) =>
    work(rows.map((row) => ({ ...row, facts: row.facts === undefined ? null : factsOf(row.facts, row.decision) })));
  await snapshot.each<Row>(written(ownRows(selection, sql`t.*`)), (rows) => {
    for (const { node_id } of rows) ownNodes.add(node_id);
    return texts(rows);
  });
  await snapshot.each<Row>(written(otherRows(selection, sql`t.*`, [...ownNodes])), texts);
  return [...ownNodes];
}
