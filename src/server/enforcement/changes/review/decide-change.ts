import { isApproved } from '@/domain/change/approval';
import type { Change, ChangeStep } from '@/domain/change/change';
import type { Scope, Session } from '../../../auth/scope';
import { db, type Tx } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { assertVersion, notFound } from '../../../lib/refusals';
import {
  type ChangeRow,
  findChange,
  insertChangeReview,
  listChangeOwners,
  lockChange,
  readChangeHistory,
  revokeChangeReviews,
} from '../../queries/changes';
import { listCoveredTenants } from '../change-access';
import { readChange } from '../read-change';
import { moveChange, publishChange, recordChange, refuseStep } from '../transition';
import { isCounting, readApprovalStatus } from './approval-status';
import { compileOnce } from './compile-once';
import { revalidateApprovals } from './revalidate';

/** Refuses to approve a result that no reviewer has seen. @throws AppError `not_found`, `conflict` */
async function assertUnchanged(scope: Scope<'change:approve'>, id: string): Promise<void> {
  const row = await findChange(db, scope.reach, id);
  if (!row) throw notFound('change');
  if (!(await revalidateApprovals(row))) return;
  throw new AppError('conflict', 'The change no longer compiles to what was submitted. Review it again.', {
    extra: { reason: 'changed_since_review', change_id: id },
  });
}

/** The change as a reviewer found it. @throws AppError `not_found`, `version_conflict` */
async function lockReviewed(
  tx: Tx,
  scope: Scope<'change:approve'>,
  id: string,
  version: number | undefined,
): Promise<ChangeRow> {
  const row = await lockChange(tx, scope.reach, id);
  if (!row) throw notFound('change');
  assertVersion('change', row.version, version);
  return row;
}

/** Stores a decision, with the tenants for which the reviewer could make it. @throws AppError `forbidden`, `conflict` */
async function storeDecision(
  tx: Tx,
  scope: Scope<'change:approve'>,
  { user }: Session,
  row: ChangeRow,
  decision: 'approve' | 'reject',
  comment: string,
): Promise<void> {
  const covered = listCoveredTenants(await listChangeOwners(tx, row.id), scope.reach);
  if (covered.length === 0) {
    throw new AppError('forbidden', 'This requires the permission for everything that one owner has in the change.');
  }
  if (row.author_ids.includes(user.id)) {
    throw new AppError('forbidden', 'You are an author of this change. Another user must review it.', {
      extra: { reason: 'author' },
    });
  }
  if (row.state !== 'in_review') throw refuseStep(row, `${decision} it`);
  await insertChangeReview(tx, {
    change_id: row.id,
    actor_id: user.id,
    actor_name: scope.actor.name,
    decision,
    tenant_ids: scope.tenants === 'all' ? null : covered.filter((tenant) => tenant !== null),
    content_hash: row.content_hash,
    compiled_hash: row.compiled_hash ?? '',
    comment,
  });
}

/**
 * Approves what a change says and compiles to now, for the owners for which the caller may. With enough approvals for each owner it is
 * approved.
 * @throws AppError `not_found`; `forbidden` for its authors, and for those who may approve for none of its owners; `version_conflict`;
 * `conflict` in another state, when the caller has approved it already, or when it compiles to something else by now
 */
export async function approveChange(
  scope: Scope<'change:approve'>,
  session: Session,
  id: string,
  { version, comment }: ChangeStep,
): Promise<Change> {
  await assertUnchanged(scope, id);
  await db.transaction(async (tx) => {
    const row = await lockReviewed(tx, scope, id, version);
    const before = await readChangeHistory(tx, id);
    if (before.reviews.some((review) => review.actor_id === session.user.id && isCounting(review, row))) {
      throw new AppError('conflict', 'You have already approved this change.', { extra: { reason: 'approved' } });
    }
    await storeDecision(tx, scope, session, row, 'approve', comment);
    const { note } = await compileOnce(row);
    const { reviews } = await readChangeHistory(tx, id);
    const status = await readApprovalStatus(tx, row, await listChangeOwners(tx, id), reviews, note.enforcing);
    if (isApproved(status)) {
      await moveChange(tx, scope, row, 'approved', { comment });
    } else {
      await publishChange(tx, id);
      await recordChange(tx, scope, row, 'change.approval_added', { reason: comment });
    }
  });
  return readChange(scope, session, id);
}

/** Rejects a change. It can be edited and submitted again. @throws AppError as `approveChange` */
export async function rejectChange(
  scope: Scope<'change:approve'>,
  session: Session,
  id: string,
  { version, comment }: ChangeStep,
): Promise<Change> {
  await db.transaction(async (tx) => {
    const row = await lockReviewed(tx, scope, id, version);
    await revokeChangeReviews(tx, id, 'The change was rejected.');
    await storeDecision(tx, scope, session, row, 'reject', comment);
    await moveChange(tx, scope, row, 'rejected', { comment });
  });
  return readChange(scope, session, id);
}
