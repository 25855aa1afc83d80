import type { Change, ChangeCreate } from '@/domain/change/change';
import type { ChangeItem } from '@/domain/change/items';
import { type Owned, toOwner } from '@/domain/permissions';
import type { Scope, Session } from '../../../auth/scope';
import { db, type Tx } from '../../../db/client';
import { newId } from '../../../lib/ids';
import {
  type ChangeRow,
  insertChange,
  insertChangeTransition,
  lockChange,
  type NewChange,
} from '../../queries/changes';
import { readChange } from '../read-change';
import { publishChange, recordChange } from '../transition';
import { getObjectId, hashItems, normalizeItems } from './normalize-items';

type Draft = Omit<ChangeCreate, 'items'> & Pick<NewChange, 'reverts'>;

/**
 * Stores a draft with items as they are stored, with its history and audit record.
 * @param owners whose rules it changes, where these are more than the owners of the items
 */
export async function insertDraft(
  tx: Tx,
  scope: Scope<'policy:write'>,
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
  await insertChange(tx, row, owners, items.map(getObjectId));
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

/**
 * Collects edits as one draft. Nothing of it is stored elsewhere or applied.
 * @throws AppError as `normalizeItems`
 */
export async function createChange(
  scope: Scope<'policy:write'>,
  session: Session,
  { items: given, ...draft }: ChangeCreate,
): Promise<Change> {
  const { id } = await db.transaction(async (tx) => {
    const { items, owners } = await normalizeItems({ tx, scope, session, former: [] }, given);
    return insertDraft(tx, scope, draft, items, owners);
  });
  return readChange(scope, session, id);
}
