import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeEdit, ChangeItem } from '@/domain/change/items';
import { MAX_CHANGE_ITEMS } from '@/domain/choices';
import type { Owned } from '@/domain/permissions';
import { refuseField } from '../../../lib/refusals';
import { sha256 } from '../../impact/hashes';
import { claimItems } from '../../managed/managed';
import type { ItemContext } from './item-context';
import { normalizeGroup, normalizeGroupDeletion, normalizeMembers } from './normalize-group';
import { normalizeMove } from './normalize-move';
import { normalizePolicy, normalizePolicyDeletion } from './normalize-policy';
import { normalizePolicyTest, normalizePolicyTestDeletion } from './normalize-policy-test';
import { normalizeResidualRemoval } from './normalize-residual-removal';

/** Hash of what the items say; the names of what they edit and the former content are not part of it. */
export const hashItems = (items: readonly ChangeItem[]): string =>
  sha256(
    items
      .map(({ name: _, ...item }) => ({
        ...item,
        ...('before' in item && { before: null, moved_from: undefined }),
        managed_from: undefined,
      }))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );

type Normal = { readonly item: ChangeItem; readonly owners: readonly Owned[] };

function normalizeItem(context: ItemContext, at: number, given: ChangeEdit): Promise<Normal> {
  switch (given.kind) {
    case 'policy':
      return normalizePolicy(context, at, given);
    case 'policy_delete':
      return normalizePolicyDeletion(context, at, given);
    case 'group':
      return normalizeGroup(context, at, given);
    case 'group_members':
      return normalizeMembers(context, at, given);
    case 'group_delete':
      return normalizeGroupDeletion(context, at, given);
    case 'policy_test':
      return normalizePolicyTest(context, at, given);
    case 'policy_test_delete':
      return normalizePolicyTestDeletion(context, at, given);
    case 'move':
      return normalizeMove(context, at, given);
    case 'residual_removal':
      return normalizeResidualRemoval(context, at, given);
  }
}

/** What must occur only once: an object, the members of a group, and the name of a policy, group or test of one owner. */
function listKeys(item: ChangeItem): string[] {
  const { kind, name, tenant_id, project_id } = item;
  const isNamed = kind === 'policy' || kind === 'group' || kind === 'policy_test';
  const named = isNamed ? [JSON.stringify([kind, tenant_id, project_id, name])] : [];
  // The content of a group and its members are two edits; a deletion is both.
  if (kind === 'group_members') return [`members ${item.group_id}`];
  const members = kind === 'group_delete' ? [`members ${item.group_id}`] : [];
  return [...listObjectIds(item), ...members, ...named];
}

/**
 * The items of a change as they are stored: ids assigned, base versions checked, with owner and content before and after. The
 * caller must be permitted to write each of the objects, and no other source may manage them.
 * @throws AppError `not_found`, `version_conflict`, `conflict`, `malformed`, `refused`, `forbidden`, each naming the item
 */
export async function normalizeItems(
  context: ItemContext,
  edits: readonly ChangeEdit[],
): Promise<{ items: ChangeItem[]; owners: Owned[] }> {
  if (edits.length > MAX_CHANGE_ITEMS) {
    throw refuseField('items', `At most ${MAX_CHANGE_ITEMS} edits, with those of what is adopted.`);
  }
  const found: Normal[] = [];
  const keys = new Set<string>();
  for (const [place, edit] of edits.entries()) {
    const { at = place } = edit;
    const normal = await normalizeItem(context, at, edit);
    for (const key of listKeys(normal.item)) {
      if (keys.has(key)) throw refuseField(`items.${at}.kind`, 'Another edit of this change concerns the same object.');
      keys.add(key);
    }
    found.push(normal);
  }
  const items = await claimItems(
    context.tx,
    found.map(({ item }) => item),
    context.managed_by ?? null,
  );
  return { items, owners: found.flatMap(({ owners }) => owners) };
}
