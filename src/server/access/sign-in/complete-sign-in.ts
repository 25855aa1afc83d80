import type { SignInProof } from '@/domain/sign-in-method';
import { recordAudit } from '../../audit/record';
import { forgetFailures, loginLimits } from '../../auth/attempt-limits';
import type { OpenScope } from '../../auth/scope';
import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import { noteSignedIn } from '../queries/users';
import { type IssuedSession, issueSession } from './issue-session';

type SignIn = {
  account: { id: string; email: string };
  proof: SignInProof;
  user_agent: string | null;
  /** Chosen before, when something is stored under it. */
  family_id?: string | null;
};

/**
 * Opens a session for an account that proved all it has to, and forgets the failures before: only now, or whoever knows
 * the password could wipe out wrong codes with it. Count the sign-in when the transaction is done.
 */
export async function completeSignIn(
  tx: Tx,
  scope: OpenScope,
  { account, proof, user_agent, family_id }: SignIn,
): Promise<IssuedSession> {
  await forgetFailures(tx, loginLimits(account.email, scope.origin));
  const at = clock.now();
  const issued = await issueSession(tx, {
    user_id: account.id,
    family_id: family_id ?? newId(),
    at,
    user_agent,
    origin: scope.origin,
    proof,
  });
  await noteSignedIn(tx, account.id, at.toISOString());
  const actor = { kind: 'user', id: account.id, name: account.email } as const;
  await recordAudit(
    tx,
    { actor, origin: scope.origin },
    { action: 'auth.login', object_kind: 'user', object_id: account.id, object_name: account.email, after: proof },
  );
  return issued;
}
