import type { Change, ChangeUpdate } from '@/domain/change/change';
import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeEdit } from '@/domain/change/items';
import { EDITABLE_STATES } from '@/domain/change/states';
import type { Scope, Session } from '../../../auth/scope';
import { db, type Tx } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { assertVersion, changedFields, notFound } from '../../../lib/refusals';
import {
  type ChangeRow,
  lockChange,
  type NewChange,
  replaceChangeParts,
  revokeChangeReviews,
  updateChangeIn,
} from '../../queries/changes';
import { assertMayWrite } from '../change-access';
import { readChange } from '../read-change';
import { moveChange, publishChange, recordChange, refuseStep } from '../transition';
import { assertCanaries, assertTimerForLog } from './create-change';
import { hashItems, normalizeItems } from './normalize-items';

const isEditable = ({ state }: ChangeRow): boolean => EDITABLE_STATES.some((one) => one === state);

/** Stores other values of a change, which makes a draft of it. */
async function storeEdit(
  tx: Tx,
  scope: Scope<'policy:write'>,
  row: ChangeRow,
  values: Partial<NewChange>,
): Promise<void> {
  if (row.state !== 'draft') {
    await revokeChangeReviews(tx, row.id, 'The change was edited.');
    await moveChange(tx, scope, row, 'draft', {
      values: { ...values, compiled_hash: null, compiled: null, changed_since_review: null, submitted_at: null },
    });
  } else {
    await updateChangeIn(tx, row.id, 'draft', values);
    await publishChange(tx, row.id);
  }
}

/**
 * Edits a change; what is left out stays, items that are given replace all. It becomes a draft again, and approvals that it has do not
 * count any more. Without a change nothing is written or recorded.
 * @throws AppError `not_found`; `forbidden` without the permission for each of its items; `version_conflict`; `conflict` when it is
 * being applied or has ended; what `normalizeItems` throws
 */
export async function updateChange(
  scope: Scope<'policy:write'>,
  session: Session,
  id: string,
  { version, items: given, ...fields }: Omit<ChangeUpdate, 'items'> & { items?: readonly ChangeEdit[] | undefined },
): Promise<Change> {
  await db.transaction(async (tx) => {
    const row = await lockChange(tx, scope.reach, id);
    if (!row) throw notFound('change');
    await assertMayWrite(tx, session, row);
    assertVersion('change', row.version, version);
    if (!isEditable(row)) throw refuseStep(row, 'edit it');
    assertTimerForLog({ ...row, ...fields });
    if (fields.waves) await assertCanaries(tx, scope, fields.waves);
    const { managed_by } = row;
    const normal =
      given &&
      (await normalizeItems({ tx, scope, session, former: row.items, managed_by, isFile: managed_by !== null }, given));
    const content_hash = normal ? hashItems(normal.items) : row.content_hash;
    if (managed_by && content_hash !== row.content_hash) {
      throw new AppError('conflict', `The edits of this change come from ${managed_by.source}. Edit the file there.`, {
        extra: { reason: 'managed_as_code', managed_by },
      });
    }
    const changes: Partial<NewChange> = {
      ...changedFields<ChangeRow, Partial<ChangeRow>>(row, fields),
      ...(normal && content_hash !== row.content_hash && { items: normal.items, content_hash }),
    };
    if (Object.keys(changes).length === 0) return;
    if (normal && changes.items) await replaceChangeParts(tx, id, normal.owners, normal.items.flatMap(listObjectIds));
    const { actor } = scope;
    const author_ids = actor.kind === 'user' ? [...new Set([...row.author_ids, actor.id])] : row.author_ids;
    await storeEdit(tx, scope, row, { ...changes, version: row.version + 1, author_ids });
    const stored = await lockChange(tx, 'all', id);
    if (!stored) throw new Error('expected the stored change to exist');
    await recordChange(tx, scope, stored, 'change.updated', { edits: stored.items }, { edits: row.items });
  });
  return readChange(scope, session, id);
}
