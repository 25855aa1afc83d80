import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '@/domain/durations';
import type { ForwardingStream } from '@/domain/forwarding/destination';
import { toConversationEvent } from '@/domain/forwarding/record';
import { db } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { forwardingSend } from '../jobs/definitions';
import { enqueue, enqueueOrWait } from '../jobs/enqueue';
import { clock } from '../lib/clock';
import { logger } from '../lib/logger';
import { countForwarded } from '../lib/metrics';
import { createPacer } from '../lib/spare-time';
import { readMessageSettings } from '../notifications/settings';
import { DeliveryError } from '../providers/net/delivery-error';
import { createExporter } from './export-conversations';
import { type DestinationRow, findDestinationRow } from './queries/forwarding-destinations';
import {
  advanceStream,
  LONGEST_PAUSE_MS,
  listDueDestinations,
  listStreams,
  type StreamRow,
  settleStream,
} from './queries/forwarding-streams';
import { type RecordSource, readAudit, readConversations } from './read-records';
import { buildPayload, MAX_BATCH_BYTES, sendPayload } from './send-records';

/** Records of one connection or request. */
const BATCH = 1000;
/** No record is shorter. */
const LEAST_BYTES = 100;
/** The schedule begins another run of a stream that has more. */
const RUN_MS = 20 * SECOND_MS;
/** Pauses after failures, the last one for all further ones. */
const PAUSES_MS = [5 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];

const READERS: Record<ForwardingStream, (destination: DestinationRow, host: string) => RecordSource> = {
  audit: readAudit,
  conversations: (destination, host) => readConversations(destination, (row) => toConversationEvent(host, row)),
};

/** The name of this installation in records. */
export async function getForwardingHost(): Promise<string> {
  const { public_url } = await readMessageSettings(db, { time_zone: null });
  return public_url === null ? hostname() : new URL(public_url).hostname;
}

/** Sends up to so many records and bytes after the position of a stream. Null: another process sends it. */
type SendBatch = (row: StreamRow, limit: number, max: number) => Promise<{ row: StreamRow; is_last: boolean } | null>;
type Run = {
  destination: DestinationRow;
  source: Pick<RecordSource, 'findLoss' | 'countWaiting'>;
  sendBatch: SendBatch;
  signal: AbortSignal;
};

/** Counts what is too old or gone, and continues after it. Null: another process sends this stream. */
async function skipLost({ destination, source }: Run, row: StreamRow): Promise<StreamRow | null> {
  const loss = await source.findLoss(row.position);
  if (!loss) return row;
  const { lost, is_lost_exact } = loss;
  const next = await advanceStream(db, row, { ...loss, at: clock.now().toISOString() });
  if (next && (lost > 0 || !is_lost_exact)) {
    countForwarded(destination.kind, row.stream, 'lost', lost);
    logger.warn(
      { destination_id: destination.id, stream: row.stream, lost, is_lost_exact },
      'records were not forwarded',
    );
  }
  return next;
}

/** Sends what a source has, and stores that it was sent when the receiver has taken it. */
async function sendConfirmed(
  { destination, source, signal }: Pick<Run, 'destination' | 'signal'> & { source: RecordSource },
  row: StreamRow,
  limit: number,
  max: number,
) {
  const batch = await source.read(row.position, limit);
  const payload = buildPayload(
    destination,
    batch.records.map(({ record }) => record),
    max,
  );
  if (payload.records > 0) await sendPayload(destination, payload.bytes, signal);
  const isWhole = payload.records === batch.records.length;
  const position = isWhole ? batch.end : (batch.records[payload.records - 1]?.position ?? row.position);
  const at = clock.now().toISOString();
  const next = await advanceStream(db, row, { position, sent: payload.records, shortened: payload.shortened, at });
  if (!next) return null;
  countForwarded(destination.kind, row.stream, 'sent', payload.records);
  countForwarded(destination.kind, row.stream, 'shortened', payload.shortened);
  return { row: next, is_last: isWhole && batch.is_last };
}

/** Sends until nothing is left or the run is over. @returns whether records wait. Null: another process sends this stream. */
async function sendAll(run: Run, started: StreamRow): Promise<{ row: StreamRow; is_last: boolean } | null> {
  const until = clock.now().getTime() + RUN_MS;
  const pace = createPacer();
  let row: StreamRow | null = await skipLost(run, started);
  for (let limit = BATCH, max = MAX_BATCH_BYTES; row; ) {
    run.signal.throwIfAborted();
    try {
      const began = performance.now();
      const done = await run.sendBatch(row, limit, max);
      if (!done) return null;
      row = done.row;
      max = MAX_BATCH_BYTES;
      if (done.is_last || clock.now().getTime() >= until) return done;
      // What waits is not urgent: what nodes report now comes first.
      await setTimeout(pace(performance.now() - began), undefined, { signal: run.signal });
    } catch (error) {
      // The receiver takes only smaller requests: of fewer records, then of one that is shortened. One that takes no record of any
      // size takes none of the others: they wait, as for any failure.
      if (!(error instanceof DeliveryError) || error.status !== 413 || max <= LEAST_BYTES) throw error;
      if (limit > 1) limit = Math.ceil(limit / 10);
      else max /= 10;
    }
  }
  return null;
}

function toFailure(row: StreamRow, error: unknown) {
  if (!(error instanceof DeliveryError))
    logger.error({ err: error, destination_id: row.destination_id }, 'forwarding failed unexpectedly');
  const now = clock.now().getTime();
  const pause = PAUSES_MS[Math.min(row.failures, PAUSES_MS.length - 1)] ?? MINUTE_MS;
  const wait = Math.max(pause, ((error instanceof DeliveryError && error.retryAfterSeconds) || 0) * SECOND_MS);
  return {
    failures: row.failures + 1,
    last_error: error instanceof DeliveryError ? error.message.slice(0, 500) : 'Unexpected error. See the worker log.',
    last_failed_at: new Date(now).toISOString(),
    next_attempt_at: new Date(now + wait).toISOString(),
  };
}

/** How one stream of a destination is read and sent. */
function prepareRun(destination: DestinationRow, stream: ForwardingStream, host: string, signal: AbortSignal) {
  if (destination.kind === 'ipfix') {
    const source = readConversations(destination, (row) => row);
    const { sendBatch, close } = createExporter(destination, source);
    return { destination, source, sendBatch, close, signal };
  }
  const source = READERS[stream](destination, host);
  const sendBatch: SendBatch = (row, limit, max) => sendConfirmed({ destination, source, signal }, row, limit, max);
  return { destination, source, sendBatch, close: () => undefined, signal };
}

async function forwardStream(run: Run, row: StreamRow): Promise<void> {
  try {
    const done = await sendAll(run, row);
    if (!done) return;
    const waiting = done.is_last ? 0 : await run.source.countWaiting(done.row.position);
    if (waiting !== row.waiting) await settleStream(db, row, { waiting });
    if (done.row.sent !== row.sent || waiting !== row.waiting || done.row.lost !== row.lost)
      await publishEvent(db, { type: 'forwarding.changed' });
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    const stored = (await listStreams(db, row.destination_id)).find(({ stream }) => stream === row.stream);
    if (!stored) return;
    const waiting = await run.source.countWaiting(stored.position);
    await settleStream(db, row, { waiting, ...toFailure(stored, error) });
    countForwarded(run.destination.kind, row.stream, 'failed', 1);
    await publishEvent(db, { type: 'forwarding.changed' });
  }
}

/**
 * Sends what is due to one destination: each stream in its order, from the record after the last one that was sent. A failure is stored
 * with the time of the next attempt. A worker that ends in the middle leaves the position where it was, so a record arrives at least
 * once, and twice only after a failure or a crash: receivers recognize it by its id. Of IPFIX nothing arrives twice.
 * @throws the reason of `signal` when it aborts
 */
export async function forwardRecords(destination_id: string, { signal }: { signal: AbortSignal }): Promise<void> {
  const destination = await findDestinationRow(db, destination_id);
  if (!destination?.enabled) return;
  const host = await getForwardingHost();
  const now = clock.now().getTime();
  for (const row of await listStreams(db, destination_id)) {
    const wait = row.next_attempt_at === null ? 0 : Date.parse(row.next_attempt_at) - now;
    const isPaused = wait > 0 && wait <= LONGEST_PAUSE_MS;
    if (isPaused || !destination.streams.includes(row.stream)) continue;
    const run = prepareRun(destination, row.stream, host, signal);
    await forwardStream(run, row).finally(run.close);
  }
}

/** Begins a run for each destination that is due. */
export async function scheduleForwarding(): Promise<void> {
  for (const destination_id of await listDueDestinations(db, clock.now().toISOString())) {
    await enqueueOrWait('the forwarding', { destination_id }, () => enqueue(forwardingSend, { destination_id }));
  }
}
