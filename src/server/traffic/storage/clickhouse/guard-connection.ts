import { ClickHouseError } from '@clickhouse/client';
import { SECOND_MS } from '@/domain/durations';
import { AppError } from '../../../lib/errors';
import { countFlowStorageRequest } from '../../../lib/metrics';
import { type Connection, createOutage, NOT_REACHABLE } from './connection';
import { raw } from './statement';

/** After so long without an answer it is asked first whether it answers at all: a request that hangs holds a heartbeat or a page. */
const QUIET_MS = 10 * SECOND_MS;
const PROBE_TIMEOUT_MS = 3 * SECOND_MS;
/** For so long after it did not answer it is not asked again. */
const PAUSE_MS = 2 * SECOND_MS;

/** What ClickHouse answers to whom it does not let in. */
const REFUSALS = new Set([
  'AUTHENTICATION_FAILED',
  'REQUIRED_PASSWORD',
  'ACCESS_DENIED',
  'UNKNOWN_DATABASE',
  'UNKNOWN_USER',
]);
/** What it answers when it cannot work now: full, overloaded, or without its replicas. */
const OUTAGES = new Set([
  ...['TOO_MANY_SIMULTANEOUS_QUERIES', 'SERVER_OVERLOADED', 'TOO_MANY_PARTS', 'NOT_ENOUGH_SPACE', 'TABLE_IS_READ_ONLY'],
  ...['SOCKET_TIMEOUT', 'NETWORK_ERROR', 'KEEPER_EXCEPTION', 'ALL_CONNECTION_TRIES_FAILED', 'QUERY_WAS_CANCELLED'],
]);
/**
 * What it answers about rows that it cannot read (data, types, null where there is none): nothing of them was stored, and sending them
 * again changes nothing. By code, as an answer with binary in it has no name.
 */
const UNREADABLE = new Map([
  ['6', 'CANNOT_PARSE_TEXT'],
  ['26', 'CANNOT_PARSE_QUOTED_STRING'],
  ['27', 'CANNOT_PARSE_INPUT_ASSERTION_FAILED'],
  ['32', 'ATTEMPT_TO_READ_AFTER_EOF'],
  ['33', 'CANNOT_READ_ALL_DATA'],
  ['41', 'CANNOT_PARSE_DATETIME'],
  ['50', 'UNKNOWN_TYPE'],
  ['53', 'TYPE_MISMATCH'],
  ['62', 'SYNTAX_ERROR'],
  ['70', 'CANNOT_CONVERT_TYPE'],
  ['72', 'CANNOT_PARSE_NUMBER'],
  ['117', 'INCORRECT_DATA'],
  ['131', 'TOO_LARGE_STRING_SIZE'],
  ['349', 'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN'],
  ['376', 'CANNOT_PARSE_UUID'],
  ['441', 'CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING'],
]);
const MOST_REASON = 500;
const TOO_MUCH = new Set(['TIMEOUT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED']);

type Operation = keyof Connection;

/** An exception of ClickHouse as what it means for the caller; one about a statement is a fault of this program. */
export function toStorageError(error: unknown, operation: Operation): unknown {
  if (!(error instanceof ClickHouseError)) return error;
  const type = error.type ?? `code ${error.code}`;
  if (REFUSALS.has(type)) {
    return createOutage(
      `Flow storage (ClickHouse) refuses the connection (${type}). Check user, password and database in CLICKHOUSE_URL.`,
      error,
    );
  }
  // What this program runs on its own is no request that could be smaller.
  if (operation === 'insert' || OUTAGES.has(type) || (operation === 'run' && TOO_MUCH.has(type))) {
    return createOutage(
      `Flow storage (ClickHouse) does not work (${type}). Agents keep their flows. See the log of ClickHouse.`,
      error,
    );
  }
  if (!TOO_MUCH.has(type)) return error;
  return new AppError(
    'unavailable',
    'The query of flows needs too much time or memory. Request less data: a shorter time range, a narrower filter, fewer rows.',
    { cause: error, extra: { reason: 'too_slow' } },
  );
}

/** Whether ClickHouse refused rows for what they are, however often they are sent. @returns its answer as one line, or null */
export function findRefusal(error: unknown): string | null {
  const cause = error instanceof AppError ? error.cause : error;
  if (!(cause instanceof ClickHouseError && UNREADABLE.has(cause.code))) return null;
  // Parts of the rows are quoted in it.
  return `${cause.code}: ${cause.message}`.replace(/[^\x20-\x7e]+/g, ' ').slice(0, MOST_REASON);
}

/** Fails like a server that does not answer, after a time. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createOutage(NOT_REACHABLE)), PROBE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A connection that all requests share: its tables are brought up to date before the first use, its requests are counted, and
 * while it does not answer they fail soon instead of waiting.
 * @param prepare runs until it has succeeded once
 */
export function guardConnection(connection: Connection, prepare: () => Promise<void>): Connection {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let isPrepared = false;
  let failure: { at: number; error: unknown } | undefined;
  let probing: Promise<void> | undefined;

  const probe = async () => {
    try {
      await withTimeout(connection.read(raw('select 1 as one')));
      if (!isPrepared) await prepare();
      isPrepared = true;
      answeredAt = performance.now();
      failure = undefined;
    } catch (cause) {
      const error = toStorageError(cause, 'read');
      failure = { at: performance.now(), error };
      throw error;
    } finally {
      probing = undefined;
    }
  };
  const assertAnswers = async () => {
    if (failure && performance.now() - failure.at < PAUSE_MS) throw failure.error;
    if (isPrepared && performance.now() - answeredAt < QUIET_MS) return;
    probing ??= probe();
    await probing;
  };
  const settle = (operation: Operation, started: number, cause?: unknown) => {
    const isFailed = cause !== undefined;
    countFlowStorageRequest(operation, isFailed ? 'failed' : 'ok', (performance.now() - started) / 1000);
    if (!isFailed || cause instanceof ClickHouseError) answeredAt = performance.now();
    else answeredAt = Number.NEGATIVE_INFINITY;
  };
  const guard =
    <A extends unknown[], T>(operation: Operation, work: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const started = performance.now();
      try {
        await assertAnswers();
        const answer = await work(...args);
        settle(operation, started);
        return answer;
      } catch (cause) {
        settle(operation, started, cause);
        throw toStorageError(cause, operation);
      }
    };
  return {
    read: guard('read', connection.read) as Connection['read'],
    run: guard('run', connection.run),
    insert: guard('insert', connection.insert),
    stream: async function* <T>(statement: Parameters<Connection['stream']>[0]) {
      const started = performance.now();
      try {
        await assertAnswers();
        yield* connection.stream<T>(statement);
        settle('stream', started);
      } catch (cause) {
        settle('stream', started, cause);
        throw toStorageError(cause, 'stream');
      }
    },
  };
}
