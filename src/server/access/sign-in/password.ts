import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import argon2 from '@node-rs/argon2';
import { normalizePassword } from '@/domain/auth-password';
import { FairGate } from '../../admission/fair-gate';
import { logger } from '../../lib/logger';
import { processState } from '../../lib/process-state';
import type { PasswordAsker } from './password-asker';

/** argon2id: 64 MiB, three passes, one lane. docs/decisions/access.md (0020) has the measurements. */
const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 } as const;
const PREFIX = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/**
 * Hashes computed at once: more would only take threads from file and DNS work and memory from everything, and all processors from everybody.
 * Source addresses take turns, so whoever tries many accounts waits for itself.
 */
const state = processState(() => ({
  gate: new FairGate(
    {
      running: Math.min(2, Math.max(1, availableParallelism() - 1)),
      per_tenant: 1,
      per_account: 1,
      waiting_per_tenant: 20,
      waiting_per_account: 5,
      wait_ms: 10_000,
    },
    {
      queue_full: 'Too many passwords of this address or account are being checked. Try again in a few seconds.',
      waited_too_long: 'Too many passwords are being checked. Try again in a few seconds.',
    },
  ),
  /** A hash that nothing matches. */
  dummy: undefined as Promise<string> | undefined,
}));

/**
 * After a wrong password its source rests for this many times as long as the check took: a flood from one address then takes a third of a
 * processor, and the answer does not wait.
 */
const REST_PER_CHECK = 2;
const MAX_REST_MS = 200;
/** The program itself: the first administrator, the command line. */
const INSIDE: PasswordAsker = { source: 'inside', account: 'inside' };

/**
 * Runs one hash computation when its turn comes. An account counts for each source by itself: a flood elsewhere must not keep its owner
 * out.
 * @throws AppError `too_many_requests` when too many of the source wait already
 */
const inTurn = <T>(
  { source, account }: PasswordAsker,
  compute: () => Promise<T>,
  restMs?: (result: T) => number,
): Promise<T> => state.gate.run({ tenant: source, account: `${source} ${account}` }, null, compute, restMs);

/** The argon2id hash of a new password, in PHC format. */
export function hashPassword(password: string, asker = INSIDE): Promise<string> {
  return inTurn(asker, () => argon2.hash(normalizePassword(password), COST));
}

/**
 * Whether the password is the one behind the stored hash. Without a hash (no such account) the same work is done for
 * nothing and the answer is no, so that the time tells nothing.
 */
export async function verifyPassword(stored: string | null, password: string, asker = INSIDE): Promise<boolean> {
  state.dummy ??= argon2.hash(randomBytes(32).toString('hex'), COST);
  const against = stored ?? (await state.dummy);
  let took = 0;
  const check = async () => {
    const started = performance.now();
    try {
      return await argon2.verify(against, normalizePassword(password));
    } catch (error) {
      logger.error({ err: error }, 'a stored password hash cannot be read');
      return false;
    } finally {
      took = performance.now() - started;
    }
  };
  const matches = await inTurn(asker, check, (right) => (right ? 0 : Math.min(REST_PER_CHECK * took, MAX_REST_MS)));
  return stored !== null && matches;
}

/** Whether a hash was made with other costs than those of today; the next sign-in then renews it. */
export const isOutdatedHash = (stored: string): boolean => !stored.startsWith(PREFIX);
