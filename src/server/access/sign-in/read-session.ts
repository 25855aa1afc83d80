import { restrictGrants } from '@/domain/restrict-grants';
import { sessionStanding } from '@/domain/sign-in-method';
import type { Origin, Session } from '../../auth/scope';
import { hashToken, verifyToken } from '../../auth/session-tokens';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { findApiTokenOwner, noteApiTokenUse } from '../queries/api-tokens';
import { findSessionUser } from '../queries/users';
import { API_TOKEN_PREFIX } from './new-api-token';

/** The session of a program: the owner's grants as they are now, under the token's limit. */
async function readTokenSession(token: string, origin: Origin, lenient: boolean): Promise<Session | null> {
  const now = clock.now().toISOString();
  const found = await findApiTokenOwner(hashToken(token), now);
  if (!found) {
    if (lenient) return null;
    throw new AppError('unauthenticated', 'The API token is unknown, expired or revoked, or its owner is not active.');
  }
  const { owner, api_token } = found;
  await noteApiTokenUse(api_token.id, { at: now, address: origin.source_address });
  return { user: owner.user, grants: restrictGrants(owner.grants, api_token), family_id: null, api_token, origin };
}

/**
 * The session behind `Authorization: Bearer <access token or API token>`, read afresh: a deactivated user, a revoked sign-in
 * or a revoked token has none. With `lenient` a bad token counts as none (open routes); otherwise it is `unauthenticated`.
 */
export async function readSession(request: Request, origin: Origin, lenient = false): Promise<Session | null> {
  const header = request.headers.get('authorization');
  if (!header) return null;
  const token = /^Bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(header)?.[1];
  if (token?.startsWith(API_TOKEN_PREFIX)) return readTokenSession(token, origin, lenient);
  const claims = token ? await verifyToken(token, 'access') : null;
  const found = claims && (await findSessionUser(claims.sub, claims.sid, clock.now().toISOString()));
  const standing = found ? sessionStanding(found.second_factor, found.proof) : 'over';
  if (found && standing !== 'over') {
    const must_enrol = standing === 'must_enrol';
    return { user: found.user, grants: must_enrol ? [] : found.grants, family_id: claims.sid, must_enrol, origin };
  }
  if (lenient) return null;
  throw new AppError('unauthenticated', 'The access token is invalid or expired. Refresh it or sign in again.');
}
