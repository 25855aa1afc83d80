import type { Change, ChangeCreate } from '@/domain/change/change';
import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeEdit, ChangeItem } from '@/domain/change/items';
import type { Waves } from '@/domain/change/waves';
import { type Owned, toOwner } from '@/domain/permissions';
import type { Scope, Session } from '../../../auth/scope';
import { db, type Tx } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { newId } from '../../../lib/ids';
import { refuseField } from '../../../lib/refusals';
import { listWorkloadNames } from '../../queries/change-waves';
import {
  type ChangeRow,
  insertChange,
  insertChangeTransition,
  lockChange,
  type NewChange,
} from '../../queries/changes';
import { readChange } from '../read-change';
import { type Acting, publishChange, recordChange } from '../transition';
import { hashItems, normalizeItems } from './normalize-items';

export type Draft = Omit<ChangeCreate, 'items'> & Pick<NewChange, 'reverts' | 'managed_by' | 'expiry'>;

/**
 * Stores a draft with items as they are stored, with its history and audit record.
 * @param owners whose rules it changes, where these are more than the owners of the items
 */
export async function insertDraft(
  tx: Tx,
  scope: Acting,
  draft: Draft,
  items: readonly ChangeItem[],
  owners: readonly Owned[] = items.map(toOwner),
): Promise<ChangeRow> {
  const { actor } = scope;
  const id = newId();
  const author = actor.kind === 'user' ? actor.id : null;
  const row: NewChange = {
    ...draft,
    id,
    items: [...items],
    content_hash: hashItems(items),
    author_ids: author === null ? [] : [author],
    created_by: author,
    created_by_name: actor.name,
  };
  await insertChange(tx, row, owners, items.flatMap(listObjectIds));
  await insertChangeTransition(tx, {
    change_id: id,
    from: null,
    to: 'draft',
    actor_id: author,
    actor_name: actor.name,
    comment: '',
  });
  const stored = await lockChange(tx, 'all', id);
  if (!stored) throw new Error('expected the stored change to exist');
  await publishChange(tx, id);
  await recordChange(tx, scope, stored, 'change.created', { edits: items });
  return stored;
}

/** The answer is the same for a workload that does not exist and one that is not visible. @throws AppError `malformed` */
export async function assertCanaries(tx: Tx, { reach }: Scope<'policy:write'>, { canaries }: Waves): Promise<void> {
  if (canaries?.by !== 'workloads') return;
  const known = await listWorkloadNames(tx, reach, canaries.workload_ids);
  const unknown = canaries.workload_ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw new AppError('malformed', 'Workload not found.', {
    errors: unknown.map((id) => ({
      field: 'waves.canaries.workload_ids',
      message: `Workload ${id} not found. It may have been deleted.`,
    })),
  });
}

/** Without a timer a change is confirmed with its last write, and nothing would be logged. @throws AppError `refused` */
export function assertTimerForLog({
  confirm_within_seconds: seconds,
  log_new_rules: level,
}: Pick<ChangeCreate, 'confirm_within_seconds' | 'log_new_rules'>): void {
  if (level === null || seconds > 0) return;
  throw refuseField(
    'log_new_rules',
    'Rules are logged until the change is confirmed, so it needs a time to confirm. Set confirm_within_seconds, or leave log_new_rules out.',
  );
}

/**
 * Collects edits as one draft. Nothing of it is stored elsewhere or applied.
 * @param isFile whether they come from a policy file
 * @throws AppError as `normalizeItems`
 */
export async function createChange(
  scope: Scope<'policy:write'>,
  session: Session,
  { items: given, ...draft }: Omit<Draft, 'reverts'> & { items: readonly ChangeEdit[] },
  isFile = false,
): Promise<Change> {
  assertTimerForLog(draft);
  const { id } = await db.transaction(async (tx) => {
    const { items, owners } = await normalizeItems(
      { tx, scope, session, former: [], managed_by: draft.managed_by ?? null, isFile },
      given,
    );
    await assertCanaries(tx, scope, draft.waves);
    return insertDraft(tx, scope, draft, items, owners);
  });
  return readChange(scope, session, id);
}
