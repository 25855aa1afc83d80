import type { Session } from '../auth/scope';
import { cache } from '../lib/cache';

/** For so long an answer is given to others who ask the same and may see the same: it is at most this much older than their question. */
const SHARED_MS = 2_000;
/** Ranges move on with the time, so that older answers are asked for by few. */
const MOST_KEPT = 64;

const answers = cache<Promise<unknown>, number>({
  name: 'shared_answers',
  maxEntries: MOST_KEPT,
  isFresh: (kept, asked) => asked - kept < SHARED_MS,
});

/**
 * The answer to a question about everything that the caller may see, such as the dashboard: people with equal permissions who ask it at
 * the same time get one answer. Failures are not shared with those who ask later.
 * @param asked what is asked, as it was sent
 */
export function shareAnswer<T>(session: Session, path: string, asked: unknown, answer: () => Promise<T>): Promise<T> {
  const { grants, api_token, must_enrol } = session;
  // Everything on which the reach of any permission depends.
  const key = JSON.stringify([path, grants, api_token, must_enrol, asked]);
  return answers.load(key, performance.now(), answer) as Promise<T>;
}
