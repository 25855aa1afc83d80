import { sql } from 'drizzle-orm';
import { CLOSED_STATES, type SeenReport } from '@/domain/flow/assign-conversation';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { openConversations, type ReportedState } from '../../../db/schema/flow-outbox';
import { unnestRows } from '../../../db/unnest-rows';
import type { ReportedFlow } from '../add-counters';
import { type Candidate, type Ends, makeConversationId } from '../assign-reports';

/** A conversation that may continue, with what the nodes have reported of it. */
export type OpenConversation = Candidate & {
  /** By node, direction and decision. */
  reports: Record<string, ReportedState>;
  /** What this heartbeat reports of it. */
  changes: Record<string, ReportedState>;
};

const CLOSED = new Set<string | null>(CLOSED_STATES);
const NODE_LENGTH = 36;
const DENIALS = new Set(['drop', 'reject']);

export const toReportKey = (nodeId: string, isForward: boolean, decision: string): string =>
  `${nodeId}${isForward ? '>' : '<'}${decision}`;

/** The parts of such a key. */
export const readReportKey = (key: string): { node_id: string; forward: boolean; decision: string } => ({
  node_id: key.slice(0, NODE_LENGTH),
  forward: key[NODE_LENGTH] === '>',
  decision: key.slice(NODE_LENGTH + 1),
});

export const isClosedState = (state: string | null): 0 | 1 => (CLOSED.has(state) ? 1 : 0);

/** Whether nothing that was not denied was seen after the connection was closed. */
function isClosed(reports: Readonly<Record<string, ReportedState>>): boolean {
  let closed = Number.NEGATIVE_INFINITY;
  let open = Number.NEGATIVE_INFINITY;
  for (const [key, [observed, is_closed]] of Object.entries(reports)) {
    if (is_closed) closed = Math.max(closed, observed);
    if (!DENIALS.has(key.slice(NODE_LENGTH + 1))) open = Math.max(open, observed);
  }
  return Number.isFinite(closed) && closed >= open;
}

type Row = Omit<OpenConversation, 'nodes' | 'is_closed' | 'changes'>;

/** The open conversations of some keys. Each key is looked up by itself: joined to the whole list, the table would be read as a whole. */
export async function findOpenConversations(
  executor: Executor,
  keys: readonly string[],
): Promise<Map<string, OpenConversation[]>> {
  const found = new Map<string, OpenConversation[]>(keys.map((key) => [key, []]));
  if (keys.length === 0) return found;
  const rows = await executor.execute<Row>(sql`
    select c.id, c.conversation_key, c.ordinal, c.revision, c.is_final, c.low_workload_id as low, c.high_workload_id as high,
      c.observer_id as observer, c.reports, (date_part('epoch', c.first_seen_at) * 1000)::float8 as first_seen,
      (date_part('epoch', c.last_seen_at) * 1000)::float8 as last_seen
    from (select unnest(${pgArray('uuid', keys)}) as key offset 0) as k
    cross join lateral (select * from ${openConversations} as c where c.conversation_key = k.key offset 0) as c`);
  for (const row of rows) {
    const nodes: string[] = [];
    for (const key in row.reports) {
      const node = key.slice(0, NODE_LENGTH);
      if (!nodes.includes(node)) nodes.push(node);
    }
    const state = { nodes, is_closed: isClosed(row.reports), changes: {} };
    found.get(row.conversation_key)?.push(Object.assign(row, state));
  }
  return found;
}

/** Its id follows from addresses and ports only: it depends on no workload that its reader may not see. */
export function beginConversation(ends: Ends, ordinal: number, report: SeenReport): OpenConversation {
  return {
    id: makeConversationId(ends, [ends.key, ordinal], report.first_seen),
    conversation_key: ends.key,
    ordinal,
    revision: 0,
    low: report.low,
    high: report.high,
    observer: report.observer,
    nodes: [report.node_id],
    first_seen: report.first_seen,
    last_seen: report.last_seen,
    is_closed: false,
    is_final: false,
    reports: {},
    changes: {},
  };
}

/** What a report says that may be the newest one before another. */
export const toReportedFlow = (flow_key: string, [observed_ms, , bytes, packets]: ReportedState): ReportedFlow => ({
  ...{ flow_key, bytes, packets, observed_at: new Date(observed_ms).toISOString() },
});

/** The clock by which conversations settle. */
const NOW_MS = sql.raw('floor(extract(epoch from clock_timestamp()) * 1000)::float8');

export async function readSettlingTime(tx: Tx): Promise<string> {
  const [row] = await tx.execute<{ now_ms: number }>(sql`select ${NOW_MS} as now_ms`);
  if (!row) throw new Error('expected the time of the database');
  return new Date(row.now_ms).toISOString();
}

const COLUMNS = {
  conversation_key: 'uuid',
  ordinal: 'int',
  id: 'uuid',
  revision: 'int',
  low_workload_id: 'uuid',
  high_workload_id: 'uuid',
  observer_id: 'uuid',
  first_seen_s: 'float8',
  last_seen_s: 'float8',
  reports: 'text',
} as const;

/**
 * Writes what a heartbeat changes of conversations. What other nodes reported in the meantime stays. A new one is not written when
 * another transaction has begun one of the same addresses with other ends, and none that has ended permanently.
 * @returns the ids of those that were written, and when
 */
export async function storeOpenConversations(
  tx: Tx,
  conversations: readonly OpenConversation[],
): Promise<{ ids: Set<string>; changed_ms: number }> {
  const rows = conversations
    .map((one) => ({
      conversation_key: one.conversation_key,
      ordinal: one.ordinal,
      id: one.id,
      revision: one.revision + 1,
      low_workload_id: one.low,
      high_workload_id: one.high,
      observer_id: one.observer,
      first_seen_s: one.first_seen / 1000,
      last_seen_s: one.last_seen / 1000,
      reports: JSON.stringify(one.changes),
    }))
    .sort((a, b) =>
      a.conversation_key < b.conversation_key
        ? -1
        : a.conversation_key > b.conversation_key
          ? 1
          : a.ordinal - b.ordinal,
    );
  const [stored] = await tx.execute<{ ids: string | null; changed_ms: number }>(sql`
    with stored as (
      insert into ${openConversations} as t (conversation_key, ordinal, id, revision, low_workload_id, high_workload_id, observer_id,
        first_seen_at, last_seen_at, reports)
      select c.conversation_key, c.ordinal, c.id, c.revision, c.low_workload_id, c.high_workload_id, c.observer_id,
        to_timestamp(c.first_seen_s), to_timestamp(c.last_seen_s), c.reports::jsonb from ${unnestRows(COLUMNS, 'conversation_key', rows)} as c
      on conflict (conversation_key, ordinal) do update set revision = t.revision + 1,
        low_workload_id = coalesce(t.low_workload_id, excluded.low_workload_id),
        high_workload_id = coalesce(t.high_workload_id, excluded.high_workload_id),
        observer_id = coalesce(t.observer_id, excluded.observer_id),
        first_seen_at = least(t.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(t.last_seen_at, excluded.last_seen_at), reports = t.reports || excluded.reports
      where t.id = excluded.id and not t.is_final and (excluded.revision > 1
        or (t.low_workload_id is not distinct from excluded.low_workload_id
          and t.high_workload_id is not distinct from excluded.high_workload_id))
      returning id)
    select string_agg(id::text, ',') as ids, ${NOW_MS} as changed_ms from stored`);
  if (!stored) throw new Error('expected the time of the database');
  return { ids: new Set(stored.ids?.split(',') ?? []), changed_ms: stored.changed_ms };
}

/** Conversations with one of the workloads at an end, or at whose interface they were seen when none is known: they continue no more. */
export async function endOpenConversations(
  tx: Tx,
  workloadIds: readonly string[],
): Promise<{ id: string; cluster_id?: string; report_keys: string[] }[]> {
  const ids = pgArray('uuid', workloadIds);
  const rows = await tx.execute<{ id: string; report_keys: string[] }>(sql`
    with held as materialized (
      select conversation_key, ordinal from ${openConversations}
      where not is_final and (low_workload_id = any (${ids}) or high_workload_id = any (${ids})
        or observer_id = any (${ids}) and low_workload_id is null and high_workload_id is null)
      order by conversation_key, ordinal for update)
    update ${openConversations} as c set is_final = true, revision = c.revision + 1 from held
    where c.conversation_key = held.conversation_key and c.ordinal = held.ordinal
    returning c.id, array(select jsonb_object_keys(c.reports)) as report_keys`);
  return [...rows];
}
