import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';
import type { ProviderProblem } from '@/domain/sign-in-provider';
import { FairGate } from '../../admission/fair-gate';
import { recordAudit } from '../../audit/record';
import { loginBound, loginLimits, recordFailure, sourceKey } from '../../auth/attempt-limits';
import { countInWindow } from '../../auth/queries/rate-limits';
import type { OpenScope } from '../../auth/scope';
import type { PasskeyRefusal } from '../../auth/webauthn';
import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { deriveKey } from '../../lib/crypto';
import { countSignIn } from '../../lib/metrics';
import { processState } from '../../lib/process-state';

/** How long a user may take at the provider. */
export const PROVIDER_SIGN_IN_SECONDS = 900;

const Pending = z.object({
  state: z.string(),
  nonce: z.string(),
  code_verifier: z.string(),
  /** The page to go to afterwards, as the browser asked. */
  next: z.string().nullable(),
  /** The sign-in that the browser held when it began; a new one takes its place. */
  replaces: z.string().nullable(),
});
/** A sign-in through the provider that a browser began. */
export type PendingSignIn = z.output<typeof Pending>;

const key = () => deriveKey('provider-sign-in');

/** As text for a cookie: only this service can read or make it. */
export async function sealPendingSignIn(pending: PendingSignIn): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1000);
  return new EncryptJWT(pending)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuedAt(now)
    .setExpirationTime(now + PROVIDER_SIGN_IN_SECONDS)
    .encrypt(key());
}

/** What `sealPendingSignIn` wrote; null when it is foreign, changed or too old. */
export async function openPendingSignIn(text: string): Promise<PendingSignIn | null> {
  try {
    const { payload } = await jwtDecrypt(text, key(), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      currentDate: clock.now(),
    });
    return Pending.parse(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
    throw error;
  }
}

/** Failed sign-ins that are written to the audit trail in ten minutes: from one source, and altogether. */
const AUDITED = { window_seconds: 600, per_source: 20, altogether: 100 };

type Recorded = {
  account: { id: string; email: string } | null;
  reason:
    | 'unknown_user'
    | 'wrong_password'
    | 'inactive'
    | 'password_not_allowed'
    | 'wrong_code'
    | PasskeyRefusal
    | `provider_${ProviderProblem}`
    | `directory_${'disabled' | 'no_group' | 'no_email' | 'email_taken' | 'inactive'}`;
  locked_seconds?: number;
};

/** Records a failed sign-in, within bounds: a flood must not fill the trail. */
export async function auditFailedSignIn(tx: Tx, scope: OpenScope, { account, ...after }: Recorded): Promise<void> {
  const now = clock.now().toISOString();
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
    after,
  });
}

/**
 * Counts a failed sign-in and, within bounds, records it. `email` is what was typed: the limits count it whether there is
 * such an account or not; `also` names the same account in another way.
 */
export async function recordFailedSignIn(
  tx: Tx,
  scope: OpenScope,
  { email, also, ...failure }: Recorded & { email: string; also?: string },
): Promise<void> {
  countSignIn('failed');
  const keys = [email, ...(also === undefined ? [] : [also])];
  const limits = keys.flatMap((key) => loginLimits(key, scope.origin));
  const locked_seconds = await recordFailure(tx, [...limits, loginBound(scope.origin)]);
  await auditFailedSignIn(tx, scope, { ...failure, locked_seconds });
}

/** Who has a password computed: from where, and for which account. */
export type PasswordAsker = { source: string; account: string };

/** A signed-in user, from any address. */
export const signedInAsker = (userId: string): PasswordAsker => ({ source: `user ${userId}`, account: userId });

/**
 * Sign-ins under way: of one source address two, so that a flood from there neither takes the connections to the database nor makes others
 * wait. Waiting costs nothing and slows a flood down better than a quick refusal; what is too much is refused before anything is read.
 */
const createGate = () =>
  new FairGate(
    { running: 4, per_tenant: 2, per_account: 1, waiting_per_tenant: 100, waiting_per_account: 100, wait_ms: 10_000 },
    {
      queue_full: 'Too many sign-ins from this address. Try again in a few seconds.',
      waited_too_long: 'Too many sign-ins at the same time. Try again in a few seconds.',
    },
  );
const state = processState(() => ({ local: createGate(), directory: createGate() }));

/**
 * Runs a sign-in when its turn comes. What waits for the directory has slots of its own: a directory that does not answer must not delay
 * local accounts.
 * @throws AppError `too_many_requests` when too many of the source wait already
 */
export const withSignInSlot = <T>(
  slots: 'local' | 'directory',
  { source, account }: PasswordAsker,
  work: () => Promise<T>,
): Promise<T> => state[slots].run({ tenant: source, account: `${source} ${account}` }, null, work);
