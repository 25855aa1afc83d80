import type { ProviderProblem } from '@/domain/sign-in-provider';
import { recordAudit } from '../../audit/record';
import { loginBound, loginLimits, recordFailure, sourceKey } from '../../auth/attempt-limits';
import { countInWindow } from '../../auth/queries/rate-limits';
import type { OpenScope } from '../../auth/scope';
import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { countSignIn } from '../../lib/metrics';

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
    | `provider_${ProviderProblem}`;
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
 * such an account or not.
 */
export async function noteFailedSignIn(
  tx: Tx,
  scope: OpenScope,
  { email, ...failure }: Recorded & { email: string },
): Promise<void> {
  countSignIn('failed');
  const locked_seconds = await recordFailure(tx, [...loginLimits(email, scope.origin), loginBound(scope.origin)]);
  await auditFailedSignIn(tx, scope, { ...failure, locked_seconds });
}
