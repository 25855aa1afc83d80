import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { findSessionUser } from '../repositories/users';
import type { Origin, Session } from './scope';
import { verifyToken } from './session-tokens';

/**
 * The session behind `Authorization: Bearer <access token>`, read afresh: a deactivated user or a revoked sign-in has none.
 * With `lenient` a bad token counts as none (open routes); otherwise it is `unauthenticated`.
 */
export async function readSession(request: Request, origin: Origin, lenient = false): Promise<Session | null> {
  const header = request.headers.get('authorization');
  if (!header) return null;
  const token = /^Bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(header)?.[1];
  const claims = token ? await verifyToken(token, 'access') : null;
  const found = claims && (await findSessionUser(claims.sub, claims.sid, clock.now().toISOString()));
  if (found) return { user: found.user, grants: found.grants, family_id: claims.sid, origin };
  if (lenient) return null;
  throw new AppError('unauthenticated', 'The access token is invalid or expired. Refresh it or sign in again.');
}
