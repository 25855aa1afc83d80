import { setTimeout as delay } from 'node:timers/promises';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { logger } from '../../lib/logger';
import { processState } from '../../lib/process-state';
import { storedSettings } from '../../settings/settings';
import { retainAgents } from '../queries/agents';
import type { Learned } from '../storage/flow-rows';
import { flowStore, type Retained, type WalkPosition } from '../storage/flow-store';
import { type AddressBook, addressBook } from './address-book';
import { endResolver } from './end-resolver';

/**
 * Updates the traffic aggregates, of all that was reported: what no heartbeat waits for is brought to where reads find it.
 * @returns how many hours were computed, and whether nothing was left
 */
export async function sumTraffic(signal?: AbortSignal): Promise<{ hours: number; done: boolean }> {
  await flowStore().deliver(null);
  return flowStore().upkeep.sum(signal);
}

/**
 * Deletes telemetry that is older than its retention or whose node is gone. Safe to run at any time, concurrently, and
 * to interrupt.
 * @returns how many rows of each were deleted
 */
export async function retainTelemetry(
  signal?: AbortSignal,
): Promise<Retained & Awaited<ReturnType<typeof retainAgents>>> {
  const now = clock.now().getTime();
  const { flow_retention_hours: flow_hours } = await storedSettings(db);
  signal?.throwIfAborted();
  const done = {
    ...(await flowStore().upkeep.retain({ now, flow_hours }, signal)),
    ...(await retainAgents(now, signal)),
  };
  logger.info(done, 'telemetry retention applied');
  return done;
}

/** A run takes at most about this long; the next one continues where it ended. */
const BUDGET_MS = 5_000;
/** Other processes may still store by the book before for so long. */
const SETTLE_MS = 5_000;

/** A walk through everything that is stored with ends. */
type Walk = { learned: Learned | null; startedAt: number; position: WalkPosition | null };

type State = {
  /** The book by which everything that is stored was resolved, or will be when the walk has ended. */
  applied: AddressBook | undefined;
  walk: Walk | undefined;
};
const state = processState<State>(() => ({ applied: undefined, walk: undefined }));

/** Begins a walk when the inventory knows more than what is stored was resolved by; one that is under way begins again. */
function begin(book: AddressBook, settleMs: number): void {
  if (book === state.applied) return;
  const gained = state.applied ? book.gainedSince(state.applied) : null;
  const isFirst = state.applied === undefined;
  state.applied = book;
  if (!isFirst && gained && gained.networks.length === 0 && gained.vmids.length === 0) return;
  const known = state.walk?.learned;
  const learned =
    isFirst || state.walk?.learned === null || !gained
      ? null
      : {
          networks: [...new Set([...(known?.networks ?? []), ...gained.networks])],
          vmids: [...new Set([...(known?.vmids ?? []), ...gained.vmids])],
        };
  state.walk = { learned, startedAt: performance.now() + (isFirst ? 0 : settleMs), position: null };
}

/**
 * Fills in ends of stored flows, and of aggregates computed from them, that were unknown when stored and that the
 * inventory knows by now, by the same rules by which heartbeats are stored; before that, joins conversations of which
 * ends became known. Works step by step for some seconds; the next run continues. Safe to interrupt at any time and to run concurrently.
 * @returns how many rows, and whether nothing is left
 */
export async function resolveFlowEnds(
  signal?: AbortSignal,
  settleMs = SETTLE_MS,
): Promise<{ filled: number; done: boolean }> {
  const started = performance.now();
  const book = await addressBook();
  begin(book, settleMs);
  let filled = 0;
  await flowStore().upkeep.settleConversations(signal);
  if (!state.walk || state.walk.startedAt > started) return { filled, done: state.walk === undefined };
  for (;;) {
    signal?.throwIfAborted();
    const stepStarted = performance.now();
    const step = await flowStore().upkeep.resolveEnds(endResolver(book), state.walk.learned, state.walk.position);
    filled += step.filled;
    if (step.position === null) {
      state.walk = undefined;
      return { filled, done: true };
    }
    state.walk.position = step.position;
    const now = performance.now();
    if (now - started > BUDGET_MS) return { filled, done: false };
    await delay(now - stepStarted, undefined, { signal }).catch(() => undefined);
  }
}
