import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { normalizePassword } from '@/domain/auth-password';
import { AppError } from '../lib/errors';
import { logger } from '../lib/logger';

/** argon2id: 64 MiB, three passes, one lane. docs/decisions/0020 has the measurements. */
const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 } as const;
const PREFIX = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/** Hashes computed at once: more would only take threads from file and DNS work and memory from everything. */
const AT_ONCE = 2;
const WAITING = 100;

let running = 0;
const queue: (() => void)[] = [];

/** Runs one hash computation when its turn comes. @throws AppError `unavailable` when too many wait already. */
async function inTurn<T>(compute: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (queue.length >= WAITING) {
      throw new AppError('unavailable', 'Too many people sign in at this moment. Try again in a few seconds.', {
        retryAfterSeconds: 5,
      });
    }
    // Whoever finishes hands its place over, so the count stays as it is.
    await new Promise<void>((resolve) => queue.push(resolve));
  } else running += 1;
  try {
    return await compute();
  } finally {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  }
}

/** The argon2id hash of a new password, in PHC format. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(normalizePassword(password), COST));
}

let dummy: Promise<string> | undefined;

/**
 * Whether the password is the one behind the stored hash. Without a hash (no such account) the same work is done for
 * nothing and the answer is no, so that the time tells nothing.
 */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  dummy ??= hash(randomBytes(32).toString('hex'), COST);
  const against = stored ?? (await dummy);
  const matches = await inTurn(async () => {
    try {
      return await verify(against, normalizePassword(password));
    } catch (error) {
      logger.error({ err: error }, 'a stored password hash cannot be read');
      return false;
    }
  });
  return stored !== null && matches;
}

/** Whether a hash was made with other costs than those of today; the next sign-in then renews it. */
export const isOutdatedHash = (stored: string): boolean => !stored.startsWith(PREFIX);
