import type { AccountSession } from '@/domain/account';
import { recordAudit } from '../../audit/record';
import { getActor, type PersonSession } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { notFound } from '../../lib/refusals';
import { hasOpenFamily, listOpenSessions, lockFamily, revokeFamily } from '../queries/refresh-tokens';
import { endSessions } from '../sign-in/sessions';

/** The user's own active sign-ins, most recently used first. */
export async function listSessions(session: PersonSession): Promise<{ items: AccountSession[] }> {
  const rows = await listOpenSessions(db, session.user.id, clock.now().toISOString());
  return { items: rows.map((row) => ({ ...row, current: row.id === session.family_id })) };
}

const toAuditEntry = (session: PersonSession, ended_sessions: number) => ({
  action: 'auth.sessions_ended' as const,
  object_kind: 'user',
  object_id: session.user.id,
  object_name: session.user.email,
  after: { ended_sessions },
});

/**
 * Ends one of the user's own sign-ins; its tokens stop working immediately.
 * @throws AppError `not_found` when there is none, or it has ended already
 */
export async function endSession(session: PersonSession, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockFamily(tx, id);
    if (!(await hasOpenFamily(tx, session.user.id, id))) {
      throw notFound('session');
    }
    await revokeFamily(tx, id, clock.now().toISOString());
    await recordAudit(tx, { actor: getActor(session), origin: session.origin }, toAuditEntry(session, 1));
  });
}

/** Ends all of one's sign-ins but the one that asks. */
export async function endOtherSessions(session: PersonSession): Promise<{ ended_sessions: number }> {
  return db.transaction(async (tx) => {
    const ended_sessions = await endSessions(tx, session.user.id, session.family_id);
    if (ended_sessions > 0) {
      await recordAudit(
        tx,
        { actor: getActor(session), origin: session.origin },
        toAuditEntry(session, ended_sessions),
      );
    }
    return { ended_sessions };
  });
}
