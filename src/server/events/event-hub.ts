import { LiveEvent } from '@/domain/live-event';
import { RESYNC_EVENT } from '@/domain/page-limits';
import type { Executor } from '../db/client';
import { logger } from '../lib/logger';
import { processState } from '../lib/process-state';
import { listen, notify } from './queries/events';

export const EVENT_CHANNEL = 'fabric_events';

/** Tells all web processes of a change, at the moment when the transaction that makes it commits. */
export async function publishEvent(tx: Executor, event: LiveEvent): Promise<void> {
  await notify(tx, EVENT_CHANNEL, JSON.stringify(event));
}

export type HubMessage = LiveEvent | { type: typeof RESYNC_EVENT };
type Subscriber = (message: HubMessage) => void;

type State = { subscribers: Set<Subscriber>; listening: Promise<() => Promise<void>> | undefined };
const state = processState<State>(() => ({ subscribers: new Set(), listening: undefined }));

function deliver(message: HubMessage): void {
  for (const subscriber of state.subscribers) subscriber(message);
}

function receive(payload: string): void {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    value = null;
  }
  const event = LiveEvent.safeParse(value);
  if (event.success) deliver(event.data);
  else logger.warn({ payload: payload.slice(0, 200) }, 'expected the notification to be an event');
}

async function start(): Promise<() => Promise<void>> {
  let first = true;
  return listen(EVENT_CHANNEL, receive, () => {
    if (!first) deliver({ type: RESYNC_EVENT });
    first = false;
  });
}

/**
 * Calls back with every event of the installation until the returned function is called. All subscribers of a process
 * share one database connection, which is opened with the first of them.
 * @throws the driver's error when listening cannot begin
 */
export async function subscribe(subscriber: Subscriber): Promise<() => void> {
  state.listening ??= start();
  const attempt = state.listening;
  try {
    await attempt;
  } catch (error) {
    if (state.listening === attempt) state.listening = undefined;
    throw error;
  }
  state.subscribers.add(subscriber);
  return () => state.subscribers.delete(subscriber);
}

/** Stops listening; subscribers hear nothing any more. */
export async function closeEventHub(): Promise<void> {
  const stop = await state.listening?.catch(() => undefined);
  state.listening = undefined;
  state.subscribers.clear();
  await stop?.();
}
