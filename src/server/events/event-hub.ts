import { LiveEvent, RESYNC_EVENT } from '@/domain/live-event';
import { logger } from '../lib/logger';
import { listen } from '../repositories/events';
import { EVENT_CHANNEL } from './publish-event';

export type HubMessage = LiveEvent | { type: typeof RESYNC_EVENT };
type Subscriber = (message: HubMessage) => void;

const subscribers = new Set<Subscriber>();
let listening: Promise<() => Promise<void>> | undefined;

function deliver(message: HubMessage): void {
  for (const subscriber of subscribers) subscriber(message);
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
  else logger.warn({ payload: payload.slice(0, 200) }, 'notification that is no event');
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
  listening ??= start();
  const attempt = listening;
  try {
    await attempt;
  } catch (error) {
    if (listening === attempt) listening = undefined;
    throw error;
  }
  subscribers.add(subscriber);
  return () => subscribers.delete(subscriber);
}

/** Stops listening; subscribers hear nothing any more. */
export async function closeEventHub(): Promise<void> {
  const stop = await listening?.catch(() => undefined);
  listening = undefined;
  subscribers.clear();
  await stop?.();
}
