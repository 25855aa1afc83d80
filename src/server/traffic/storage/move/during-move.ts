import { sqlClient } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { findPgError } from '../../../lib/pg-errors';
import { readStorageMark, type StorageEngine } from '../clickhouse/storage-mark';
import type { FlowStore } from '../flow-store';
import { type MoveProgress, readMoveProgress } from './move-record';

/** What the triggers of the tables of flows raise. */
const ELSEWHERE = 'FS001';
const RETRY_AFTER_SECONDS = 30;
/** Of what is not complete nothing settles: what settled before the switch has not been read yet where it is not moved. */
const NOTHING_SETTLES = new Date(0).toISOString();

const createRefusal = (message: string, cause?: unknown) =>
  new AppError('unavailable', message, {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    extra: { reason: 'flow_storage' },
  });

/** The move to the store that is read now; null: none, or it has not been switched to. */
async function findSwitchedMove(): Promise<MoveProgress | null> {
  const move = await readMoveProgress(sqlClient());
  return move?.is_switched ? move : null;
}

const RESTART: Record<StorageEngine, string> = {
  postgres: 'Restart this process with the CLICKHOUSE_URL of the others.',
  clickhouse: 'Restart this process without CLICKHOUSE_URL.',
};

/** A process that was not restarted since flows moved: agents keep their flows until it is. */
const createElsewhere = (engine: StorageEngine, cause?: unknown) =>
  createRefusal(
    `Flows are stored in another store since they were moved. Agents keep their flows. ${RESTART[engine]}`,
    cause,
  );

const refuseElsewhere =
  <A extends unknown[], T>(engine: StorageEngine, write: (...args: A) => Promise<T>) =>
  async (...args: A): Promise<T> => {
    try {
      return await write(...args);
    } catch (error) {
      if (findPgError(error)?.code !== ELSEWHERE) throw error;
      throw createElsewhere(engine, error);
    }
  };

/** What a store does not have now: as long as flows move to it, or when they are stored in the other one. */
async function findMissing(engine: StorageEngine) {
  const [mark, move] = await Promise.all([readStorageMark(sqlClient()), findSwitchedMove()]);
  const isElsewhere = mark !== null && mark !== engine;
  return {
    isElsewhere,
    flows_until: move?.flows_missing_until ?? null,
    totals: isElsewhere || move?.totals_missing_until != null,
    flows: isElsewhere || move?.flows_missing_until != null,
  };
}

/**
 * A store of flows to which flows may be moving, or from which they moved. Lists show what has arrived. What decides, or is read once and
 * never again, waits: a change's impact, suggestions and observations after a change, counts of rule hits, and forwarding.
 */
export function whileFlowsMove(store: FlowStore, engine: StorageEngine): FlowStore {
  const assertHere = async () => {
    if ((await findMissing(engine)).isElsewhere) throw createElsewhere(engine);
  };
  /** @throws AppError `unavailable` as long as flows have not moved: of a part of them the answer would be wrong */
  const assertComplete = async () => {
    const missing = await findMissing(engine);
    if (missing.isElsewhere) throw createElsewhere(engine);
    if (missing.flows_until === null) return;
    throw createRefusal(
      `Stored flows are being moved to another store: those of ${missing.flows_until.slice(0, 10)} and before are missing. Try again when all have moved (fabric doctor shows how far it is).`,
    );
  };
  const callAfter =
    <A extends unknown[], T>(check: () => Promise<void>, call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await check();
      return call(...args);
    };
  const streamWhenComplete = <A extends unknown[], T>(stream: (...args: A) => AsyncIterable<T>) =>
    async function* (...args: A): AsyncIterable<T> {
      await assertComplete();
      yield* stream(...args);
    };
  return {
    ...store,
    append: refuseElsewhere(engine, store.append),
    endFlows: refuseElsewhere(engine, store.endFlows),
    conversations: { ...store.conversations, pairs: callAfter(assertComplete, store.conversations.pairs) },
    settled: {
      ...store.settled,
      readClock: async () => {
        const [clock, missing] = await Promise.all([store.settled.readClock(), findMissing(engine)]);
        return missing.flows ? { ...clock, complete_until: NOTHING_SETTLES } : clock;
      },
    },
    replay: streamWhenComplete(store.replay),
    watch: callAfter(assertComplete, store.watch),
    hits: { ...store.hits, uncounted: streamWhenComplete(store.hits.uncounted) },
    upkeep: {
      // An hour is made of all that was reported of it.
      sum: async (signal) =>
        (await findMissing(engine)).totals ? { hours: 0, done: false } : store.upkeep.sum(signal),
      // Flows of a part that is joined now would arrive after that.
      settleConversations: async (signal) =>
        (await findMissing(engine)).flows ? { assigned: 0, joined: 0 } : store.upkeep.settleConversations(signal),
      // What moves stays as it is until both stores agree about it.
      resolveEnds: callAfter(assertHere, store.upkeep.resolveEnds),
      retain: callAfter(assertHere, store.upkeep.retain),
    },
  };
}
