import type { Flow } from '@/domain/flow/flow';
import type { FactsRow } from '../flow-rows';
import type { InsightSelection } from '../flow-selection';
import type { FlowInsights } from '../flow-store';
import { addressText, isNone, modeConditions } from './conditions';
import type { Connection } from './connection';
import { flowConditions } from './flow-conditions';
import { countRows, FLOW_ID, FLOW_SORTS, readFlows } from './flow-list';
import { readPage } from './keyset';
import { type ResolvedPlaces, resolvePlaces } from './names';
import { all, ch, NONE, type Part, raw, uuid } from './statement';
import { flowRows, toRange } from './visible-rows';

const SOURCE = raw('t.source_workload_id');
const DESTINATION = raw('t.destination_workload_id');

/** Whether the other end, or one of two unknown ends, is outside the known subnets. */
const isExternal = (workload: Part): Part => ch`multiIf(${SOURCE} = ${workload}, t.destination_cidr = '',
    ${DESTINATION} = ${workload}, t.source_cidr = '', t.source_cidr = '' or t.destination_cidr = '')`;

const KEY = 't.conversation_id, t.forward, t.decision';

/**
 * The workload's flows, each once, for FROM. The same packets are seen by the nodes of both ends: what was seen at the workload's own
 * interface stands. After a migration a conversation has a row of each node, with what each of them saw. Of what was seen elsewhere only,
 * what the other end's node or the newest report says.
 */
export function insightRows(selection: InsightSelection, places: ResolvedPlaces): Part {
  const workload = uuid(selection.filter.workload_id);
  const rows = flowRows(toRange(selection), selection.periods);
  const where = all([
    flowConditions(selection, places),
    ...modeConditions(selection.mode, workload, isExternal(workload)),
  ]);
  const isOwn = ch`t.workload_id = ${workload}`;
  // The row that stands says which flows are asked for: which one does is decided among all of the workload.
  const all_of = flowConditions({ ...selection, filter: { workload_id: selection.filter.workload_id } }, places);
  return ch`(select t.* from (
      select t.*, ${isOwn} as is_own, max(${isOwn}) over (partition by ${raw(KEY)}) as is_seen_own from ${rows} as t where ${all_of}) as t
    where ${where} and (t.is_own or not t.is_seen_own)
    order by ${raw(KEY)}, ${isNone(raw('t.workload_id'))}, t.observed_at desc, toString(t.node_id)
    limit 1 by ${raw(KEY)}, if(t.is_own, toString(t.node_id), ''))`;
}

/** A workload's flows page by page, each once. */
export const listInsightFlows =
  (connection: Connection): FlowInsights['list'] =>
  async (selection, input) => {
    const rows = insightRows(selection, await resolvePlaces(selection));
    return readPage<Flow>(input, { sorts: FLOW_SORTS, sort: '-observed_at', id: FLOW_ID }, ({ after, ...paging }) => ({
      rows: readFlows(connection, selection, ch`${rows} as t${after ? ch` where ${after}` : ch``}`, paging),
      total: countRows(connection, rows),
    }));
  };

type StoredFacts = Omit<
  FactsRow,
  'workload_id' | 'source_workload_id' | 'destination_workload_id' | 'source_cidr' | 'destination_cidr'
> & {
  workload_id: string;
  source_workload_id: string;
  destination_workload_id: string;
  source_cidr: string;
  destination_cidr: string;
};

const orNull = (id: string): string | null => (id === NONE ? null : id);

/** What rules are matched against, of flows under the alias `t`. */
const FACTS: Part = ch`${addressText(raw('t.source_ip'))} as source_ip, ${addressText(raw('t.destination_ip'))} as destination_ip,
  ${raw(
    [
      ...[
        'protocol',
        'source_port',
        'destination_port',
        'decision',
        'initiator',
        'icmp_type',
        'icmp_code',
        'workload_id',
      ],
      ...['nic', 'source_workload_id', 'destination_workload_id', 'source_cidr', 'destination_cidr'],
    ]
      .map((name) => `t.${name} as ${name}`)
      .join(', '),
  )}`;

const toFacts = (row: StoredFacts): FactsRow => ({
  ...row,
  workload_id: orNull(row.workload_id),
  source_workload_id: orNull(row.source_workload_id),
  destination_workload_id: orNull(row.destination_workload_id),
  source_cidr: row.source_cidr || null,
  destination_cidr: row.destination_cidr || null,
});

export const streamFacts = (connection: Connection): FlowInsights['facts'] =>
  async function* (selection) {
    const rows = insightRows(selection, await resolvePlaces(selection));
    for await (const found of connection.stream<StoredFacts>(ch`select ${FACTS} from ${rows} as t`)) {
      yield found.map(toFacts);
    }
  };
