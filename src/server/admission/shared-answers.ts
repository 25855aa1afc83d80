import { computeReach, type Permission } from '@/domain/permissions';
import type { Session } from '../auth/scope';
import { cache } from '../lib/cache';

/** Ranges move on with the time, so that few request older answers. */
const MOST_KEPT = 64;

type Version = readonly unknown[];
type Seal = { readonly at: number; readonly seconds: number; readonly version: Version };
const isPast = (kept: Seal, { at }: Seal) => at - kept.at >= kept.seconds * 1_000;
const answers = cache<Promise<unknown>, Seal>({
  name: 'shared_answers',
  maxEntries: MOST_KEPT,
  isFresh: (kept, asked) => asked.version.every((part, i) => part === kept.version[i]) && !isPast(kept, asked),
  // A large map is 12 MiB.
  isOver: isPast,
});

export type Sharing = {
  /** For so long an answer is shared: what only heartbeats change, and when guests were read, may be this old. */
  readonly seconds: number;
  /** All permissions on which the answer depends: it is shared where these reach the same. */
  readonly permissions: readonly Permission[];
  /** Other values or objects whenever anything else changed on which the answer depends: who changes something sees it immediately. */
  readonly version: () => Promise<Version>;
  /** What the answer depends on of what is asked, if not on all of it. */
  readonly question?: (asked: unknown) => unknown;
};

/**
 * The answer to a question about everything that the caller may see, such as the dashboard: people who may see the same and ask the same
 * within some seconds get one answer. A failure is not given to those who ask later.
 * @param asked what is asked, as it was sent
 */
export async function shareAnswer<T>(
  { grants, api_token }: Session,
  path: string,
  asked: unknown,
  sharing: Sharing,
  answer: () => Promise<T>,
): Promise<T> {
  const { seconds, permissions } = sharing;
  // Before the answer is made: a change in between is then noticed by those who ask next.
  const version = await sharing.version();
  const reach = permissions.map((permission) => computeReach(grants, permission));
  const key = JSON.stringify([path, reach, api_token, sharing.question ? sharing.question(asked) : asked]);
  return answers.load(key, { at: performance.now(), seconds, version }, answer) as Promise<T>;
}

/** For tests of what one may learn of another: each of their questions is answered from the start. */
export const forgetSharedAnswers = (): void => answers.clear();
