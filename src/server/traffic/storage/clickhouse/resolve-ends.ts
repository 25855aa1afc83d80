import { sql } from 'drizzle-orm';
import { db, type Tx } from '../../../db/client';
import { openConversations } from '../../../db/schema/flow-outbox';
import { unnestRows } from '../../../db/unnest-rows';
import { identifyEnds, type SeenFlow } from '../assign-reports';
import { fillFlow } from '../fill-ends';
import type { EndResolver, FlowEnds, Learned } from '../flow-rows';
import type { FlowUpkeep } from '../flow-store';
import { fillCounters } from '../postgres/interface-counters';
import { addressIn, addressText, isNone } from './conditions';
import type { Connection } from './connection';
import { NEWEST } from './migrations';
import { fillParts, moveSums, type PartPosition, type SumPosition } from './move-sums';
import { readSettlingTime } from './open-conversations';
import { addObjectsToOutbox } from './outbox';
import { any, ch, join, NONE, number, type Part, raw, text, toStoredTime, uuid } from './statement';
import { NOT_EXPIRED } from './visible-rows';

const CHUNK_FLOWS = 5_000;
/** Beyond so many networks, comparing each flow with all of them costs more than a lookup of its ends. */
const MAX_NETWORKS = 200;

type Key = { began_at: string; conversation_id: string; forward: boolean; decision: string; node_id: string };
type StoredFlow = Key & {
  cluster_id: string;
  protocol: string;
  source_address: string;
  destination_address: string;
  source_port: number | null;
  destination_port: number | null;
  source_workload_id: string;
  destination_workload_id: string;
  source_cidr: string;
  destination_cidr: string;
  newest: unknown[];
  observed_ms: number;
};

const KEY = ['began_at', 'conversation_id', 'forward', 'decision', 'node_id'];
const FLOW = [
  ...['cluster_id', 'protocol', 'source_port', 'destination_port', 'source_workload_id', 'destination_workload_id'],
  ...['source_cidr', 'destination_cidr', 'newest'],
];
const at = (name: (typeof NEWEST)[number][0]) => NEWEST.findIndex(([known]) => known === name);
const orNull = (id: unknown): string | null => (id === NONE || id === '' ? null : (id as string));

/** Flows about which the inventory has learned something. */
function isAbout({ networks, vmids }: Learned): Part {
  const vmid = raw(`tupleElement(f.newest, ${at('vmid') + 1})`);
  const observer = raw(`tupleElement(f.newest, ${at('workload_id') + 1})`);
  return any([
    ...networks.flatMap((cidr) => ['source_ip', 'destination_ip'].map((end) => addressIn(raw(`f.${end}`), cidr))),
    ...(vmids.length === 0
      ? []
      : [ch`(${isNone(observer)} and ifNull(${vmid} in (${join(vmids.map(number), ', ')}), false))`]),
  ]);
}

/** Flows with an unknown end after a position, in the order in which they are stored. */
function listUnresolved(connection: Connection, after: Key | null, learned: Learned | null): Promise<StoredFlow[]> {
  const key = `(${KEY.map((name) => `f.${name}`).join(', ')})`;
  const isAfter = after
    ? ch`f.began_at >= toDateTime(${text(after.began_at)}, 'UTC') and ${raw(key)} > (toDateTime(${text(after.began_at)}, 'UTC'),
        ${uuid(after.conversation_id)}, ${raw(String(after.forward))}, ${text(after.decision)}, ${uuid(after.node_id)})`
    : raw('true');
  const isUnknown = any([
    isNone(raw('f.source_workload_id')),
    isNone(raw('f.destination_workload_id')),
    raw(`f.source_cidr = '' or f.destination_cidr = ''`),
  ]);
  return connection.read<StoredFlow>(ch`
    select ${raw([...KEY, ...FLOW].map((name) => `f.${name} as ${name}`).join(', '))}, ${addressText(raw('f.source_ip'))} as source_address,
      ${addressText(raw('f.destination_ip'))} as destination_address, toUnixTimestamp64Milli(f.observed_at) as observed_ms
    from flows as f final where ${NOT_EXPIRED} and ${isAfter} and ${isUnknown} and ${learned ? isAbout(learned) : raw('true')}
    order by ${raw(KEY.map((name) => `f.${name}`).join(', '))} limit ${number(CHUNK_FLOWS)}`);
}

const toEnds = (flow: StoredFlow): FlowEnds => ({
  source_workload_id: orNull(flow.source_workload_id),
  destination_workload_id: orNull(flow.destination_workload_id),
  ...{ source_cidr: orNull(flow.source_cidr), destination_cidr: orNull(flow.destination_cidr) },
  workload_id: orNull(flow.newest[at('workload_id')]),
});

const COLUMNS = { conversation_key: 'uuid', id: 'uuid', low: 'uuid', high: 'uuid', observer: 'uuid' } as const;

/** What becomes known about conversations that may still continue: the next report finds them by it. */
async function fillOpenConversations(tx: Tx, filled: readonly { flow: StoredFlow; ends: FlowEnds }[]): Promise<void> {
  const byId = new Map(
    filled.map(({ flow, ends }) => {
      const seen = { ...flow, source_ip: flow.source_address, destination_ip: flow.destination_address };
      const { key } = identifyEnds(seen as unknown as SeenFlow);
      const { source_workload_id: source, destination_workload_id: destination } = ends;
      const [low, high] = flow.forward ? [source, destination] : [destination, source];
      return [
        flow.conversation_id,
        { conversation_key: key, id: flow.conversation_id, low, high, observer: ends.workload_id },
      ];
    }),
  );
  const rows = [...byId.values()].sort((a, b) => (a.conversation_key < b.conversation_key ? -1 : 1));
  await tx.execute(sql`
    update ${openConversations} as c set low_workload_id = coalesce(c.low_workload_id, r.low),
      high_workload_id = coalesce(c.high_workload_id, r.high), observer_id = coalesce(c.observer_id, r.observer), revision = c.revision + 1,
      is_merge_due = c.is_merge_due or (c.low_workload_id is null and r.low is not null) or (c.high_workload_id is null and r.high is not null)
    from ${unnestRows(COLUMNS, 'id', rows)} as r where c.conversation_key = r.conversation_key and c.id = r.id`);
}

/** Fills in ends of some flows: rows with nothing else, which may be stored any number of times. */
async function fillFlows(resolver: EndResolver, flows: readonly StoredFlow[]): Promise<number> {
  const filled = flows.flatMap((flow) => {
    const known = toEnds(flow);
    const ends = fillFlow(resolver, {
      ...{ ...known, node_id: flow.node_id, cluster_id: flow.cluster_id, observed_ms: flow.observed_ms },
      ...{ source_ip: flow.source_address, destination_ip: flow.destination_address },
      vmid: flow.newest[at('vmid')] as number | null,
    });
    return ends ? [{ flow, ends }] : [];
  });
  const [first] = filled;
  if (!first) return 0;
  const toRow =
    (changed_at: string) =>
    ({ flow, ends }: (typeof filled)[number]) => {
      const { began_at, conversation_id, forward, decision, node_id } = flow;
      const newest = [...flow.newest];
      newest[at('workload_id')] = ends.workload_id ?? NONE;
      return {
        ...{ began_at, conversation_id, forward, decision, node_id, newest, changed_at },
        source_workload_id: ends.source_workload_id ?? NONE,
        destination_workload_id: ends.destination_workload_id ?? NONE,
        ...{ source_cidr: ends.source_cidr ?? '', destination_cidr: ends.destination_cidr ?? '' },
      };
    };
  await db.transaction(async (tx) => {
    await fillOpenConversations(tx, filled);
    const changedAt = toStoredTime(await readSettlingTime(tx));
    await addObjectsToOutbox(tx, first.flow, 'incoming_ends', filled.map(toRow(changedAt)));
  });
  return filled.length;
}

type Position = { flow: Key | null } | { part: PartPosition | null } | { sum: SumPosition };

/**
 * Interface counters first, then flows, then what flows had added to totals, then totals of networks that are known by now. Each step
 * waits until what it has written has arrived: the next one reads it.
 */
export const resolveEnds = (
  connection: Connection,
  deliver: (nodeId: string | null) => Promise<void>,
): FlowUpkeep['resolveEnds'] => {
  const fill = async (resolver: EndResolver, learned: Learned | null, from: Position) => {
    if ('flow' in from) {
      const flows = await listUnresolved(
        connection,
        from.flow,
        learned && learned.networks.length <= MAX_NETWORKS ? learned : null,
      );
      const filled = await fillFlows(resolver, flows);
      const last = flows.at(-1);
      const position: Position = flows.length === CHUNK_FLOWS && last ? { flow: last } : { part: null };
      return { position, filled };
    }
    if ('part' in from) {
      const { last, moved } = await fillParts(connection, resolver, from.part);
      const position: Position = last ? { part: last } : { sum: { table: 'minutes', after: null } };
      return { position, filled: moved };
    }
    const { next, moved } = await moveSums(connection, resolver, learned, from.sum);
    return { position: next && { sum: next }, filled: moved };
  };
  return async (resolver, learned, position) => {
    await deliver(null);
    const counters = position === null ? await fillCounters(resolver, learned?.vmids ?? null) : 0;
    const from = (position ?? { flow: null }) as Position;
    const step = await fill(resolver, learned, from);
    await deliver(null);
    const shown =
      step.position && 'flow' in step.position && step.position.flow
        ? { flow: pickKey(step.position.flow) }
        : step.position;
    return { position: shown as Record<string, unknown> | null, filled: step.filled + counters };
  };
};

const pickKey = ({ began_at, conversation_id, forward, decision, node_id }: Key): Key => ({
  ...{ began_at, conversation_id, forward, decision, node_id },
});
