import { computeReach, type Permission } from '@/domain/permissions';
import type { Session } from '../auth/scope';
import { cache } from '../lib/cache';

/** Ranges move on with the time, so that few request older answers. */
const MOST_KEPT = 64;

const answers = cache<Promise<unknown>, { readonly at: number; readonly seconds: number }>({
  name: 'shared_answers',
  maxEntries: MOST_KEPT,
  isFresh: (kept, { at, seconds }) => at - kept.at < seconds * 1_000,
});

/** For how many seconds an answer is shared, and all permissions on which it depends: it is shared where these reach the same. */
export type Sharing = { readonly seconds: number; readonly permissions: readonly Permission[] };

/**
 * The answer to a question about everything that the caller may see, such as the dashboard: people who may see the same and ask the same
 * within some seconds get one answer. A failure is not given to those who ask later.
 * @param asked what is asked, as it was sent
 */
export function shareAnswer<T>(
  { grants, api_token }: Session,
  path: string,
  asked: unknown,
  { seconds, permissions }: Sharing,
  answer: () => Promise<T>,
): Promise<T> {
  const reach = permissions.map((permission) => computeReach(grants, permission));
  const key = JSON.stringify([path, reach, api_token, asked]);
  return answers.load(key, { at: performance.now(), seconds }, answer) as Promise<T>;
}

/** For tests of what one may learn of another: each of their questions is answered from the start. */
export const forgetSharedAnswers = (): void => answers.clear();
