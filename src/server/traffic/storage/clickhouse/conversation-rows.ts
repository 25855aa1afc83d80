import { CLOSED_STATES } from '@/domain/flow/assign-conversation';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import { getBegunHour } from '../assign-reports';
import type { OwnedPeriod } from '../flow-selection';
import { IS_ANSWERED, REPLY } from './flow-direction';
import { CONVERSATION_COLUMNS } from './migrations';
import { ch, join, NONE, type Part, raw, second, time, uuid } from './statement';
import {
  boundedColumns,
  capped,
  EXPIRED_UNTIL,
  flowRows,
  isNamed,
  listNaming,
  type SeenRange,
  type Sorted,
  withinRange,
} from './visible-rows';

const DENIED = `t.decision in ('drop', 'reject')`;
/** Of both directions and all decisions: whether a reply was seen that no firewall sent itself. */
const PASSING = `(not ${DENIED} and ifNull(t.packets <> 0, true) and ifNull(t.state <> 'CLOSE', true))`;
const CLOSED = `ifNull(t.state in (${CLOSED_STATES.map((state) => `'${state}'`).join(', ')}), false)`;

/** The column of the low or the high end. */
const end = (side: 'low' | 'high', column: string) =>
  side === 'low'
    ? `if(t.forward, t.source_${column}, t.destination_${column})`
    : `if(t.forward, t.destination_${column}, t.source_${column})`;
const ends = ['ip', 'port', 'workload_id', 'cidr']
  .flatMap((column) => (['low', 'high'] as const).map((side) => `max(${end(side, column)}) as ${side}_${column}`))
  .join(', ');

/** What a node saw as one number, the greatest of which is of the node that saw most: bytes, then packets, each plus one. */
const SEEN = `bitOr(bitShiftLeft(toUInt128(ifNull(t.bytes, -1) + 1), 64), toUInt128(ifNull(t.packets, -1) + 1))`;

const NEVER = `toDateTime64(0, 3, 'UTC')`;
const DIRECTIONS = [
  ['forward', 't.forward'],
  ['back', 'not t.forward'],
] as const;
/** What each direction carried: the sum over all nodes, and by decision what the node saw that saw most. */
const sums = DIRECTIONS.flatMap(([direction, isIt]) => [
  ...['bytes', 'packets'].map((name) => `sumIf(t.${name}, ${isIt}) as ${direction}_${name}_all`),
  `mapValues(maxMapIf(map(t.decision, t.seen), ${isIt})) as ${direction}_seen`,
  ...['type', 'code'].map((name) => `maxIf(t.icmp_${name}, ${isIt}) as ${direction}_icmp_${name}`),
  `minIf(t.first_seen_at, ${isIt}) as ${direction}_from`,
  `maxIf(t.observed_at, t.is_passing and ${isIt}) as ${direction}_passed_at`,
  `countIf(${isIt}) as ${direction}_count`,
]).join(', ');

/**
 * What the nodes reported of both directions. Times that there are none of are 1970: `-If` gives zero, where PostgreSQL gives null.
 */
const together = (rows: Part): Part => ch`
  select t.conversation_id as id, max(t.began_at) as began_at, max(t.cluster_id) as cluster_id, max(t.protocol) as protocol, ${raw(ends)},
    minIf(concat(toString(t.workload_id), '/', ifNull(toString(t.nic), '')), t.workload_id <> toUUID('${raw(NONE)}')) as observer, ${raw(sums)},
    max(isNotNull(t.initiator)) as is_client_known, maxIf(t.claim, isNotNull(t.initiator)) as client_claim, max(t.claim) as any_claims,
    min(t.claim) as all_claims, maxIf(t.observed_at, t.is_denied) as denied_at, maxIf(t.observed_at, t.decision = 'reject') as rejected_at,
    maxIf(t.observed_at, t.decision = 'accept') as accepted_at,
    maxIf(t.observed_at, t.decision = 'observed' and ${raw(IS_ANSWERED)}) as answered_at,
    maxIf(t.observed_at, ${raw(CLOSED)}) as closed_at, maxIf(t.observed_at, not t.is_denied) as open_at,
    arraySort(groupUniqArray(toString(t.node_id))) as node_ids, min(t.first_seen_at) as first_seen_at,
    max(t.observed_at) as last_seen_at, min(t.created_at) as created_at, max(t.changed_at) as changed_at, max(t.is_final) as is_final
  from (select t.*, t.forward <> ${raw(REPLY)} as claim, ${raw(DENIED)} as is_denied, ${raw(PASSING)} as is_passing, ${raw(SEEN)} as seen
    from ${rows} as t) as t group by t.conversation_id`;

/* What is used more than once is a column of a query inside: written out, it is analyzed each time, which takes longer than to read. */

const IS_KNOWN = `g.low_workload_id <> toUUID('${NONE}') and g.high_workload_id <> toUUID('${NONE}')`;
/** What each direction carried: between two known workloads every node sees all of it. */
const COUNTED = DIRECTIONS.flatMap(([direction]) =>
  [
    ['bytes', 'toInt64(bitShiftRight(seen, 64))'],
    ['packets', 'toInt64(bitAnd(seen, 18446744073709551615))'],
  ].map(
    ([name, seen]) => `if(g.is_known, arrayReduce('sum', arrayMap(seen -> nullIf(${seen}, 0) - 1, g.${direction}_seen)),
      g.${direction}_${name}_all) as ${direction}_${name}`,
  ),
).join(', ');
const sent = (who: 'client' | 'server', name: string) => {
  const [low, high] = who === 'client' ? ['forward', 'back'] : ['back', 'forward'];
  return `if(g.is_low_client, ${capped(`g.${low}_${name}`)}, ${capped(`g.${high}_${name}`)})`;
};
/** What both ends sent. */
const BOTH = ['bytes', 'packets'].map((name) => {
  const [client, server] = [`c.client_${name}`, `c.server_${name}`];
  return `${capped(`coalesce(${client} + ${server}, ${client}, ${server})`)} as ${name}`;
});
/** The client's or the server's column. */
const of = (who: 'client' | 'server', column: string) => {
  const [low, high] = who === 'client' ? ['low', 'high'] : ['high', 'low'];
  return `if(g.is_low_client, g.${low}_${column}, g.${high}_${column})`;
};
const sentBy = (column: string) => `if(g.is_low_client, g.forward_${column}, g.back_${column})`;

const ALLOWED_AT = 'greatest(g.accepted_at, g.answered_at, least(g.forward_passed_at, g.back_passed_at))';
const IS_DENIED = `(g.denied_at > ${NEVER} and g.denied_at >= allowed_at)`;
const IS_REJECTED = 'g.rejected_at = g.denied_at';

const VALUES: Readonly<Record<string, string>> = {
  began_at: 'g.began_at',
  id: 'g.id',
  cluster_id: 'g.cluster_id',
  protocol: 'g.protocol',
  client_ip: of('client', 'ip'),
  server_ip: of('server', 'ip'),
  client_port: of('client', 'port'),
  server_port: of('server', 'port'),
  service_port: `if(g.is_client_known or ifNull(${of('server', 'port')} < ${EPHEMERAL_FROM}, false), ${of('server', 'port')}, null)`,
  is_client_known: 'toBool(g.is_client_known)',
  client_workload_id: of('client', 'workload_id'),
  server_workload_id: of('server', 'workload_id'),
  client_cidr: of('client', 'cidr'),
  server_cidr: of('server', 'cidr'),
  workload_id: `toUUIDOrZero(substring(g.observer, 1, 36))`,
  nic: `toUInt16OrNull(substring(g.observer, 38))`,
  icmp_type: sentBy('icmp_type'),
  icmp_code: sentBy('icmp_code'),
  client_bytes: sent('client', 'bytes'),
  client_packets: sent('client', 'packets'),
  server_bytes: sent('server', 'bytes'),
  server_packets: sent('server', 'packets'),
  action: `multiIf(g.is_denied, if(${IS_REJECTED}, 'rejected', 'dropped'), g.allowed_at > ${NEVER}, 'allowed', 'unknown')`,
  decision: `multiIf(g.is_denied, if(${IS_REJECTED}, 'reject', 'drop'), g.accepted_at > ${NEVER}, 'accept', 'observed')`,
  is_closed: `toBool(g.closed_at > ${NEVER} and g.open_at > ${NEVER} and g.closed_at >= g.open_at)`,
  is_final: 'g.is_final',
  node_ids: 'g.node_ids',
  first_seen_at: 'g.first_seen_at',
  last_seen_at: 'g.last_seen_at',
  created_at: 'g.created_at',
  changed_at: 'g.changed_at',
};
const NAMES = Object.keys(CONVERSATION_COLUMNS);
const STORED = ['began_at', ...NAMES];

const CLIENT_IS_LOW = `multiIf(g.is_client_known, g.client_claim, g.all_claims = g.any_claims, g.any_claims,
  g.forward_count = 0 or g.back_count = 0, true, g.forward_from <= g.back_from)`;

const ENDS = ['workload_id', 'client_workload_id', 'server_workload_id'];

/** Columns of conversations of which rows are given, as an alias. */
const from = (alias: string, names = NAMES): Part => raw(names.map((name) => `${alias}.${name} as ${name}`).join(', '));
const values = raw(
  Object.entries(VALUES)
    .map(([name, value]) => `${value} as ${name}`)
    .join(', '),
);

/**
 * What the flows of some conversations (a SELECT of their hours and ids) add up to, which is the definition of a conversation, for FROM. Each
 * direction and decision counts once, as in `flowsCountedOnce`. What was observed last decides the action; a denial at the same time as a
 * reply wins.
 */
const addedUp = (conversations: Part): Part => ch`(select ${values} from (select g.*, ${raw(COUNTED)} from (
    select g.*, ${raw(CLIENT_IS_LOW)} as is_low_client, ${raw(IS_KNOWN)} as is_known, ${raw(ALLOWED_AT)} as allowed_at, ${raw(IS_DENIED)} as is_denied
    from (${together(flowRows({ conversations }, []))}) as g) as g) as g)`;

/** Up to which change all is settled. */
const SETTLED_UNTIL = raw('(select max(until) from settled_until)');

/** Of which unsettled conversations: those of some hours or ids, as `s.began_at` and `s.conversation_id`; and those that changed until a moment. */
type Unsettled = { which?: Part; until?: string };

/** Conversations that changed, or ended, since they were settled. */
const listUnsettled = ({
  which = raw('true'),
  until,
}: Unsettled = {}): Part => ch`select s.began_at, s.conversation_id from flows as s
    where s.changed_at > ${SETTLED_UNTIL} ${until === undefined ? raw('') : ch`and s.changed_at <= ${time(until)}`} and ${which}
    union distinct select s.began_at, s.conversation_id from ended_conversations as s where s.ended_at > now('UTC') - interval 1 hour and ${which}`;

/** How much has changed until a moment that is not settled, by the minute, the oldest first. */
export const countUnsettled = (until: string): Part => ch`
  select toUnixTimestamp(toStartOfMinute(s.changed_at)) as minute_s, toUInt32(count()) as changes from flows as s
  where s.changed_at > ${SETTLED_UNTIL} and s.changed_at <= ${time(until)} group by minute_s order by minute_s`;

const insertSettled = (rows: Part): Part => ch`insert into settled_conversations (${raw(STORED.join(', '))}) ${rows}`;

/** What is not settled into the table of settled conversations, as its flows are by now. Repeated, rows replace each other. */
export const settle = (unsettled: Unsettled): Part =>
  insertSettled(ch`select ${from('c', STORED)} from ${addedUp(listUnsettled(unsettled))} as c`);

/**
 * Settled conversations (a condition on them, as `s`) as what is left of their flows. They keep the time of their last change: with an older
 * one, their rows would not replace the former ones.
 */
export function settleAgain(condition: Part): Part {
  const stored = ch`from settled_conversations as s where ${condition}`;
  const columns = STORED.filter((name) => name !== 'changed_at');
  return insertSettled(ch`
    select ${from('c', columns)}, greatest(c.changed_at, k.changed_at) as changed_at
    from ${addedUp(ch`select s.began_at, s.id ${stored}`)} as c
    inner join (select s.id as id, max(s.changed_at) as changed_at ${stored} group by s.id) as k on k.id = c.id`);
}

const SETTLED: Sorted = { table: 'settled_conversations', id: 'id', seen: 'last_seen_at' };

/** Those that were last seen in a time, that changed in it, or some by their ids. */
export type ConversationRange =
  | SeenRange
  | { changed_since: string; changed_until: string }
  | { ids: readonly string[] };

/** Some conversations by their ids, as rows of hours and ids. */
const byIds = (ids: readonly string[]): Part =>
  join(
    ids.map((id) => ch`(${second(getBegunHour(id))}, ${uuid(id)})`),
    ', ',
  );

/** Which are read of the settled ones (as `f`), by the columns that they are sorted by. */
function chooseSettled(range: ConversationRange): Part {
  if ('ids' in range) return ch`(f.began_at, f.id) in (${byIds(range.ids)})`;
  if (!('changed_since' in range)) {
    const within = withinRange(range, SETTLED);
    if (range.about === undefined) return within;
    const named = isNamed(range.about, ['s.client_workload_id', 's.server_workload_id', 's.workload_id']);
    return ch`${within} and (f.began_at, f.id) in (${listNaming(named, range, SETTLED)})`;
  }
  const changed = ch`changed_at >= ${time(range.changed_since)} and s.changed_at <= ${time(range.changed_until)}`;
  return ch`(f.began_at, f.id) in (select s.began_at, s.id from settled_conversations as s where s.${changed})`;
}

/**
 * Conversations, for FROM: as they were settled, and what changed since then as it is. A workload that moves ends its conversations, so each
 * owner sees its own.
 */
export function conversationRows(range: ConversationRange, periods: readonly OwnedPeriod[]): Part {
  const stored = ch`select ${from('f')} from settled_conversations as f final
    prewhere ${chooseSettled(range)} where f.last_seen_at >= ${EXPIRED_UNTIL} and (f.began_at, f.id) not in (${listUnsettled()})`;
  const isOne = 'ids' in range ? ch`(s.began_at, s.conversation_id) in (${byIds(range.ids)})` : undefined;
  const rows = ch`(select c.*, ${raw(BOTH.join(', '))} from (${stored} union all select ${from('c')} from ${addedUp(listUnsettled(isOne && { which: isOne }))} as c) as c)`;
  if (periods.length === 0) return rows;
  const columns = boundedColumns(
    [...NAMES, 'bytes', 'packets'],
    { alias: 'c', ends: ENDS, seen: 'last_seen_at' },
    periods,
  );
  return ch`(select ${columns} from ${rows} as c)`;
}
