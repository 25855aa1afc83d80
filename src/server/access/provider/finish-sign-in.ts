import type { SecondFactorNeeded } from '@/domain/second-factor';
import { OIDC_CALLBACK_PATH, type ProviderProblem } from '@/domain/sign-in-provider';
import { isBusy, providerBound, recordFailure, takeTry } from '../../auth/attempt-limits';
import type { OpenScope } from '../../auth/scope';
import { db } from '../../db/client';
import { newId } from '../../lib/ids';
import { logger } from '../../lib/logger';
import { countSignIn } from '../../lib/metrics';
import { OidcError } from '../../providers/oidc/oidc-error';
import type { ProviderAnswer, SignInChecks } from '../../providers/oidc/provider';
import { findOidcSettings, type OidcSettingsRow } from '../queries/sign-in-provider';
import { lockSuperAdmins } from '../queries/user-list';
import { challengeIfEnrolled } from '../sign-in/challenge';
import { completeSignIn } from '../sign-in/complete-sign-in';
import type { IssuedSession } from '../sign-in/issue-session';
import { auditFailedSignIn } from '../sign-in/note-failed-sign-in';
import { keepProviderSession } from '../sign-in/provider-session';
import { findAccount } from './find-account';
import { openSignInProvider } from './open-provider';
import { applyGroups } from './provider-roles';

export type ProviderSignIn = IssuedSession | SecondFactorNeeded | { problem: ProviderProblem };

/** What the provider says of whoever came back, or why that cannot be believed. */
async function claimsOf(settings: OidcSettingsRow, query: string, checks: SignInChecks, requestId: string) {
  try {
    const provider = await openSignInProvider(settings);
    const answer = new URL(settings.public_url + OIDC_CALLBACK_PATH);
    answer.search = query;
    return await provider.finish(answer, checks, settings.group_claim);
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    logger.warn({ err: error, request_id: requestId }, 'signing in through the provider failed');
    return error.reason;
  }
}

/** Signs in whom the provider vouches for, in one transaction: account, roles of the groups, session. */
async function signInAs(
  scope: OpenScope,
  settings: OidcSettingsRow,
  claims: ProviderAnswer,
  user_agent: string | null,
): Promise<ProviderSignIn> {
  const { groups, issuer, id_token } = claims;
  if (groups === 'unknown') return { problem: 'groups_unknown' };
  return db.transaction(async (tx) => {
    await lockSuperAdmins(tx);
    const found = await findAccount(tx, settings, claims, scope.origin);
    if ('problem' in found) {
      await auditFailedSignIn(tx, scope, { account: found.account, reason: `provider_${found.problem}` });
      return { problem: found.problem };
    }
    const { user } = found;
    await applyGroups(tx, user, groups, scope.origin);
    const family_id = newId();
    if (settings.sign_out_at_provider) await keepProviderSession(tx, { family_id, user_id: user.id, issuer, id_token });
    const { trusts_second_factor: trusted } = settings;
    const challenge = trusted ? null : await challengeIfEnrolled(tx, user.id, 'oidc', family_id);
    if (challenge) return challenge;
    const proof = { method: 'oidc', second_factor: trusted ? 'provider' : null } as const;
    return completeSignIn(tx, scope, { account: user, proof, user_agent, family_id });
  });
}

/**
 * Ends a sign-in through the provider: checks the answer that the browser brought, finds or makes the account, evaluates its
 * groups, and opens a session, or asks for a code of the second factor.
 * @param query what the browser brought, as it came (`?code=…&state=…`)
 */
export async function finishSignIn(
  scope: OpenScope,
  query: string,
  checks: SignInChecks,
  client: { user_agent: string | null },
): Promise<ProviderSignIn> {
  const settings = await findOidcSettings(db);
  if (!settings?.enabled) return { problem: 'disabled' };
  const bound = providerBound(scope.origin);
  if ((await isBusy(db, bound)) && !(await db.transaction((tx) => takeTry(tx, bound)))) return { problem: 'too_many' };
  const claims = await claimsOf(settings, query, checks, scope.origin.request_id);
  if (claims === 'invalid') await db.transaction((tx) => recordFailure(tx, [bound]));
  const result =
    typeof claims === 'string' ? { problem: claims } : await signInAs(scope, settings, claims, client.user_agent);
  if ('problem' in result) countSignIn('failed');
  if ('access_token' in result) countSignIn('ok');
  return result;
}
