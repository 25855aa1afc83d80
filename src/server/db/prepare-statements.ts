import type postgres from 'postgres';
import { processState } from '../lib/process-state';

/** A statement is prepared when its text comes up for this many times. */
const OFTEN = 3;
/** Prepared texts of the process: each connection keeps those that it ran, in its own memory and in that of the database. */
const MOST_PREPARED = 250;
/** Texts that are counted. Those with a list of values in them rarely come twice. */
const MOST_COUNTED = 4_000;

const texts = processState(() => ({ counts: new Map<string, number>(), prepared: new Set<string>() }));

/** Whether the text is one of those that come up again and again. */
function isFrequent(text: string): boolean {
  const { counts, prepared } = texts;
  if (prepared.has(text)) return true;
  if (prepared.size >= MOST_PREPARED) return false;
  const count = (counts.get(text) ?? 0) + 1;
  if (count < OFTEN) {
    if (counts.size >= MOST_COUNTED) counts.clear();
    counts.set(text, count);
    return false;
  }
  counts.delete(text);
  prepared.add(text);
  return true;
}

type Unsafe = postgres.Sql['unsafe'];

/**
 * Has statements prepared that come up again and again: a prepared one goes to the database without its text, in one message instead of
 * two that wait for each other, and is parsed once for each connection. It is planned for its values each time
 * (`plan_cache_mode`). Drizzle asks for it to be prepared only where a statement has a name.
 */
export const prepareFrequent = (unsafe: Unsafe): Unsafe =>
  ((text, parameters, options) =>
    unsafe(
      text,
      parameters,
      options?.prepare === false ? { ...options, prepare: isFrequent(text) } : options,
    )) as Unsafe;
