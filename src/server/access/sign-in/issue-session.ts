import type { CurrentUser, SignedIn } from '@/domain/auth';
import { type SignInProof, sessionStanding } from '@/domain/sign-in-method';
import type { Origin } from '../../auth/scope';
import { ACCESS_TOKEN_SECONDS, hashToken, REFRESH_TOKEN_SECONDS, signToken } from '../../auth/session-tokens';
import type { Tx } from '../../db/client';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { insertRefreshToken } from '../queries/refresh-tokens';
import { findUserWithRoles } from '../queries/users';
import { describeUser } from './describe-user';

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
export async function issueSession(tx: Tx, wanted: For): Promise<IssuedSession> {
  const { user_id, family_id, at } = wanted;
  const begun_at = wanted.begun_at ?? at.toISOString();
  const end = Date.parse(begun_at) + env().FABRIC_SESSION_DAYS * 86_400_000;
  if (end <= at.getTime()) {
    throw new AppError('unauthenticated', 'The sign-in has reached its longest time. Sign in again.', {
      extra: { reason: 'invalid' },
    });
  }
  const found = await findUserWithRoles(tx, user_id, at.toISOString());
  if (!found) throw new AppError('unauthenticated', 'The account is not active. Ask an administrator.');
  const standing = sessionStanding(found.second_factor, wanted.proof);
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
    user_agent: wanted.user_agent,
    source_address: wanted.origin.source_address,
    ...wanted.proof,
    begun_at,
    created_at: at.toISOString(),
    expires_at: new Date(Math.min(end, at.getTime() + REFRESH_TOKEN_SECONDS * 1000)).toISOString(),
  });
  return { access_token, refresh_token, token_type: 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, user };
}
