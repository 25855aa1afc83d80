import { type SQL, sql } from 'drizzle-orm';
import type { Condition, Operator } from '@/domain/filter-language/condition';
import { CONVERSATION_IDLE_MS } from '@/domain/flow/assign-conversation';
import { type EndFilter, parseEndFilter } from '@/domain/flow/flow-end';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import type { PortRange } from '@/domain/net/port-range';
import { pgArray } from '../../../db/pg-array';
import { clusters, nodes } from '../../../db/schema/clusters';
import type { ConversationSelection, VisibleWorkloads } from '../flow-selection';
import { endIs, joinOr, portIn, workloadIs } from './condition-parts';
import { inIdList } from './visible-rows';

type Who = 'client' | 'server';
const ENDS: readonly Who[] = ['client', 'server'];

const column = (name: string): SQL => sql.raw(`t.${name}`);
const getWorkload = (who: Who): SQL => column(`${who}_workload_id`);

/** Workloads that a conversation is shown to: those at its ends, or when neither is known the one whose interface saw it. */
export const seenBy = (condition: (of: SQL) => SQL): SQL =>
  sql`(${condition(getWorkload('client'))} or ${condition(getWorkload('server'))} or
    (${condition(column('workload_id'))} and t.client_workload_id is null and t.server_workload_id is null))`;

function endAt(who: Who, filter: EndFilter): SQL {
  if (filter.kind === 'network') return sql`${column(`${who}_ip`)} <<= ${filter.cidr}::inet`;
  return filter.kind === 'internal' ? sql`${column(`${who}_cidr`)} is not null` : sql`${column(`${who}_cidr`)} is null`;
}

/** Ports of the service, and from the ephemeral ones on the ports of both ends. */
function portConditions({ first, last }: PortRange): SQL[] {
  const ephemeral = { first: Math.max(first, EPHEMERAL_FROM), last };
  return [
    portIn(column('service_port'), { first, last }),
    ...(ephemeral.first <= ephemeral.last
      ? [portIn(column('client_port'), ephemeral), portIn(column('server_port'), ephemeral)]
      : []),
  ];
}

/** SQL of the five minutes in which a time is, as `seen_slot` has it. */
export const toSlot = (time: SQL): SQL => sql`date_bin('5 minutes', ${time}, '2000-01-01 00:00:00+00')`;

/** SQL of the class of a size, as `size_class` has it. */
export const sizeClass = (bytes: SQL): SQL => sql`floor(ln(greatest(${bytes}, 1)::float8) / ln(4::float8))::smallint`;

/** SQL of whether it has ended. */
export const isEnded = (now: string): SQL =>
  sql`(t.is_final or t.is_closed or t.last_seen_at < ${new Date(Date.parse(now) - CONVERSATION_IDLE_MS).toISOString()}::timestamptz)`;

const all = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0 ? sql`true` : sql`(${sql.join([...conditions], sql` and `)})`;

/** Filters that flows have, too: source and destination are client and server. */
function filterConditions(filter: FlowFilter, visible: VisibleWorkloads): SQL[] {
  const conditions: SQL[] = [];
  const add = <T>(value: T | undefined, condition: (value: T) => SQL) => {
    if (value !== undefined) conditions.push(condition(value));
  };
  const readEnd = (who: Who) => (text: string) => {
    const end = parseEndFilter(text);
    return end ? endAt(who, end) : sql`true`;
  };
  add(filter.conversation_id, (id) => sql`t.id = ${id}::uuid`);
  add(filter.cluster_id, (id) => sql`t.cluster_id = ${id}::uuid`);
  add(filter.node_id, (id) => sql`${id}::uuid = any (t.node_ids)`);
  add(filter.protocol, (protocol) => sql`t.protocol = ${protocol}`);
  add(filter.decision?.length ? filter.decision : undefined, (decisions) => {
    return sql`t.decision = any (${pgArray('text', decisions)})`;
  });
  add(filter.workload_id, (id) => seenBy((of) => workloadIs(of, id, visible)));
  add(filter.source_workload_id, (id) => endIs(getWorkload('client'), id, visible));
  add(filter.destination_workload_id, (id) => endIs(getWorkload('server'), id, visible));
  add(filter.port, (ports) => joinOr(ports.flatMap(portConditions)));
  add(filter.address, (text) => joinOr(ENDS.map((who) => readEnd(who)(text))));
  add(filter.source, readEnd('client'));
  add(filter.destination, readEnd('server'));
  return conditions;
}

const NUMBERS: Readonly<Record<string, SQL>> = {
  bytes: column('bytes'),
  packets: column('packets'),
  duration: sql.raw('floor(extract(epoch from t.last_seen_at - t.first_seen_at))'),
};

const ORDERS: Readonly<Partial<Record<Operator, SQL>>> = {
  '<': sql.raw('<'),
  '<=': sql.raw('<='),
  '>': sql.raw('>'),
  '>=': sql.raw('>='),
};

function parsePorts(text: string): PortRange {
  const [first = 0, last = first] = text.split('-').map(Number);
  return { first, last };
}

/** What one value of a field means. Workloads are those that the reader may see: names of others mean nothing. */
function valueIs(field: string, value: string, { resolved, now }: ConversationSelection): SQL {
  const at = (who: Who): SQL => {
    const end = parseEndFilter(value);
    if (end) return endAt(who, end);
    const { workload_ids = [], cidrs = [] } = resolved.get(value) ?? {};
    return joinOr([
      inIdList(getWorkload(who), workload_ids),
      ...cidrs.map((cidr) => endAt(who, { kind: 'network', cidr })),
    ]);
  };
  switch (field) {
    case 'client':
    case 'server':
      return at(field);
    case 'end':
    case 'address':
      return joinOr(ENDS.map(at));
    case 'service': {
      const [protocol = '', ports] = value.split('/');
      const isProtocol = sql`t.protocol = ${protocol}`;
      return ports === undefined ? isProtocol : all([isProtocol, portIn(column('service_port'), parsePorts(ports))]);
    }
    case 'port':
      return portIn(column('service_port'), parsePorts(value));
    case 'protocol':
      return sql`t.protocol = ${value}`;
    case 'action':
      return sql`t.action = ${value}`;
    case 'state':
      return value === 'ended' ? isEnded(now) : sql`not ${isEnded(now)}`;
    case 'node':
      return sql`t.node_ids && array(select n.id from ${nodes} as n where n.name = ${value} or n.id::text = ${value})`;
    case 'cluster':
      return sql`t.cluster_id in (select c.id from ${clusters} as c where c.name = ${value} or c.id::text = ${value})`;
    default: {
      const number = NUMBERS[field];
      if (!number) throw new Error(`expected a field of conversations, got ${field}`);
      return sql`${number} = ${Number(value)}::numeric`;
    }
  }
}

/** SQL of a condition of the filter language, over conversations under the alias `t`. What is negated also holds for unknown values. */
export function conversationCondition(condition: Condition, selection: ConversationSelection): SQL {
  if (condition.kind === 'not') return sql`(${conversationCondition(condition.of, selection)}) is not true`;
  if (condition.kind !== 'compare') {
    const parts = condition.of.map((part) => conversationCondition(part, selection));
    return condition.kind === 'and' ? all(parts) : joinOr(parts);
  }
  const { field, operator, values } = condition;
  const order = ORDERS[operator];
  if (order) {
    const number = NUMBERS[field];
    if (!number) throw new Error(`expected an amount, got ${field}`);
    const amount = sql`${Number(values[0])}::bigint`;
    const isMore = sql`${number} ${order} ${amount}`;
    // Classes of sizes are indexed, bytes are not.
    if (field === 'bytes' && operator.startsWith('>')) return sql`(${isMore} and t.size_class >= ${sizeClass(amount)})`;
    return isMore;
  }
  const isOne = joinOr(values.map((value) => valueIs(field, value, selection)));
  return operator === '!=' ? sql`${isOne} is not true` : isOne;
}

/** Since when conversations of a selection were seen. */
export const getFrom = ({ cutoff, since }: ConversationSelection): string => (cutoff > since ? cutoff : since);

/** The WHERE of conversations, of the table under the alias `t`, but for when they were last seen. */
export function matchConditions(selection: ConversationSelection): SQL {
  const { visible, until, filter, actions, condition } = selection;
  return all([
    ...(until === null ? [] : [sql`t.first_seen_at < ${until}::timestamptz`]),
    ...(visible === 'all' ? [] : [seenBy((of) => inIdList(of, visible))]),
    ...(actions === undefined || actions.length === 0 ? [] : [sql`t.action = any (${pgArray('text', actions)})`]),
    ...filterConditions(filter, visible),
    ...(condition === undefined ? [] : [conversationCondition(condition, selection)]),
  ]);
}

/** The WHERE of conversations, of the table under the alias `t`. An expired one never matches. */
export function conversationConditions(selection: ConversationSelection): SQL {
  const from = sql`${getFrom(selection)}::timestamptz`;
  return sql`t.seen_slot >= ${toSlot(from)} and t.last_seen_at >= ${from} and ${matchConditions(selection)}`;
}
