import { clock } from './clock';
import { logger } from './logger';
import { processState } from './process-state';

/** One refused call, as text that holds no secret: no address as it was sent, no input, no header. */
export type Refusal = {
  request_id: string;
  source_address: string | null;
  /** The caller, if known; null: unknown. */
  actor_id: string | null;
  surface: 'rest' | 'trpc';
  method: string;
  /** Pattern of the route or name of the procedure. */
  path: string;
  status: number;
  code: string;
};

/** Answers that say "you may not": not signed in, not permitted, too often. */
const STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

const WINDOW_MS = 60_000;
/** Lines a minute: of one source, of all together. A flood is some 100 KB a minute and process at most. */
const PER_SOURCE = 20;
const ALTOGETHER = 300;
/** Sources counted at the same time. Those beyond share one count. */
const SOURCES = 1000;

type Window = { until: number; lines: number; left_out: number; sources: Map<string, number> };
const beginning = (until: number): Window => ({ until, lines: 0, left_out: 0, sources: new Map() });
const state = processState(() => ({ window: beginning(0) }));

/** Begins a new minute where one is over, and says what the last one left out. */
function currentWindow(): Window {
  const now = clock.now().getTime();
  // A clock that was put back must not make a minute last for hours.
  const { window } = state;
  if (now < window.until && window.until - now <= WINDOW_MS) return window;
  if (window.left_out > 0) logger.warn({ left_out: window.left_out }, 'further refused requests are not logged');
  state.window = beginning(now + WINDOW_MS);
  return state.window;
}

/** Counts a line of this source. @returns whether it may still be written */
function mayWrite(source: string): boolean {
  const current = currentWindow();
  const key = current.sources.has(source) || current.sources.size < SOURCES ? source : 'others';
  const lines = (current.sources.get(key) ?? 0) + 1;
  current.sources.set(key, lines);
  if (lines > PER_SOURCE || current.lines >= ALTOGETHER) {
    current.left_out += 1;
    return false;
  }
  current.lines += 1;
  return true;
}

/**
 * Logs a call answered with 401, 403 or 429; every other status is ignored. A source gets 20 lines per minute, all
 * together 300; the number of omitted lines is logged when the next call after that minute is refused.
 */
export function noteRefusal(refusal: Refusal): void {
  if (!STATUSES.has(refusal.status) || !mayWrite(refusal.source_address ?? 'unknown')) return;
  // Browsers routinely call with a token that has just expired; the other two statuses need attention.
  const level = refusal.status === 401 ? 'info' : 'warn';
  logger[level](refusal, 'request refused');
}
