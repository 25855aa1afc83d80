import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import argon2 from '@node-rs/argon2';
import { normalizePassword } from '@/domain/auth-password';
import { FairGate } from '../../admission/fair-gate';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { logger } from '../../lib/logger';
import { processState } from '../../lib/process-state';
import type { PasswordAsker } from './checks';

/** argon2id: 64 MiB, three passes, one lane. docs/decisions/access.md (0020) has the measurements. */
export const PASSWORD_COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };

/**
 * Hashes computed concurrently: more would only take threads from file and DNS work, memory from everything and all
 * processors from everyone. Source addresses take turns, so a client that tries many accounts delays only itself.
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
      queue_full: 'Too many password checks for this address or account. Try again in a few seconds.',
      waited_too_long: 'Too many password checks at the same time. Try again in a few seconds.',
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
const withHashSlot = <T>(
  { source, account }: PasswordAsker,
  compute: () => Promise<T>,
  restMs?: (result: T) => number,
): Promise<T> => state.gate.run({ tenant: source, account: `${source} ${account}` }, null, compute, restMs);

/** The argon2id hash of a new password, in PHC format. */
export function hashPassword(password: string, asker = INSIDE): Promise<string> {
  return withHashSlot(asker, () => argon2.hash(normalizePassword(password), PASSWORD_COST));
}

/**
 * Whether the password matches the stored hash. Without a hash (no such account) the same work is done for nothing and
 * the answer is no, so that the time reveals nothing.
 */
export async function verifyPassword(stored: string | null, password: string, asker = INSIDE): Promise<boolean> {
  state.dummy ??= argon2.hash(randomBytes(32).toString('hex'), PASSWORD_COST);
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
  const matches = await withHashSlot(asker, check, (right) =>
    right ? 0 : Math.min(REST_PER_CHECK * took, MAX_REST_MS),
  );
  return stored !== null && matches;
}

/** Whether a hash was made with other costs than those of today; the next sign-in then renews it. */
export function isOutdatedHash(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = PASSWORD_COST;
  return !stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
}

/** A line is 40 hexadecimal digits, a colon and a count. */
const HASH_LENGTH = 40;
/** Longer than any two lines. */
const WINDOW_BYTES = 256;

/** The hash of the first line that begins at or behind an offset, and where it begins; null behind the last one. */
async function readLineFrom(file: FileHandle, offset: number): Promise<{ hash: string; at: number } | null> {
  // From one byte before: a line that begins exactly at the offset counts, too.
  const from = Math.max(0, offset - 1);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(WINDOW_BYTES), 0, WINDOW_BYTES, from);
  const text = buffer.toString('latin1', 0, bytesRead);
  const start = offset === 0 ? 0 : text.indexOf('\n') + 1;
  if (offset !== 0 && start === 0) return null;
  const hash = text.slice(start, start + HASH_LENGTH).toUpperCase();
  if (hash === '') return null;
  if (!/^[0-9A-F]{40}$/.test(hash)) throw new Error(`expected a SHA-1 hash at byte ${from + start}`);
  return { hash, at: from + start };
}

/**
 * Whether a password is in a file of breached ones: lines `SHA1:COUNT`, sorted by hash, as Have I Been Pwned offers them. Searched by
 * bisection, so its 40 GB are neither loaded nor read through: some 30 reads of 256 bytes.
 * @throws Error when the file cannot be read or has another format
 */
export async function isBreachedPassword(path: string, password: string): Promise<boolean> {
  const requested = createHash('sha1').update(normalizePassword(password), 'utf8').digest('hex').toUpperCase();
  const file = await open(path, 'r');
  try {
    let low = 0;
    let high = (await file.stat()).size;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const line = await readLineFrom(file, middle);
      if (line === null || line.hash > requested) high = middle;
      else if (line.hash === requested) return true;
      else low = line.at + HASH_LENGTH;
    }
    return false;
  } finally {
    await file.close();
  }
}

/** Shorter parts say nothing about how easily the whole is guessed. */
const LEAST_PART = 3;
const LEAST_WORD = 4;
/** A year, a row of digits, some signs. */
const MOST_AROUND = 8;

/** Characters that replace letters, as people and guessing programs use them. */
const LETTERS: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
};
const unmaskLetters = (text: string) => text.replace(/[@4310!5$7]/g, (sign) => LETTERS[sign] ?? sign);

let loaded: Promise<ReadonlySet<string>> | undefined;

/** The list is large, and most processes never see a new password: it is loaded with the first one. */
function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((word) => word.toLowerCase())),
  );
  return loaded;
}

/** Whether the text is listed, or two listed ones put together. */
function isListedCombination(listed: ReadonlySet<string>, text: string): boolean {
  if (listed.has(text)) return true;
  for (let at = LEAST_PART; at <= text.length - LEAST_PART; at += 1) {
    if (listed.has(text.slice(0, at)) && listed.has(text.slice(at))) return true;
  }
  return false;
}

/**
 * Whether a new password is a common one: among the 49,000 of `@zxcvbn-ts/language-common`, two of them put together
 * (`dragonmonkey`), or either with up to eight digits and signs around (`Summer2026!`) or for letters (`P@ssw0rd`). Case does
 * not matter.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const plain = normalizePassword(password).toLowerCase();
  const listed = await loadCommonPasswords();
  if (isListedCombination(listed, plain)) return true;
  const core = plain.replace(/^[^\p{Letter}]+|[^\p{Letter}]+$/gu, '');
  if (core.length < LEAST_WORD || plain.length - core.length > MOST_AROUND) return false;
  return isListedCombination(listed, core) || isListedCombination(listed, unmaskLetters(core));
}

async function isListed(path: string, password: string): Promise<boolean> {
  try {
    return await isBreachedPassword(path, password);
  } catch (cause) {
    logger.error({ err: cause }, 'cannot read the list of breached passwords');
    // Accepting the password unchecked would disable the check where an administrator relies on it.
    throw new AppError(
      'unavailable',
      'Cannot read the list of breached passwords. A server administrator must correct FABRIC_BREACHED_PASSWORDS.',
      { cause },
    );
  }
}

/**
 * The hash of a new password, unless it is a common or, where there is a list, a breached one. The schema
 * (`NewPassword`) checks the other requirements, also in the browser, which does not get the list of common ones.
 * @param field the input field of the password
 * @throws AppError `malformed` naming the field; `unavailable` when the list of breached passwords cannot be read
 */
export async function hashNewPassword(password: string, field: string, asker?: PasswordAsker): Promise<string> {
  if (await isCommonPassword(password)) {
    const message = 'This password is too common. Choose another one.';
    throw new AppError('malformed', message, { errors: [{ field, message }] });
  }
  const list = env().FABRIC_BREACHED_PASSWORDS;
  if (list !== undefined && (await isListed(list, password))) {
    const message = 'This password appears in a known data breach. Choose another one.';
    throw new AppError('malformed', message, { errors: [{ field, message }] });
  }
  return hashPassword(password, asker);
}
