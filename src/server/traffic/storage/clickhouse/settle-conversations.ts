import { sql } from 'drizzle-orm';
import { MINUTE_MS, SECOND_MS } from '@/domain/durations';
import { db, type Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { flowOutbox, openConversations, type ReportedState } from '../../../db/schema/flow-outbox';
import { getBegunHour } from '../assign-reports';
import { type DueConversation, findParts } from '../find-parts';
import type { FlowUpkeep } from '../flow-store';
import { lockTrafficSums } from '../postgres/hours-to-sum';
import type { Connection } from './connection';
import { countUnsettled, settle } from './conversation-rows';
import { FLOW_NAMES, ROLLUP_IDENTITY, SUMS } from './migrations';
import { readSettlingTime } from './open-conversations';
import { makeSettledConversations } from './settled-conversations';
import { ch, number, type Part, raw, second, time, toStatement, uuid } from './statement';

const CHUNK_KEYS = 100;
/** What one run works at most before it leaves the rest to the next one. */
const BUDGET_MS = 5_000;

type Due = DueConversation & { reports: Record<string, ReportedState> };

/** What rows do not keep when their conversation becomes a part of another one. */
const MOVED = ['began_at', 'conversation_id', 'changed_at'];

const SAME_PART = ['bucket_at', 'rollup_key', 'node_id', 'forward', 'cluster_id', ...ROLLUP_IDENTITY];

/** What its flows have added to minutes goes with them: subtracted here and added there, which nothing is left of when it is repeated. */
const moveMinutes = ({ id, first_seen, last_seen }: Due, whole: string): Part => ch`
  insert into unresolved_minutes (${raw(['conversation_id', 'began_at', ...SAME_PART, ...SUMS].join(', '))})
  select s.1, s.2, ${raw(SAME_PART.map((name) => `p.${name}`).join(', '))}, ${raw(SUMS.map((name) => `p.${name} * s.3`).join(', '))}
  from unresolved_minutes as p final
  array join [(${uuid(id)}, ${second(getBegunHour(id))}, -1), (${uuid(whole)}, ${second(getBegunHour(whole))}, 1)] as s
  where p.bucket_at between ${second(Math.floor(first_seen / MINUTE_MS) * MINUTE_MS)} and ${second(last_seen)} and p.conversation_id = ${uuid(id)} and p.reports <> 0`;

/** The rows of a conversation get the id of another one. Repeated after an interruption, they are copied once. */
async function moveRows(
  connection: Connection,
  { whole, changed_at, ...due }: Due & { whole: string; changed_at: string },
): Promise<void> {
  const part = due.id;
  const isPart = (alias: string) =>
    ch`${raw(alias)}began_at = ${second(getBegunHour(part))} and ${raw(alias)}conversation_id = ${uuid(part)}`;
  const others = raw(FLOW_NAMES.filter((name) => !MOVED.includes(name)).join(', '));
  const copy = toStatement(ch`
    insert into flows (${raw(MOVED.join(', '))}, ${others})
    select ${second(getBegunHour(whole))}, ${uuid(whole)}, ${time(changed_at)}, ${others} from flows as f final where ${isPart('f.')} order by forward, decision, node_id`);
  await connection.run(toStatement(moveMinutes(due, whole)).query);
  await connection.run(copy.query, { insert_deduplicate: 1, insert_deduplication_token: `${part} ${whole}` });
  await connection.run(toStatement(ch`delete from flows where ${isPart('')}`).query);
  const isSettledPart = ch`began_at = ${second(getBegunHour(part))} and id = ${uuid(part)}`;
  await connection.run(toStatement(ch`delete from settled_conversations where ${isSettledPart}`).query);
}

/** What both know of reports: the newer one of each. */
function joinReports(
  a: Record<string, ReportedState>,
  b: Record<string, ReportedState>,
): Record<string, ReportedState> {
  const joined = { ...a };
  for (const [key, report] of Object.entries(b)) {
    const known = joined[key];
    if (!known || known[0] < report[0]) joined[key] = report;
  }
  return joined;
}

async function joinState(tx: Tx, part: Due, whole: Due): Promise<void> {
  const key = part.conversation_key;
  await tx.execute(sql`
    update ${openConversations} as c set reports = ${JSON.stringify(joinReports(whole.reports, part.reports))}::jsonb,
      low_workload_id = coalesce(c.low_workload_id, ${part.low}::uuid), high_workload_id = coalesce(c.high_workload_id, ${part.high}::uuid),
      first_seen_at = least(c.first_seen_at, to_timestamp(${part.first_seen / 1000})),
      last_seen_at = greatest(c.last_seen_at, to_timestamp(${part.last_seen / 1000})), revision = c.revision + 1
    where c.conversation_key = ${key}::uuid and c.id = ${whole.id}::uuid`);
  await tx.execute(
    sql`delete from ${openConversations} where conversation_key = ${key}::uuid and id = ${part.id}::uuid`,
  );
}

/**
 * Joins conversations of which ends became known with those that they turn out to be a part of. Reports of them wait until then, and what
 * is on its way has arrived before. @returns how many were due
 */
async function joinParts(connection: Connection, tx: Tx): Promise<number> {
  // What moves minutes to ends that became known reads flows and minutes, and writes later.
  await lockTrafficSums(tx);
  const due = await tx.execute<Due>(sql`
    select c.id, c.conversation_key, c.ordinal, c.is_final, c.observer_id as observer, c.low_workload_id as low, c.high_workload_id as high,
      c.reports, (date_part('epoch', c.first_seen_at) * 1000)::float8 as first_seen, (date_part('epoch', c.last_seen_at) * 1000)::float8 as last_seen
    from ${openConversations} as c where c.conversation_key in (
      select conversation_key from ${openConversations} where is_merge_due and not is_final order by 1 limit ${CHUNK_KEYS}) and not c.is_final
    order by c.conversation_key, c.ordinal for update`);
  const [waiting] = await tx.execute<{ waits: boolean }>(sql`select exists (select 1 from ${flowOutbox}) as waits`);
  if (due.length === 0 || waiting?.waits) return 0;
  const changed_at = await readSettlingTime(tx);
  const byId = new Map(due.map((one) => [one.id, one]));
  for (const { id, whole } of findParts(due)) {
    const [part, of] = [byId.get(id), byId.get(whole)];
    if (!part || !of) continue;
    await moveRows(connection, { ...part, whole, changed_at });
    await joinState(tx, part, of);
    of.reports = joinReports(of.reports, part.reports);
  }
  await tx.execute(sql`
    update ${openConversations} set is_merge_due = false where is_merge_due and conversation_key = any (${pgArray(
      'uuid',
      due.map(({ conversation_key }) => conversation_key),
    )})`);
  return due.length;
}

/** Changes that one statement settles, about. */
const MOST_AT_ONCE = 200_000;
/** As often at most: what is not settled yet is put together when it is read. */
const SETTLE_EVERY_MS = 30 * SECOND_MS;

type Step = { until: string; parts: number };

/** Minutes with what changed in them in steps of at most so many changes: a minute with more, in parts. */
export function divideTime(
  minutes: readonly { minute_s: number; changes: number }[],
  until: string,
  most: number,
): Step[] {
  const steps: Step[] = [];
  let size = 0;
  for (const [i, { changes }] of minutes.entries()) {
    size += changes;
    const next = minutes[i + 1];
    if (next && size + next.changes <= most) continue;
    const end = next ? new Date(next.minute_s * SECOND_MS - 1).toISOString() : until;
    steps.push({ until: end, parts: Math.ceil(size / most) });
    size = 0;
  }
  return steps.length > 0 ? steps : [{ until, parts: 1 }];
}

/**
 * Has what changed of conversations read as it is by now, not put together each time. Only up to a time after which nothing older is stored; what
 * changes later is not settled. What a step has settled stays settled, wherever the next one ends. Interrupted anywhere, and from several
 * processes at the same time, the same rows replace each other.
 */
export async function settleChanges(
  connection: Connection,
  until: string,
  {
    signal,
    every_ms = SETTLE_EVERY_MS,
    most = MOST_AT_ONCE,
  }: { signal?: AbortSignal | undefined; every_ms?: number; most?: number } = {},
): Promise<void> {
  const [settled] = await connection.read<{ until_ms: number }>(
    raw('select toUnixTimestamp64Milli(max(until)) as until_ms from settled_until'),
  );
  if (Date.parse(until) - (settled?.until_ms ?? 0) < every_ms) return;
  for (const step of divideTime(await connection.read(countUnsettled(until)), until, most)) {
    for (let part = 0; part < step.parts; part++) {
      signal?.throwIfAborted();
      const which = ch`cityHash64(s.conversation_id) % ${number(step.parts)} = ${number(part)}`;
      await connection.run(toStatement(settle({ which, until: step.until })).query);
    }
    await connection.run(toStatement(ch`insert into settled_until (one, until) select 1, ${time(step.until)}`).query);
  }
}

/** In small transactions, for some seconds. Every flow has a conversation from the start. */
export const settleConversations =
  (connection: Connection, deliver: (nodeId: string | null) => Promise<void>): FlowUpkeep['settleConversations'] =>
  async (signal) => {
    const until = performance.now() + BUDGET_MS;
    const done = { assigned: 0, joined: 0 };
    for (let due = 1; due > 0 && performance.now() < until; ) {
      signal?.throwIfAborted();
      await deliver(null);
      due = await db.transaction((tx) => joinParts(connection, tx));
      done.joined += due;
    }
    await settleChanges(connection, (await makeSettledConversations(connection).readClock()).complete_until, {
      signal,
    });
    return done;
  };
