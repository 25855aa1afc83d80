import { and, eq, type SQL, sql } from 'drizzle-orm';
import { MINUTE_MS } from '@/domain/durations';
import type { ForwardingStream } from '@/domain/forwarding/destination';
import { db, type Executor, type Tx } from '../../db/client';
import { type ForwardingPosition, forwardingDestinations, forwardingStreams } from '../../db/schema/forwarding';

export type { ForwardingPosition };
export type StreamRow = typeof forwardingStreams.$inferSelect;

const isStream = ({ destination_id, stream }: Pick<StreamRow, 'destination_id' | 'stream'>): SQL | undefined =>
  and(eq(forwardingStreams.destination_id, destination_id), eq(forwardingStreams.stream, stream));

/** Starts streams of a destination at positions. One that was sent before continues where it was. */
export async function startStreams(
  tx: Tx,
  destination_id: string,
  positions: readonly { stream: ForwardingStream; position: ForwardingPosition }[],
): Promise<void> {
  const rows = positions.map((one) => ({ destination_id, ...one }));
  await tx.insert(forwardingStreams).values(rows).onConflictDoNothing();
}

/** The streams of a destination, as far as they were started. */
export async function listStreams(executor: Executor, destination_id: string): Promise<StreamRow[]> {
  return executor.select().from(forwardingStreams).where(eq(forwardingStreams.destination_id, destination_id));
}

type Progress = {
  position: ForwardingPosition;
  sent?: number;
  lost?: number;
  is_lost_exact?: boolean;
  shortened?: number;
  /** Of IPFIX: how many data records were sent of each cluster. */
  sequences?: Record<string, number>;
  at: string;
};

/**
 * Stores that records up to a position were sent or lost. @returns false when another process did so in the meantime, or the
 * destination is gone
 */
export async function advanceStream(
  executor: Executor,
  row: StreamRow,
  { position, sent = 0, lost = 0, is_lost_exact = true, shortened = 0, sequences, at }: Progress,
): Promise<StreamRow | null> {
  const [next] = await executor
    .update(forwardingStreams)
    .set({
      position,
      ...(sequences && { sequences }),
      sent: sql`${forwardingStreams.sent} + ${sent}`,
      lost: sql`${forwardingStreams.lost} + ${lost}`,
      shortened: sql`${forwardingStreams.shortened} + ${shortened}`,
      ...((lost > 0 || !is_lost_exact) && { last_lost_at: at }),
      ...(!is_lost_exact && { is_lost_exact }),
      ...(sent > 0 && { last_sent_at: at, failures: 0, last_error: null, next_attempt_at: null }),
    })
    .where(and(isStream(row), sql`${forwardingStreams.position} = ${JSON.stringify(row.position)}::jsonb`))
    .returning();
  return next ?? null;
}

/** Counts records as lost that were counted as sent, because not all of a batch could be sent. */
export async function countUnsent(executor: Executor, row: StreamRow, lost: number, at: string): Promise<void> {
  const { sent } = forwardingStreams;
  await executor
    .update(forwardingStreams)
    .set({ sent: sql`${sent} - ${lost}`, lost: sql`${forwardingStreams.lost} + ${lost}`, last_lost_at: at })
    .where(isStream(row));
}

/** Stores how an attempt ended: how many records wait, and of a failure why and when the next attempt is due. */
export async function settleStream(
  executor: Executor,
  row: StreamRow,
  outcome: Partial<Pick<StreamRow, 'waiting' | 'failures' | 'last_error' | 'last_failed_at' | 'next_attempt_at'>>,
): Promise<void> {
  await executor.update(forwardingStreams).set(outcome).where(isStream(row));
}

/** Lets streams of a destination be sent immediately, whatever the pause after a failure. */
export async function endPauses(tx: Tx, destination_id: string): Promise<void> {
  await tx
    .update(forwardingStreams)
    .set({ next_attempt_at: null, failures: 0 })
    .where(eq(forwardingStreams.destination_id, destination_id));
}

/** Longer than any pause after a failure: a time further ahead is of a clock that was put back since. */
export const LONGEST_PAUSE_MS = 65 * MINUTE_MS;

/** Enabled destinations with a stream that is not in a pause after a failure. */
export async function listDueDestinations(executor: Executor, now: string): Promise<string[]> {
  const rows = await executor.execute<{ id: string }>(sql`
    select d.id from ${forwardingDestinations} as d
    where d.enabled and exists (select 1 from ${forwardingStreams} as s where s.destination_id = d.id
      and s.stream = any (d.streams) and (s.next_attempt_at is null or s.next_attempt_at <= ${now}::timestamptz
        or s.next_attempt_at > ${now}::timestamptz + ${LONGEST_PAUSE_MS}::float8 * interval '1 ms'))
    order by d.id`);
  return rows.map(({ id }) => id);
}

/** Streams of enabled destinations by whether their last attempt failed, and what waits in them. */
export async function countForwarding(): Promise<
  { stream: ForwardingStream; failing: number; working: number; waiting: number }[]
> {
  return db.execute(sql`
    select s.stream, count(*) filter (where s.failures > 0)::int as failing, count(*) filter (where s.failures = 0)::int as working,
      sum(s.waiting)::float8 as waiting
    from ${forwardingStreams} as s join ${forwardingDestinations} as d on d.id = s.destination_id
    where d.enabled and s.stream = any (d.streams) group by s.stream`);
}
