import { recordAudit } from '../../audit/record';
import type { OpenScope } from '../../auth/scope';
import { hashToken, verifyToken } from '../../auth/session-tokens';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { logger } from '../../lib/logger';
import {
  findNewestOfFamily,
  findRefreshToken,
  lockFamily,
  markRotated,
  type RefreshToken,
  revokeFamily,
} from '../queries/refresh-tokens';
import { findUserWithRoles } from '../queries/users';
import { type IssuedSession, issueSession } from './issue-session';

/** Within this time after a rotation the same browser may have sent the old token without meaning harm (two tabs at once). */
export const RACE_SECONDS = 10;

type Outcome = { session: IssuedSession } | { refused: 'invalid' | 'already_rotated' };

/** A rotated token came again: a race of one browser is refused, anything else ends the sign-in for thief and owner. */
async function answerReuse(
  tx: Tx,
  scope: OpenScope,
  token: RefreshToken,
  at: Date,
  user_agent: string | null,
): Promise<Outcome> {
  const newest = await findNewestOfFamily(tx, token.family_id);
  const sameBrowser = newest?.source_address === scope.origin.source_address && newest.user_agent === user_agent;
  const age = at.getTime() - Date.parse(token.rotated_at ?? '');
  if (sameBrowser && age <= RACE_SECONDS * 1000) return { refused: 'already_rotated' };
  const revoked = await revokeFamily(tx, token.family_id, at.toISOString());
  if (revoked) {
    logger.warn(
      { user_id: token.user_id, request_id: scope.origin.request_id },
      'a rotated refresh token was used again',
    );
    const user = await findUserWithRoles(tx, token.user_id, at.toISOString());
    await recordAudit(tx, scope, {
      action: 'auth.refresh_reused',
      object_kind: 'user',
      object_id: token.user_id,
      object_name: user?.user.email ?? null,
      after: { rotated_at: token.rotated_at, sign_in_revoked: true },
    });
  }
  return { refused: 'invalid' };
}

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
        if (!stored || stored.revoked_at || Date.parse(stored.expires_at) <= at.getTime())
          return { refused: 'invalid' };
        if (stored.rotated_at) return answerReuse(tx, scope, stored, at, client.user_agent);
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
  throw new AppError('unauthenticated', 'The refresh token is invalid, expired or already used. Sign in again.', {
    extra: { reason: outcome.refused },
  });
}
