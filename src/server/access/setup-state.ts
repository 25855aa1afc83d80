import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { db, type Executor } from '../db/client';
import { clock } from '../lib/clock';
import { env } from '../lib/env';
import { logger } from '../lib/logger';
import { processState } from '../lib/process-state';
import { findSetting, insertSetting } from '../settings/queries/settings';
import { hasAnyUser } from './queries/users';

/** `system_settings.key` of the completed setup, and of the code made when the environment gives none. */
export const SETUP_KEY = 'setup';
export const SETUP_CODE_KEY = 'setup_code';

/** Setup is over once it was completed or any account exists, and it stays so when all of them are deleted. */
export async function isSetupCompleted(executor: Executor): Promise<boolean> {
  return (await findSetting(executor, SETUP_KEY)) !== null || (await hasAnyUser(executor));
}

const StoredCode = z.object({ code: z.string().min(6) });
const state = processState(() => ({ announced: false }));

/** A code as the supervisor makes them: 58 random bits. */
const LEGIBLE_CODE = /^[A-HJKMNP-TV-Z2-9]{4}(-[A-HJKMNP-TV-Z2-9]{4}){2}$/;

/**
 * The code that protects a first run, and whether it was made at random. From the environment; where that has none and the
 * service runs for real, one is made, kept in the database so that all web processes know the same, and printed to the log.
 * Null: none is needed.
 */
export async function requiredSetupCode(): Promise<{ code: string; random: boolean } | null> {
  const { FABRIC_SETUP_CODE, NODE_ENV } = env();
  if (FABRIC_SETUP_CODE) return { code: FABRIC_SETUP_CODE, random: LEGIBLE_CODE.test(FABRIC_SETUP_CODE) };
  if (NODE_ENV !== 'production') return null;
  await insertSetting(db, SETUP_CODE_KEY, { code: randomBytes(9).toString('hex') }, clock.now().toISOString());
  const { code } = StoredCode.parse((await findSetting(db, SETUP_CODE_KEY))?.value);
  if (!state.announced) logger.warn({ setup_code: code }, 'first run: enter this setup code on the setup page');
  state.announced = true;
  return { code, random: true };
}

/** What people leave out or change when they type a code does not matter. */
const digest = (code: string) => createHash('sha256').update(code.replace(/[\s-]/g, '').toUpperCase()).digest();

/** Compares in a time that does not depend on where the codes differ. */
export function isSetupCode(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}
