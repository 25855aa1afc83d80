import type { RecoveryCodes, SecondFactorProof } from '@/domain/second-factor';
import { recordAudit } from '../../audit/record';
import { actorOf, type PersonSession } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { deleteSecondFactor, findSecondFactor, replaceRecoveryCodes } from '../queries/second-factors';
import { lockUser } from '../queries/user-list';
import { findUserWithRoles } from '../queries/users';
import { hashRecoveryCode, newRecoveryCodes } from '../sign-in/recovery-codes';
import { verifyOwner } from './verify-owner';

const notSet = () => new AppError('conflict', 'No second factor is set up.');

function audit(tx: Tx, session: PersonSession, action: 'auth.recovery_codes_renewed' | 'auth.second_factor_removed') {
  const { id, email } = session.user;
  const by = { actor: actorOf(session), origin: session.origin };
  return recordAudit(tx, by, { action, object_kind: 'user', object_id: id, object_name: email });
}

/**
 * Makes new recovery codes; all earlier ones stop working. They are shown this once.
 * @throws AppError `conflict` without a second factor, `malformed` for a wrong password or code, `too_many_requests`
 */
export async function renewRecoveryCodes(session: PersonSession, proof: SecondFactorProof): Promise<RecoveryCodes> {
  const { id } = session.user;
  if (!(await findSecondFactor(db, id))?.confirmed_at) throw notSet();
  await verifyOwner(session, proof);
  const recovery_codes = newRecoveryCodes();
  await db.transaction(async (tx) => {
    await lockUser(tx, id);
    if (!(await findSecondFactor(tx, id))?.confirmed_at) throw notSet();
    await replaceRecoveryCodes(tx, id, recovery_codes.map(hashRecoveryCode));
    await audit(tx, session, 'auth.recovery_codes_renewed');
  });
  return { recovery_codes };
}

/**
 * Switches one's own second factor off, recovery codes and all.
 * @throws AppError `conflict` without one; `refused` while a role asks for it; `malformed`, `too_many_requests`
 */
export async function removeSecondFactor(session: PersonSession, proof: SecondFactorProof): Promise<void> {
  const { id } = session.user;
  if (!(await findSecondFactor(db, id))?.confirmed_at) throw notSet();
  await verifyOwner(session, proof);
  await db.transaction(async (tx) => {
    await lockUser(tx, id);
    const found = await findUserWithRoles(tx, id, clock.now().toISOString());
    const [role] = found?.second_factor.required_by ?? [];
    if (role !== undefined) throw new AppError('refused', `The role ${role} asks for a second factor. It stays.`);
    if (!(await deleteSecondFactor(tx, id))) throw notSet();
    await audit(tx, session, 'auth.second_factor_removed');
  });
}
