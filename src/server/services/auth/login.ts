import type { LoginInput } from '@/domain/auth';
import { recordAudit } from '../../audit/record';
import { assertMayTry, forgetFailures, loginLimits, recordFailure, sourceKey } from '../../auth/attempt-limits';
import { hashPassword, isOutdatedHash, verifyPassword } from '../../auth/password';
import type { OpenScope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { countSignIn } from '../../lib/metrics';
import { countInWindow } from '../../repositories/rate-limits';
import { findCredentials, updateSignedIn } from '../../repositories/users';
import { type IssuedSession, issueSession } from './issue-session';

/** Failed sign-ins that are written to the audit trail in ten minutes: from one source, and altogether. */
const AUDITED = { window_seconds: 600, per_source: 20, altogether: 100 };

type Account = Awaited<ReturnType<typeof findCredentials>>;

/** Counts the failure and, within bounds, records it: a flood must fill neither the disk nor the trail. */
async function noteFailure(scope: OpenScope, email: string, account: Account): Promise<void> {
  const now = clock.now().toISOString();
  await db.transaction(async (tx) => {
    const locked_seconds = await recordFailure(tx, loginLimits(email, scope.origin));
    const { window_seconds, per_source, altogether } = AUDITED;
    const source = sourceKey(scope.origin);
    if ((await countInWindow(tx, `audit:login_failed:source:${source}`, window_seconds, now)) > per_source) return;
    if ((await countInWindow(tx, 'audit:login_failed:all', window_seconds, now)) > altogether) return;
    // An unknown name is not written down: now and then it is a password typed into the wrong field.
    await recordAudit(tx, scope, {
      action: 'auth.login_failed',
      object_kind: 'user',
      object_id: account?.id ?? null,
      object_name: account?.email ?? null,
      after: { reason: !account ? 'unknown_user' : account.active ? 'wrong_password' : 'inactive', locked_seconds },
    });
  });
}

/**
 * Signs a user in. Unknown account, wrong password and deactivated account give the same answer in the same time.
 * @throws AppError `unauthenticated`; `too_many_requests` after too many failures, also for the right password
 */
export async function login(
  scope: OpenScope,
  input: LoginInput,
  client: { user_agent: string | null },
): Promise<IssuedSession> {
  const limits = loginLimits(input.email, scope.origin);
  await assertMayTry(db, limits);
  const account = await findCredentials(input.email);
  const matches = await verifyPassword(account?.password_hash ?? null, input.password);
  if (!account || !matches || !account.active) {
    await noteFailure(scope, input.email, account);
    countSignIn('failed');
    throw new AppError('unauthenticated', 'Email or password is wrong.');
  }
  const renewed = isOutdatedHash(account.password_hash) ? await hashPassword(input.password) : null;
  const session = await db.transaction(async (tx) => {
    // Once more: of many guesses at once, one that is right must not succeed after the others locked the account.
    await assertMayTry(tx, limits);
    await forgetFailures(tx, limits);
    const at = clock.now();
    const issued = await issueSession(tx, {
      user_id: account.id,
      family_id: newId(),
      at,
      user_agent: client.user_agent,
      origin: scope.origin,
    });
    await updateSignedIn(tx, account.id, at.toISOString(), renewed);
    const actor = { kind: 'user', id: account.id, name: account.email } as const;
    await recordAudit(
      tx,
      { actor, origin: scope.origin },
      { action: 'auth.login', object_kind: 'user', object_id: account.id, object_name: account.email },
    );
    return issued;
  });
  countSignIn('ok');
  return session;
}
