import type { Condition, Operator } from '@/domain/filter-language/condition';
import { CONVERSATION_IDLE_MS } from '@/domain/flow/assign-conversation';
import { parseEndFilter } from '@/domain/flow/flow-end';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import type { PortRange } from '@/domain/net/port-range';
import type { ConversationSelection, VisibleWorkloads } from '../flow-selection';
import { endIs, endMatches, isNone, portIn, workloadIs } from './conditions';
import type { ResolvedPlaces } from './names';
import { all, any, ch, inIds, number, type Part, raw, text, texts, time, uuid } from './statement';

type Who = 'client' | 'server';
const ENDS: readonly Who[] = ['client', 'server'];

const column = (name: string): Part => raw(`t.${name}`);
const getWorkload = (who: Who): Part => column(`${who}_workload_id`);
const endAt = (who: Who, filter: NonNullable<ReturnType<typeof parseEndFilter>>): Part =>
  endMatches({ ip: column(`${who}_ip`), cidr: column(`${who}_cidr`) }, filter);

/** Workloads that a conversation is shown to: those at its ends, or when neither is known the one whose interface saw it. */
export const seenBy = (condition: (of: Part) => Part): Part =>
  ch`(${condition(getWorkload('client'))} or ${condition(getWorkload('server'))} or
    (${condition(column('workload_id'))} and ${isNone(getWorkload('client'))} and ${isNone(getWorkload('server'))}))`;

/** Ports of the service, and from the ephemeral ones on the ports of both ends. */
function portConditions({ first, last }: PortRange): Part[] {
  const ephemeral = { first: Math.max(first, EPHEMERAL_FROM), last };
  return [
    portIn(column('service_port'), { first, last }),
    ...(ephemeral.first <= ephemeral.last
      ? [portIn(column('client_port'), ephemeral), portIn(column('server_port'), ephemeral)]
      : []),
  ];
}

/** SQL of whether it has ended. */
export const isEnded = (now: string): Part =>
  ch`(t.is_final or t.is_closed or t.last_seen_at < ${time(new Date(Date.parse(now) - CONVERSATION_IDLE_MS).toISOString())})`;

/** Filters that flows have, too: source and destination are client and server. */
function filterConditions(filter: FlowFilter, visible: VisibleWorkloads): Part[] {
  const conditions: Part[] = [];
  const add = <T>(value: T | undefined, condition: (value: T) => Part) => {
    if (value !== undefined) conditions.push(condition(value));
  };
  const readEnd = (who: Who) => (of: string) => {
    const end = parseEndFilter(of);
    return end ? endAt(who, end) : raw('true');
  };
  add(filter.conversation_id, (id) => ch`t.id = ${uuid(id)}`);
  add(filter.cluster_id, (id) => ch`t.cluster_id = ${uuid(id)}`);
  add(filter.node_id, (id) => ch`has(t.node_ids, ${text(id.toLowerCase())})`);
  add(filter.protocol, (protocol) => ch`t.protocol = ${text(protocol)}`);
  add(filter.decision?.length ? filter.decision : undefined, (decisions) => ch`has(${texts(decisions)}, t.decision)`);
  add(filter.workload_id, (id) => seenBy((of) => workloadIs(of, id, visible)));
  add(filter.source_workload_id, (id) => endIs(getWorkload('client'), id, visible));
  add(filter.destination_workload_id, (id) => endIs(getWorkload('server'), id, visible));
  add(filter.port, (ports) => any(ports.flatMap(portConditions)));
  add(filter.address, (of) => any(ENDS.map((who) => readEnd(who)(of))));
  add(filter.source, readEnd('client'));
  add(filter.destination, readEnd('server'));
  return conditions;
}

export const DURATION_MS = 'toUnixTimestamp64Milli(t.last_seen_at) - toUnixTimestamp64Milli(t.first_seen_at)';

const NUMBERS: Readonly<Record<string, Part>> = {
  bytes: column('bytes'),
  packets: column('packets'),
  duration: raw(`intDiv(${DURATION_MS}, 1000)`),
};

const ORDERS: Readonly<Partial<Record<Operator, string>>> = { '<': '<', '<=': '<=', '>': '>', '>=': '>=' };

function parsePorts(of: string): PortRange {
  const [first = 0, last = first] = of.split('-').map(Number);
  return { first, last };
}

/** What one value of a field means. Workloads are those that the reader may see: names of others mean nothing. */
function valueIs(field: string, value: string, selection: ConversationSelection, places: ResolvedPlaces): Part {
  const at = (who: Who): Part => {
    const end = parseEndFilter(value);
    if (end) return endAt(who, end);
    const { workload_ids = [], cidrs = [] } = selection.resolved.get(value) ?? {};
    return any([inIds(getWorkload(who), workload_ids), ...cidrs.map((cidr) => endAt(who, { kind: 'network', cidr }))]);
  };
  switch (field) {
    case 'client':
    case 'server':
      return at(field);
    case 'end':
    case 'address':
      return any(ENDS.map(at));
    case 'service': {
      const [protocol = '', ports] = value.split('/');
      const isProtocol = ch`t.protocol = ${text(protocol)}`;
      return ports === undefined ? isProtocol : all([isProtocol, portIn(column('service_port'), parsePorts(ports))]);
    }
    case 'port':
      return portIn(column('service_port'), parsePorts(value));
    case 'protocol':
      return ch`t.protocol = ${text(value)}`;
    case 'action':
      return ch`t.action = ${text(value)}`;
    case 'state':
      return value === 'ended' ? isEnded(selection.now) : ch`not ${isEnded(selection.now)}`;
    case 'node':
      return ch`hasAny(t.node_ids, ${texts(places.named.get(value)?.nodes ?? [])})`;
    case 'cluster':
      return inIds(column('cluster_id'), places.named.get(value)?.clusters ?? []);
    default: {
      const of = NUMBERS[field];
      if (!of) throw new Error(`expected a field of conversations, got ${field}`);
      return ch`ifNull(${of} = ${number(Number(value))}, false)`;
    }
  }
}

/** SQL of a condition of the filter language, over conversations under the alias `t`. What is negated also holds for unknown values. */
export function conversationCondition(
  condition: Condition,
  selection: ConversationSelection,
  places: ResolvedPlaces,
): Part {
  if (condition.kind === 'not') return ch`not ${conversationCondition(condition.of, selection, places)}`;
  if (condition.kind !== 'compare') {
    const parts = condition.of.map((part) => conversationCondition(part, selection, places));
    return condition.kind === 'and' ? all(parts) : any(parts);
  }
  const { field, operator, values } = condition;
  const order = ORDERS[operator];
  if (order) {
    const of = NUMBERS[field];
    if (!of) throw new Error(`expected an amount, got ${field}`);
    return ch`ifNull(${of} ${raw(order)} ${number(Number(values[0]))}, false)`;
  }
  const isOne = any(values.map((value) => valueIs(field, value, selection, places)));
  return operator === '!=' ? ch`not ${isOne}` : isOne;
}

/** The WHERE of conversations, of the table under the alias `t`. An expired one never matches. */
export function conversationConditions(selection: ConversationSelection, places: ResolvedPlaces): Part {
  const { visible, until, filter, actions, condition, cutoff, since } = selection;
  return all([
    ch`t.last_seen_at >= ${time(cutoff)} and t.last_seen_at >= ${time(since)}`,
    ...(until === null ? [] : [ch`t.first_seen_at < ${time(until)}`]),
    ...(visible === 'all' ? [] : [seenBy((of) => inIds(of, visible))]),
    ...(actions === undefined || actions.length === 0 ? [] : [ch`has(${texts(actions)}, t.action)`]),
    ...filterConditions(filter, visible),
    ...(condition === undefined ? [] : [conversationCondition(condition, selection, places)]),
  ]);
}
