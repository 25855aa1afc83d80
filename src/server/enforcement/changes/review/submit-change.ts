import { isApproved } from '@/domain/change/approval';
import type { Change, ChangeStep } from '@/domain/change/change';
import { isTransition } from '@/domain/change/states';
import type { Scope, Session } from '../../../auth/scope';
import { db } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { assertVersion, notFound } from '../../../lib/refusals';
import { findChange, listChangeOwners, lockChange, revokeChangeReviews } from '../../queries/changes';
import { assertMayWrite } from '../change-access';
import { readChangeWorkloads } from '../compiled/compile-fresh';
import { readChange } from '../read-change';
import { moveChange, refuseStep } from '../transition';
import { readApprovalStatus } from './approval-status';
import { compileOnce } from './compile-once';

/**
 * Submits a draft for review, with what it compiles to on its workloads, which are read for it. Where no owner requires an approval it
 * is approved.
 * @throws AppError `not_found`, `forbidden` without the permission for each of its items, `version_conflict`, `conflict` in another state
 */
export async function submitChange(
  scope: Scope<'policy:write'>,
  session: Session,
  id: string,
  { version, comment }: ChangeStep,
): Promise<Change> {
  const given = await findChange(db, scope.reach, id);
  if (!given) throw notFound('change');
  if (given.state === 'draft') await readChangeWorkloads(given.items);
  const { hash, note } = await compileOnce(given);
  await db.transaction(async (tx) => {
    const row = await lockChange(tx, scope.reach, id);
    if (!row) throw notFound('change');
    await assertMayWrite(tx, session, row);
    assertVersion('change', row.version, version);
    if (row.state !== 'draft') throw refuseStep(row, 'submit it');
    // What was compiled is what it says now.
    assertVersion('change', row.version, given.version);
    const submitted_at = clock.now().toISOString();
    const values = { compiled_hash: hash, compiled: note, changed_since_review: null, submitted_at };
    const owners = await listChangeOwners(tx, id);
    const status = await readApprovalStatus(tx, { ...row, ...values }, owners, [], note.enforcing);
    await moveChange(tx, scope, row, isApproved(status) ? 'approved' : 'in_review', { comment, values });
  });
  return readChange(scope, session, id);
}

/**
 * Ends a change that is not being applied. Its authors may do so, and those who may edit all of it.
 * @throws AppError as `submitChange`
 */
export async function withdrawChange(
  scope: Scope<'policy:write'>,
  session: Session,
  id: string,
  { version, comment }: ChangeStep,
): Promise<Change> {
  await db.transaction(async (tx) => {
    const row = await lockChange(tx, scope.reach, id);
    if (!row) throw notFound('change');
    if (!row.author_ids.includes(session.user.id)) await assertMayWrite(tx, session, row);
    assertVersion('change', row.version, version);
    if (!isTransition(row.state, 'withdrawn')) throw refuseStep(row, 'withdraw it');
    await revokeChangeReviews(tx, id, 'The change was withdrawn.');
    await moveChange(tx, scope, row, 'withdrawn', { comment });
  });
  return readChange(scope, session, id);
}
