/** One event of a `text/event-stream`. */
export type ServerEvent = { type: string; data: string; id: string };

/**
 * A parser for server-sent events (WHATWG HTML, 9.2.6): feed it text in any pieces, it calls back with whole events.
 * Comments only tell that the connection lives. An event larger than `limit` characters is an error, not memory.
 */
export function makeEventParser(onEvent: (event: ServerEvent) => void, limit = 1_000_000) {
  let rest = '';
  let type = '';
  let id = '';
  let data: string[] = [];
  let afterReturn = false;
  const line = (text: string) => {
    if (text === '') {
      if (data.length > 0) onEvent({ type: type || 'message', data: data.join('\n'), id });
      type = '';
      data = [];
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') type = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
  };
  return (chunk: string) => {
    // A line feed that follows a carriage return in the chunk before belongs to it.
    rest += afterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    afterReturn = chunk.endsWith('\r');
    const lines = rest.split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const text of lines) line(text);
    if (rest.length + data.reduce((sum, text) => sum + text.length, 0) > limit) throw new Error('event too large');
  };
}

export type StreamDeps = {
  /** Opens the stream; `lastId` is the id of the newest event seen. */
  open: (lastId: string, signal: AbortSignal) => Promise<Response>;
  onEvent: (event: ServerEvent) => void;
  /** Called each time the stream is open. After a gap events may have been missed. */
  onOpen: () => void;
  /** Called when it is not, with the milliseconds until the next try. */
  onLost: (delay: number) => void;
  /** Resolves after the time, or immediately when aborted. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  random?: () => number;
};

/** The service sends a comment every 15 s; this much silence means a dead connection. */
export const SILENCE_MS = 45_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/**
 * Keeps an event stream open until `signal` aborts: reconnects with growing, jittered delays, which reset once a
 * connection has delivered data. Returns when the service refuses the session (401, 403): a retry cannot help.
 */
export async function followEvents(deps: StreamDeps, signal: AbortSignal): Promise<void> {
  const random = deps.random ?? Math.random;
  let lastId = '';
  let failures = 0;
  while (!signal.aborted) {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    signal.addEventListener('abort', stop, { once: true });
    let silence: ReturnType<typeof setTimeout> | undefined;
    try {
      const response = await deps.open(lastId, attempt.signal);
      if (response.status === 401 || response.status === 403) return;
      if (!response.ok || !response.body) throw new Error(`events: status ${response.status}`);
      deps.onOpen();
      const feed = makeEventParser((event) => {
        if (event.id) lastId = event.id;
        deps.onEvent(event);
      });
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      for (;;) {
        clearTimeout(silence);
        silence = setTimeout(stop, SILENCE_MS);
        const { done, value } = await reader.read();
        if (done) break;
        failures = 0;
        feed(decoder.decode(value, { stream: true }));
      }
    } catch {
      // Every failure has the same remedy: connect again.
    } finally {
      clearTimeout(silence);
      attempt.abort();
      signal.removeEventListener('abort', stop);
    }
    if (signal.aborted) return;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS) * (0.5 + random() / 2);
    failures += 1;
    deps.onLost(delay);
    await deps.wait(delay, signal);
  }
}
