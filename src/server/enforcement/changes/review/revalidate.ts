import { isApproved } from '@/domain/change/approval';
import { compareCompiled } from '@/domain/change/review';
import { systemScope } from '../../../auth/scope';
import { db, type Executor, type Tx } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import {
  type ChangeRow,
  listChangeOwners,
  listReviewed,
  lockChange,
  readChangeHistory,
  revokeChangeReviews,
  updateChangeIn,
} from '../../queries/changes';
import { moveChange, publishChange, recordChange } from '../transition';
import { readApprovalStatus } from './approval-status';
import { type CompiledOnce, compileOnce } from './compile-once';

const isReviewed = ({ state }: ChangeRow): boolean => state === 'in_review' || state === 'approved';

const OTHER_RESULT = 'The change no longer compiles to what was reviewed.';
const MORE_REQUIRED = 'The change lacks approvals that are required now.';

/** Whether a change has, with what it compiles to now, the approvals that its owners require now. */
async function hasApprovals(executor: Executor, row: ChangeRow, compiled: CompiledOnce): Promise<boolean> {
  const owners = await listChangeOwners(executor, row.id);
  const { reviews } = await readChangeHistory(executor, row.id);
  const current = { ...row, compiled_hash: compiled.hash };
  return isApproved(await readApprovalStatus(executor, current, owners, reviews, compiled.note.enforcing));
}

async function isUpToDate(row: ChangeRow, compiled: CompiledOnce): Promise<boolean> {
  if (row.compiled_hash !== compiled.hash) return false;
  return row.state !== 'approved' || (await hasApprovals(db, row, compiled));
}

/** What is stored of a change that compiles to something else than before. */
const toRevalidated = (row: ChangeRow, compiled: CompiledOnce) => ({
  compiled_hash: compiled.hash,
  compiled: compiled.note,
  changed_since_review: {
    at: clock.now().toISOString(),
    workloads: row.compiled ? compareCompiled(row.compiled, compiled.note) : [],
  },
});

/**
 * Stores what compiles now; approvals of what was compiled before do not count any more. As long as it is reviewed this is another
 * version: a review is of the result that was shown.
 */
async function storeRevalidation(tx: Tx, row: ChangeRow, compiled: CompiledOnce): Promise<void> {
  const scope = systemScope('policy:write', 'review');
  const isOther = row.compiled_hash !== compiled.hash;
  const reason = isOther ? OTHER_RESULT : MORE_REQUIRED;
  const revoked = isOther ? await revokeChangeReviews(tx, row.id, reason) : 0;
  const isApprovedStill = row.state === 'approved' && (await hasApprovals(tx, row, compiled));
  const version = isApprovedStill ? row.version : row.version + 1;
  const values = isOther ? { ...toRevalidated(row, compiled), version } : {};
  if (row.state === 'approved' && !isApprovedStill) {
    await moveChange(tx, scope, row, 'in_review', { comment: reason, values });
    return;
  }
  const stored = await updateChangeIn(tx, row.id, row.state, values);
  if (!stored || !isOther) return;
  await publishChange(tx, row.id);
  if (revoked === 0) return;
  await recordChange(tx, scope, stored, 'change.approvals_revoked', { reason });
}

/**
 * Revokes the approvals of a change in review, or approved, when it compiles to something else than what they are of, or its owners
 * require more by now. Costs one compilation after anything was read or stored, and nothing otherwise.
 * @returns whether it compiles to something else, or is not approved any more
 */
export async function revalidateApprovals(given: ChangeRow): Promise<boolean> {
  if (!isReviewed(given)) return false;
  const compiled = await compileOnce(given);
  if (await isUpToDate(given, compiled)) return false;
  return db.transaction(async (tx) => {
    const row = await lockChange(tx, 'all', given.id);
    if (!row || !isReviewed(row) || row.content_hash !== given.content_hash) return false;
    await storeRevalidation(tx, row, compiled);
    return true;
  });
}

/** The same for all changes that wait to be approved or applied. */
export async function revalidateAll(): Promise<void> {
  for (const row of await listReviewed(db)) await revalidateApprovals(row);
}

/**
 * For what applies a change: the change is approved, by the rules of now and of what it compiles to now.
 * @param row locked by the transaction
 * @throws AppError `conflict` with reason `approval_required` or `changed_since_review`
 */
export async function assertStillApproved(tx: Tx, row: ChangeRow): Promise<void> {
  const compiled = await compileOnce(row);
  const isSame = compiled.hash === row.compiled_hash;
  if (row.state === 'approved' && (await hasApprovals(tx, row, compiled))) return;
  throw new AppError(
    'conflict',
    isSame ? 'The change lacks approvals. Have it approved first.' : `${OTHER_RESULT} Have it approved again.`,
    { extra: { reason: isSame ? 'approval_required' : 'changed_since_review', change_id: row.id } },
  );
}
