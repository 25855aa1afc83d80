import type { Session } from '../auth/scope';
import { AppError } from '../lib/errors';
import { processState } from '../lib/process-state';
import { type HubMessage, subscribe } from './event-hub';
import { needsPeriodicResync, visibleEvent } from './visible-event';

export const HEARTBEAT_MS = 15_000;
/**
 * After this many heartbeats a tenant's pages read again what clusters share: changes to it are not reported when
 * they happen.
 */
export const BEATS_PER_RESYNC = 4;
/** Browser tabs and scripts of one user; more than this is a client that leaks connections. */
export const MAX_STREAMS_PER_USER = 20;
/** Messages queued for a slow reader before it is asked to reconnect. */
const MAX_WAITING = 256;

const state = processState(() => ({ open: new Map<string, number>() }));

type Options = {
  /** Aborts when the client has gone. */
  signal: AbortSignal;
  /** The session as it is now; rejects or gives null when it has ended. Asked at every heartbeat. */
  currentSession: () => Promise<Session | null>;
  heartbeatMs?: number;
};

const encoder = new TextEncoder();
const frame = (message: HubMessage) => encoder.encode(`event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`);

/**
 * The events that the session may see, as a `text/event-stream` body with a comment as heartbeat. It ends when the
 * client goes, when the session ends, or when the client reads too slowly; clients then connect again.
 * @throws AppError `too_many_requests` when the user has too many open, `unavailable` when the database is not there
 */
export async function openEventStream(session: Session, options: Options): Promise<ReadableStream<Uint8Array>> {
  const { open } = state;
  const userId = session.user.id;
  if ((open.get(userId) ?? 0) >= MAX_STREAMS_PER_USER) {
    throw new AppError(
      'too_many_requests',
      `At most ${MAX_STREAMS_PER_USER} event streams per user. Close one first.`,
      {
        retryAfterSeconds: 30,
      },
    );
  }
  open.set(userId, (open.get(userId) ?? 0) + 1);
  let current = session;
  let ended = false;
  let beats = 0;
  let heartbeat: NodeJS.Timeout | undefined;
  let unsubscribe: (() => void) | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  const end = () => {
    if (ended) return;
    ended = true;
    clearInterval(heartbeat);
    unsubscribe?.();
    options.signal.removeEventListener('abort', end);
    const left = (open.get(userId) ?? 1) - 1;
    if (left > 0) open.set(userId, left);
    else open.delete(userId);
    try {
      controller?.close();
    } catch {
      // The reader has cancelled the stream already.
    }
  };
  const send = (chunk: Uint8Array) => {
    if (ended || !controller) return;
    if ((controller.desiredSize ?? 0) <= 0) end();
    else controller.enqueue(chunk);
  };
  const beat = async () => {
    const now = await options.currentSession().catch(() => null);
    if (!now) return end();
    current = now;
    send(encoder.encode(': alive\n\n'));
    beats += 1;
    if (beats % BEATS_PER_RESYNC === 0 && needsPeriodicResync(current.grants)) send(frame({ type: 'resync' }));
  };

  const stream = new ReadableStream<Uint8Array>(
    {
      start(made) {
        controller = made;
        // Send something immediately: proxies and clients then know that the stream is open.
        send(encoder.encode(': open\n\n'));
      },
      cancel: end,
    },
    { highWaterMark: MAX_WAITING },
  );
  try {
    unsubscribe = await subscribe((message) => {
      const visible = visibleEvent(current.grants, userId, message);
      if (visible) send(frame(visible));
    });
  } catch (cause) {
    end();
    throw new AppError('unavailable', 'Live events are temporarily unavailable. Try again in a moment.', {
      cause,
      retryAfterSeconds: 5,
    });
  }
  if (options.signal.aborted) end();
  else options.signal.addEventListener('abort', end, { once: true });
  if (ended) unsubscribe();
  else heartbeat = setInterval(() => void beat(), options.heartbeatMs ?? HEARTBEAT_MS);
  return stream;
}
