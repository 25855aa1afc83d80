import { sqlClient } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { findPgError } from '../../../lib/pg-errors';
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

const areFlowsMissing = async () => (await findSwitchedMove())?.flows_missing_until != null;

/** @throws AppError `unavailable` as long as flows have not moved: of a part of them the answer would be wrong */
async function assertFlowsMoved(): Promise<void> {
  const until = (await findSwitchedMove())?.flows_missing_until;
  if (until == null) return;
  throw createRefusal(
    `Stored flows are being moved to another store: those of ${until.slice(0, 10)} and before are missing. Try again when all have moved (fabric doctor shows how far it is).`,
  );
}

const callWhenMoved =
  <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
  async (...args: A): Promise<T> => {
    await assertFlowsMoved();
    return call(...args);
  };

const streamWhenMoved = <A extends unknown[], T>(stream: (...args: A) => AsyncIterable<T>) =>
  async function* (...args: A): AsyncIterable<T> {
    await assertFlowsMoved();
    yield* stream(...args);
  };

/** A process that has another address of the store than the others: agents keep their flows until it is restarted. */
const refuseElsewhere =
  <A extends unknown[], T>(write: (...args: A) => Promise<T>) =>
  async (...args: A): Promise<T> => {
    try {
      return await write(...args);
    } catch (error) {
      if (findPgError(error)?.code !== ELSEWHERE) throw error;
      throw createRefusal(
        'Flows are stored in another store since they were moved. Agents keep their flows. Restart this process with the CLICKHOUSE_URL of the others.',
        error,
      );
    }
  };

/**
 * A store of flows to which flows may be moving. Lists show what has arrived. What decides, or is read once and never again, waits: a
 * change's impact, suggestions and observations after a change, counts of rule hits, and forwarding.
 */
export const whileFlowsMove = (store: FlowStore): FlowStore => ({
  ...store,
  append: refuseElsewhere(store.append),
  endFlows: refuseElsewhere(store.endFlows),
  conversations: { ...store.conversations, pairs: callWhenMoved(store.conversations.pairs) },
  settled: {
    ...store.settled,
    readClock: async () => {
      const [clock, isMissing] = await Promise.all([store.settled.readClock(), areFlowsMissing()]);
      return isMissing ? { ...clock, complete_until: NOTHING_SETTLES } : clock;
    },
  },
  replay: streamWhenMoved(store.replay),
  watch: callWhenMoved(store.watch),
  hits: { ...store.hits, uncounted: streamWhenMoved(store.hits.uncounted) },
  upkeep: {
    ...store.upkeep,
    // An hour is made of all that was reported of it.
    sum: async (signal) => {
      const missing = (await findSwitchedMove())?.totals_missing_until != null;
      return missing ? { hours: 0, done: false } : store.upkeep.sum(signal);
    },
    // Flows of a part that is joined now would arrive after that.
    settleConversations: async (signal) =>
      (await areFlowsMissing()) ? { assigned: 0, joined: 0 } : store.upkeep.settleConversations(signal),
  },
});
