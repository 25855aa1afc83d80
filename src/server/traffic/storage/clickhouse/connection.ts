import { Readable } from 'node:stream';
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client';
import { SECOND_MS } from '@/domain/durations';
import { AppError } from '../../../lib/errors';
import { processState } from '../../../lib/process-state';
import { type Part, toStatement } from './statement';

/** What all reads have in common. Counters are numbers; a row that is merged while it is read is filtered after that, not before. */
const READ_SETTINGS: ClickHouseSettings = {
  output_format_json_quote_64bit_integers: 0,
  optimize_move_to_prewhere_if_final: 0,
  use_skip_indexes_if_final: 0,
  do_not_merge_across_partitions_select_final: 1,
  max_query_size: String(64 * 1024 * 1024),
  join_use_nulls: 1,
};

/** These compare the expressions of a statement with each other, and all that is below them: half of its analysis, and they find nothing here. */
const ANALYSIS_SETTINGS: ClickHouseSettings = {
  optimize_and_compare_chain: 0,
  optimize_aggregators_of_group_by_keys: 0,
  optimize_redundant_functions_in_order_by: 0,
  optimize_extract_common_expressions: 0,
};

/**
 * A repeated batch adds nothing, in no table. All rows of one are in one block, so that each table gets them as a whole or not at all.
 */
const INSERT_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  min_insert_block_size_rows: '10000000',
  min_insert_block_size_bytes: '1000000000',
  max_insert_threads: '1',
  // Moved pages can reach over many days, and a conversation that lasts for months is stored with the day on which it began.
  max_partitions_per_insert_block: '0',
};

const REQUEST_TIMEOUT_MS = 60 * SECOND_MS;
const RETRY_AFTER_SECONDS = 30;
/** Agents send again after that time; pages show the reason without waiting. */
export const createOutage = (message: string, cause?: unknown): AppError =>
  new AppError('unavailable', message, {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    extra: { reason: 'flow_storage' },
  });
export const NOT_REACHABLE =
  'Flow storage (ClickHouse) is not reachable. Agents keep their flows. Check that ClickHouse runs, and CLICKHOUSE_URL.';

const kept = processState<{ clients: Map<string, ClickHouseClient> }>(() => ({ clients: new Map() }));

/** A ClickHouse, by its address. */
export type Connection = {
  /** @throws AppError `unavailable` when it does not answer */
  read: <T>(statement: Part) => Promise<T[]>;
  /** The same in parts, as they come. */
  stream: <T>(statement: Part) => AsyncIterable<T[]>;
  /** @param id no other statement with it may run at the same time */
  run: (statement: string, settings?: ClickHouseSettings, id?: string) => Promise<void>;
  /** Inserts a batch of rows, once, however often it is sent. `into` ends with the format. */
  insert: (into: string, batch: { name: string; blocks: readonly Buffer[] }) => Promise<void>;
};

/** What came instead of an answer; what ClickHouse says itself about a statement is a fault of this program. */
function toError(cause: unknown): unknown {
  if (cause instanceof ClickHouseError) return cause;
  // An answer with parts of a binary row in it, which the client does not recognize.
  const [, code] = (cause instanceof Error && /^Code: (\d+)\. DB::Exception/.exec(cause.message)) || [];
  if (code !== undefined) return new ClickHouseError({ message: (cause as Error).message, code });
  return createOutage(NOT_REACHABLE, cause);
}

async function reach<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw toError(cause);
  }
}

export function connectTo(url: string): Connection {
  const client = () => {
    let client = kept.clients.get(url);
    if (!client) {
      client = createClient({
        ...{ url, request_timeout: REQUEST_TIMEOUT_MS, application: 'fabric', clickhouse_settings: ANALYSIS_SETTINGS },
        // What fails is in the log of Fabric.
        log: { level: ClickHouseLogLevel.OFF },
      });
      kept.clients.set(url, client);
    }
    return client;
  };
  return {
    read: (statement) =>
      reach(
        client()
          .query({ ...toStatement(statement), format: 'JSONEachRow', clickhouse_settings: READ_SETTINGS })
          .then((answer) => answer.json()),
      ),
    stream: async function* <T>(statement: Part) {
      const answer = await reach(
        client().query({ ...toStatement(statement), format: 'JSONEachRow', clickhouse_settings: READ_SETTINGS }),
      );
      for await (const rows of answer.stream<T>()) yield rows.map((row) => row.json() as T);
    },
    run: async (query, settings, id) => {
      await reach(
        client().command({
          query,
          ...(settings && { clickhouse_settings: settings }),
          ...(id !== undefined && { query_id: id }),
        }),
      );
    },
    insert: async (into, { name, blocks }) => {
      const { stream } = await reach(
        client().exec({
          query: `INSERT INTO ${into}`,
          values: Readable.from(blocks, { objectMode: false }),
          clickhouse_settings: { ...INSERT_SETTINGS, insert_deduplication_token: name },
        }),
      );
      for await (const _ of stream) {
        // Nothing is answered; the connection is free when it was read to its end.
      }
    },
  };
}

export async function closeClickhouse(): Promise<void> {
  await Promise.all([...kept.clients.values()].map((client) => client.close()));
}
