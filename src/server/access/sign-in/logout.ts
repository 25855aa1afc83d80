import { recordAudit } from '../../audit/record';
import type { OpenScope } from '../../auth/scope';
import { verifyToken } from '../../auth/session-tokens';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { lockFamily, revokeFamily } from '../queries/refresh-tokens';
import { findUserWithRoles } from '../queries/users';

/** A sign-in that has just ended. */
export type EndedSignIn = NonNullable<Awaited<ReturnType<typeof revokeFamily>>>;

/**
 * Ends the sign-ins that the caller proved to hold: by a session and by refresh tokens. What is over already, forged or
 * expired is ignored: whoever signs out is signed out.
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
