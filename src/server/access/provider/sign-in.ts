import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { OIDC_CALLBACK_PATH, OIDC_SIGNED_OUT_PATH } from '@/domain/choices';
import type { SecondFactorNeeded } from '@/domain/second-factor';
import type { ProviderProblem, SignedOut } from '@/domain/sign-in-provider';
import { consumeAttempt, isBusy, providerBound, recordFailure } from '../../auth/attempt-limits';
import type { OpenScope } from '../../auth/scope';
import { db } from '../../db/client';
import { newId } from '../../lib/ids';
import { logger } from '../../lib/logger';
import { countSignIn } from '../../lib/metrics';
import { OidcError } from '../../providers/oidc/oidc-error';
import type { ProviderAnswer, SignInChecks } from '../../providers/oidc/provider';
import { findOidcSettings, type OidcSettingsRow } from '../queries/provider';
import { lockSuperAdmins } from '../queries/user-list';
import { issueChallenge } from '../sign-in/challenge';
import { auditFailedSignIn } from '../sign-in/checks';
import {
  completeSignIn,
  type EndedSignIn,
  type IssuedSession,
  logout,
  openIdToken,
  storeProviderSession,
} from '../sign-in/sessions';
import { applyGroups, findAccount, PROVIDER_ACTOR } from './accounts';
import { openSignInProvider } from './open-provider';

/**
 * Where to send a browser to sign in through the provider, and how its response will be recognized; or why that is not
 * possible.
 */
export async function beginSignIn(
  requestId: string,
): Promise<{ url: string; checks: SignInChecks } | { problem: ProviderProblem }> {
  const settings = await findOidcSettings(db);
  if (!settings?.enabled) return { problem: 'disabled' };
  try {
    const provider = await openSignInProvider(settings);
    return await provider.begin(settings.public_url + OIDC_CALLBACK_PATH, settings.scopes);
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    logger.warn({ err: error, request_id: requestId }, 'cannot reach the sign-in provider');
    return { problem: error.reason };
  }
}

export type ProviderSignIn = IssuedSession | SecondFactorNeeded | { problem: ProviderProblem };

/** What the provider reports about the user who came back, or why that cannot be trusted. */
async function readClaims(settings: OidcSettingsRow, query: string, checks: SignInChecks, requestId: string) {
  try {
    const provider = await openSignInProvider(settings);
    const answer = new URL(settings.public_url + OIDC_CALLBACK_PATH);
    answer.search = query;
    return await provider.finish(answer, checks, settings.group_claim);
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    logger.warn({ err: error, request_id: requestId }, 'sign-in through the provider failed');
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
    const by = { actor: PROVIDER_ACTOR.oidc, origin: scope.origin };
    await applyGroups(tx, user, { provider: 'oidc', isMember: (group) => groups.includes(group) }, by);
    const family_id = newId();
    if (settings.sign_out_at_provider)
      await storeProviderSession(tx, { family_id, user_id: user.id, issuer, id_token });
    const { trusts_second_factor: trusted } = settings;
    const challenge = trusted ? null : await issueChallenge(tx, user.id, 'oidc', family_id);
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
  if ((await isBusy(db, bound)) && !(await db.transaction((tx) => consumeAttempt(tx, bound))))
    return { problem: 'too_many' };
  const claims = await readClaims(settings, query, checks, scope.origin.request_id);
  if (claims === 'invalid') await db.transaction((tx) => recordFailure(tx, [bound]));
  const result =
    typeof claims === 'string' ? { problem: claims } : await signInAs(scope, settings, claims, client.user_agent);
  if ('problem' in result) countSignIn('failed');
  if ('access_token' in result) countSignIn('ok');
  return result;
}

/** `state` is what the browser brings back from the provider. */
export type ProviderSignOut = SignedOut & { state: string | null };

const NONE: ProviderSignOut = { provider_session: 'none', provider_url: null, state: null };
const KEPT: ProviderSignOut = { ...NONE, provider_session: 'kept' };

/** Maximum wait for a provider that is asked for its addresses. */
const PATIENCE_MS = 3000;

async function resolveProviderSignOut(scope: OpenScope, ended: readonly EndedSignIn[]): Promise<ProviderSignOut> {
  const through = ended.find(({ method }) => method === 'oidc');
  const settings = through ? await findOidcSettings(db) : null;
  if (!through || !settings?.enabled || !settings.sign_out_at_provider) return NONE;
  const { provider_session: held } = through;
  // Of a provider that was configured before nothing is known any more.
  if (held && held.issuer !== settings.issuer) return KEPT;
  const late = delay(PATIENCE_MS, null, { ref: false });
  try {
    const provider = await Promise.race([openSignInProvider(settings), late]);
    const state = randomBytes(32).toString('base64url');
    const redirect_uri = settings.public_url + OIDC_SIGNED_OUT_PATH;
    const url = provider?.endSession({ id_token: held && openIdToken(held), redirect_uri, state }) ?? null;
    return url === null ? KEPT : { provider_session: 'ends', provider_url: url, state };
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    logger.warn({ err: error, request_id: scope.origin.request_id }, 'cannot reach the sign-in provider');
    return KEPT;
  }
}

/**
 * Ends the sign-ins that the caller proved to hold, whatever the provider does, and says where the browser ends its session at
 * the provider: when the sign-in came from there, and the settings ask for it.
 */
export async function signOut(scope: OpenScope, held: Parameters<typeof logout>[1]): Promise<ProviderSignOut> {
  return resolveProviderSignOut(scope, await logout(scope, held));
}
