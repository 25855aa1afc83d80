import type { CurrentUser, SignedIn } from '@/domain/auth';
import { evaluateSession, type SignInProof } from '@/domain/second-factor';
import { recordAudit } from '../../audit/record';
import { clearFailures, loginLimits } from '../../auth/attempt-limits';
import type { OpenScope, Origin } from '../../auth/scope';
import {
  ACCESS_TOKEN_SECONDS,
  hashToken,
  REFRESH_TOKEN_SECONDS,
  signToken,
  verifyToken,
} from '../../auth/session-tokens';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { seal, unseal } from '../../lib/crypto';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { logger } from '../../lib/logger';
import { insertProviderSession, type ProviderSessionRow } from '../queries/provider';
import {
  findNewestFamilyToken,
  findRefreshToken,
  insertRefreshToken,
  listOpenFamilies,
  lockFamily,
  markRotated,
  type RefreshToken,
  revokeFamily,
} from '../queries/refresh-tokens';
import { deleteUserChallenges } from '../queries/second-factors';
import { findUserWithRoles, recordSignIn } from '../queries/users';
import { describeUser } from './read-session';

export type IssuedSession = SignedIn & { refresh_token: string };

type For = {
  user_id: string;
  family_id: string;
  at: Date;
  /** When the sign-in began; left out: now. */
  begun_at?: string;
  user_agent: string | null;
  origin: Origin;
  proof: SignInProof;
};

/**
 * Makes an access and a refresh token of a family and stores the latter's hash.
 * @throws AppError `unauthenticated` when the user is no longer active, or set up a second factor that was never proved
 */
export async function issueSession(tx: Tx, requested: For): Promise<IssuedSession> {
  const { user_id, family_id, at } = requested;
  const begun_at = requested.begun_at ?? at.toISOString();
  const end = Date.parse(begun_at) + env().FABRIC_SESSION_DAYS * 86_400_000;
  if (end <= at.getTime()) {
    throw new AppError('unauthenticated', 'The session has reached its maximum lifetime. Sign in again.', {
      extra: { reason: 'invalid' },
    });
  }
  const found = await findUserWithRoles(tx, user_id, at.toISOString());
  if (!found) throw new AppError('unauthenticated', 'The account is not active. Contact an administrator.');
  const standing = evaluateSession(found.second_factor, requested.proof);
  if (standing === 'over') throw new AppError('unauthenticated', 'Sign in again, with your second factor.');
  const user: CurrentUser = await describeUser(tx, found, standing === 'must_enrol');
  const [access_token, refresh_token] = await Promise.all([
    signToken({ sub: user_id, sid: family_id, typ: 'access' }),
    signToken({ sub: user_id, sid: family_id, typ: 'refresh' }),
  ]);
  await insertRefreshToken(tx, {
    family_id,
    user_id,
    token_hash: hashToken(refresh_token),
    user_agent: requested.user_agent,
    source_address: requested.origin.source_address,
    ...requested.proof,
    begun_at,
    created_at: at.toISOString(),
    expires_at: new Date(Math.min(end, at.getTime() + REFRESH_TOKEN_SECONDS * 1000)).toISOString(),
  });
  return { access_token, refresh_token, token_type: 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, user };
}

type SignIn = {
  account: { id: string; email: string };
  proof: SignInProof;
  user_agent: string | null;
  /** Chosen before, when something is stored under it. */
  family_id?: string | null;
};

/**
 * Opens a session for an account that passed all required checks, and clears its previous failures: only now, or
 * anyone who knows the password could clear wrong codes with it. Count the sign-in when the transaction is done.
 */
export async function completeSignIn(
  tx: Tx,
  scope: OpenScope,
  { account, proof, user_agent, family_id }: SignIn,
): Promise<IssuedSession> {
  await clearFailures(tx, loginLimits(account.email, scope.origin));
  const at = clock.now();
  const issued = await issueSession(tx, {
    user_id: account.id,
    family_id: family_id ?? newId(),
    at,
    user_agent,
    origin: scope.origin,
    proof,
  });
  await recordSignIn(tx, account.id, at.toISOString());
  const actor = { kind: 'user', id: account.id, name: account.email } as const;
  await recordAudit(
    tx,
    { actor, origin: scope.origin },
    { action: 'auth.login', object_kind: 'user', object_id: account.id, object_name: account.email, after: proof },
  );
  return issued;
}

/**
 * For this long after a rotation, the same browser may send the old token without bad intent (two concurrent tabs).
 */
export const RACE_SECONDS = 10;

type Outcome = { session: IssuedSession } | { refused: 'invalid' | 'already_rotated' | 'reused' };

/** A rotated token came again: a race of one browser is refused, anything else ends the sign-in for thief and owner. */
async function handleTokenReuse(
  tx: Tx,
  scope: OpenScope,
  token: RefreshToken,
  at: Date,
  user_agent: string | null,
): Promise<Outcome> {
  const newest = await findNewestFamilyToken(tx, token.family_id);
  const sameBrowser = newest?.source_address === scope.origin.source_address && newest.user_agent === user_agent;
  const age = at.getTime() - Date.parse(token.rotated_at ?? '');
  if (sameBrowser && age <= RACE_SECONDS * 1000) return { refused: 'already_rotated' };
  const revoked = await revokeFamily(tx, token.family_id, at.toISOString(), true);
  if (revoked) {
    logger.warn({ user_id: token.user_id, request_id: scope.origin.request_id }, 'a rotated refresh token was reused');
    const user = await findUserWithRoles(tx, token.user_id, at.toISOString());
    await recordAudit(tx, scope, {
      action: 'auth.refresh_reused',
      object_kind: 'user',
      object_id: token.user_id,
      object_name: user?.user.email ?? null,
      after: { rotated_at: token.rotated_at, sign_in_revoked: true },
    });
  }
  return { refused: 'reused' };
}

const REFUSALS = {
  invalid: 'The refresh token is invalid, expired or already used. Sign in again.',
  already_rotated: 'The refresh token is invalid, expired or already used. Sign in again.',
  reused: 'A refresh token of this session was used twice, so the session was ended. Sign in again.',
} as const;

/**
 * Exchanges a refresh token for new tokens; the one used is worth nothing afterwards. Using it again revokes the whole
 * sign-in, unless it comes from the same browser within ten seconds, which is refused without consequences.
 * @throws AppError `unauthenticated`: of another type, forged, expired, used, revoked, or the user is not active
 */
export async function refreshSession(
  scope: OpenScope,
  token: string,
  client: { user_agent: string | null },
): Promise<IssuedSession> {
  const claims = await verifyToken(token, 'refresh');
  const outcome: Outcome = !claims
    ? { refused: 'invalid' }
    : await db.transaction(async (tx) => {
        const at = clock.now();
        await lockFamily(tx, claims.sid);
        const stored = await findRefreshToken(tx, hashToken(token));
        if (!stored || Date.parse(stored.expires_at) <= at.getTime()) return { refused: 'invalid' };
        if (stored.revoked_at) return { refused: stored.reuse_detected ? 'reused' : 'invalid' };
        if (stored.rotated_at) return handleTokenReuse(tx, scope, stored, at, client.user_agent);
        const { user_id, family_id } = stored;
        if (!(await findUserWithRoles(tx, user_id, at.toISOString()))) {
          await revokeFamily(tx, family_id, at.toISOString());
          return { refused: 'invalid' };
        }
        await markRotated(tx, stored.id, at.toISOString());
        return {
          session: await issueSession(tx, {
            user_id,
            family_id,
            at,
            begun_at: stored.begun_at,
            user_agent: client.user_agent,
            origin: scope.origin,
            proof: { method: stored.method, second_factor: stored.second_factor },
          }),
        };
      });
  if ('session' in outcome) return outcome.session;
  throw new AppError('unauthenticated', REFUSALS[outcome.refused], { extra: { reason: outcome.refused } });
}

/** A sign-in that has just ended. */
export type EndedSignIn = NonNullable<Awaited<ReturnType<typeof revokeFamily>>>;

/**
 * Ends the sign-ins that the caller proved to hold: by a session and by refresh tokens. Ended, forged and expired ones
 * are ignored: signing out always succeeds.
 * @returns those that ended now
 */
export async function logout(
  scope: OpenScope,
  held: { family_id: string | null; refresh_tokens: readonly string[] },
): Promise<EndedSignIn[]> {
  const families = new Set(held.family_id ? [held.family_id] : []);
  for (const token of held.refresh_tokens) {
    const claims = await verifyToken(token, 'refresh');
    if (claims) families.add(claims.sid);
  }
  if (families.size === 0) return [];
  return db.transaction(async (tx) => {
    const over: EndedSignIn[] = [];
    const at = clock.now().toISOString();
    for (const family of [...families].sort()) {
      await lockFamily(tx, family);
      const ended = await revokeFamily(tx, family, at);
      if (!ended) continue;
      over.push(ended);
      const found = await findUserWithRoles(tx, ended.user_id, at);
      const name = found?.user.email ?? null;
      const actor = name === null ? scope.actor : ({ kind: 'user', id: ended.user_id, name } as const);
      await recordAudit(
        tx,
        { actor, origin: scope.origin },
        { action: 'auth.logout', object_kind: 'user', object_id: ended.user_id, object_name: name },
      );
    }
    return over;
  });
}

/** What the ID token of a sign-in is bound to. */
export const providerSessionContext = (familyId: string) => `provider_session:${familyId}`;

type Kept = { family_id: string; user_id: string; issuer: string; id_token: string };

/** Stores the ID token of a sign-in, which the provider requires when the user signs out there. */
export function storeProviderSession(tx: Tx, { id_token, ...row }: Kept): Promise<void> {
  const { sealed, key_id } = seal(id_token, providerSessionContext(row.family_id));
  return insertProviderSession(tx, { ...row, id_token_encrypted: sealed, secret_key_id: key_id });
}

/** The ID token of a sign-in; null when the present key does not open it: signing out works without. */
export function openIdToken({ family_id, id_token_encrypted: sealed, secret_key_id: key_id }: ProviderSessionRow) {
  try {
    return unseal({ sealed, key_id }, providerSessionContext(family_id));
  } catch (error) {
    logger.warn({ err: error }, 'the ID token of a sign-in cannot be decrypted');
    return null;
  }
}

/**
 * Ends all sign-ins of a user except, when given, one; also those that wait for a code. Their access tokens stop
 * working immediately. @returns how many
 */
export async function endSessions(tx: Tx, userId: string, except: string | null = null): Promise<number> {
  const at = clock.now().toISOString();
  const families = (await listOpenFamilies(tx, userId)).filter((family) => family !== except);
  for (const family of families) {
    await lockFamily(tx, family);
    await revokeFamily(tx, family, at);
  }
  await deleteUserChallenges(tx, userId);
  return families.length;
}
