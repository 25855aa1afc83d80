import { createHash } from 'node:crypto';
import { formatCidr, toNetwork } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import type { Executor, Tx } from '../db/client';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { countFailure, countInWindow, deleteCounters, deleteCountersEnding, readCounters } from './queries/rate-limits';
import type { Origin } from './scope';

/**
 * How failures under one key are answered: `free` of them cost nothing, then each one locks the key for `base_seconds`,
 * doubled with every further failure up to `max_seconds`. After `forget_seconds` without one the slate is clean.
 */
export type AttemptLimit = {
  key: string;
  free: number;
  base_seconds: number;
  max_seconds: number;
  forget_seconds: number;
};

const SLOW = { base_seconds: 30, max_seconds: 900, forget_seconds: 3600 };

/**
 * How many failures from one source, for any account, get the usual answer. Beyond `free` of them no one is locked
 * out, but all users at that source who are not known to belong there share `tries` in `per_seconds`.
 */
export type SourceBound = { key: string; free: number; forget_seconds: number; tries: number; per_seconds: number };

/** The part of a key that identifies where a request came from: an IPv6 customer has a /64, not an address. */
export function sourceKey(origin: Origin): string {
  const ip = parseIp(origin.source_address ?? '');
  if (!ip) return 'unknown';
  return formatCidr(toNetwork({ address: ip, prefix: ip.family === 4 ? 32 : 64 }));
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

/**
 * Limits of sign-in to one account. The tight one belongs to account and source together, so that a stranger who guesses does not
 * lock the owner out; the wide one stops many sources that try one account. An account that does not exist is counted like one
 * that does.
 */
export function loginLimits(email: string, origin: Origin): AttemptLimit[] {
  const source = sourceKey(origin);
  return [
    { key: `login:pair:${source}:${digest(email)}`, free: 5, ...SLOW },
    { key: `login:account:${digest(email)}`, free: 50, ...SLOW },
  ];
}

/**
 * The limits of one account of the directory, by what never changes about it: a directory finds the same account under many
 * spellings of its name, and each of those has limits of its own.
 */
export const directoryLimits = (subject: string, origin: Origin): AttemptLimit[] =>
  loginLimits(`directory ${subject}`, origin);

const BUSY = { forget_seconds: 900, tries: 10, per_seconds: 120 };

/** Bound of sign-in for one source that tries many accounts. A whole office may share the address, so it slows and never locks. */
export const loginBound = (origin: Origin): SourceBound => ({
  key: `login:source:${sourceKey(origin)}`,
  free: 60,
  ...BUSY,
});

/** Bound of answers of a sign-in provider that cannot be used, from one source: each makes this service ask the provider. */
export const providerBound = (origin: Origin): SourceBound => ({
  key: `provider:source:${sourceKey(origin)}`,
  free: 30,
  ...BUSY,
});

/** Bounds of wrong setup codes, per source and in total: they slow guessing a chosen code and lock no one out. */
export const setupBounds = (origin: Origin): SourceBound[] => [
  { key: `setup:source:${sourceKey(origin)}`, free: 60, ...BUSY },
  { key: 'setup:all', free: 300, ...BUSY, tries: 50 },
];

/** Seconds for which `failures` lock a key, counted from the last one; 0 while they are free. */
export function lockSeconds(limit: AttemptLimit, failures: number): number {
  if (failures < limit.free) return 0;
  return Math.min(limit.max_seconds, limit.base_seconds * 2 ** Math.min(failures - limit.free, 30));
}

/** Whether failures still count. Those further ahead than they are kept were stored by a clock that was put back since. */
const isKept = (lastFailure: string, forgetSeconds: number): boolean =>
  Math.abs(clock.now().getTime() - Date.parse(lastFailure)) < forgetSeconds * 1000;

/** Seconds for which one of the keys is still locked; 0 for none. */
async function secondsLocked(executor: Executor, limits: readonly AttemptLimit[]): Promise<number> {
  const counters = await readCounters(
    executor,
    limits.map((limit) => limit.key),
  );
  const now = clock.now().getTime();
  let wait = 0;
  for (const limit of limits) {
    const counter = counters.get(limit.key);
    if (!counter || !isKept(counter.window_start, limit.forget_seconds)) continue;
    const until = Date.parse(counter.window_start) + lockSeconds(limit, counter.hits) * 1000;
    wait = Math.max(wait, Math.ceil((until - now) / 1000));
  }
  return wait;
}

/** Whether a source had so many failures lately that strangers there are slowed down. */
export async function isBusy(executor: Executor, bound: SourceBound): Promise<boolean> {
  const counter = (await readCounters(executor, [bound.key])).get(bound.key);
  if (!counter || counter.hits < bound.free) return false;
  return isKept(counter.window_start, bound.forget_seconds);
}

/** Takes one of the tries that strangers at a busy source share. @returns whether there was one left */
export async function consumeAttempt(tx: Tx, bound: SourceBound): Promise<boolean> {
  const now = clock.now().toISOString();
  return (await countInWindow(tx, `${bound.key}:tries`, bound.per_seconds, now)) <= bound.tries;
}

/** The error for a caller who has to wait. */
export function tooManyAttempts(seconds: number): AppError {
  return new AppError('too_many_requests', `Too many failed attempts. Try again in ${seconds} seconds.`, {
    retryAfterSeconds: seconds,
  });
}

/** Takes a try under every bound that is busy. @throws AppError `too_many_requests` when one has none left */
export async function assertAttemptsLeft(tx: Tx, bounds: readonly SourceBound[]): Promise<void> {
  for (const bound of bounds) {
    if ((await isBusy(tx, bound)) && !(await consumeAttempt(tx, bound))) throw tooManyAttempts(bound.per_seconds);
  }
}

/** @throws AppError `too_many_requests` with the time to wait when one of the keys is locked. */
export async function assertNotLocked(executor: Executor, limits: readonly AttemptLimit[]): Promise<void> {
  const wait = await secondsLocked(executor, limits);
  if (wait > 0) throw tooManyAttempts(wait);
}

/** Counts a failure under every key. @returns the seconds for which the tightest lock now holds, 0 for none */
export async function recordFailure(tx: Tx, limits: readonly (AttemptLimit | SourceBound)[]): Promise<number> {
  const now = clock.now().toISOString();
  let locked = 0;
  // In the order of the keys: two transactions that share keys then wait instead of deadlocking.
  for (const limit of limits.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const failures = await countFailure(tx, limit.key, limit.forget_seconds, now);
    if ('base_seconds' in limit) locked = Math.max(locked, lockSeconds(limit, failures));
  }
  return locked;
}

/**
 * Forgets the failures that a success makes good. Those of a source stay: one account of its own would let it try all others
 * for ever.
 */
export async function clearFailures(tx: Tx, limits: readonly AttemptLimit[]): Promise<void> {
  const keys = limits.map((limit) => limit.key);
  await deleteCounters(tx, keys.sort());
}

/** Forgets all failures that count against one account, from wherever they came. */
export async function clearAccountFailures(tx: Tx, email: string): Promise<void> {
  await deleteCountersEnding(tx, `:${digest(email)}`);
}
