import { listObjectIds } from '@/domain/change/item-objects';
import { toOwner } from '@/domain/permissions';
import type { Tx } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { auditedGroup } from '../../groups/groups';
import { readPolicySnapshot } from '../../policies/change-policy';
import { auditedTest } from '../../policy-tests/policy-tests';
import type { ChangeRow } from '../../queries/changes';
import { lockObjects } from '../../queries/managed-objects';
import { lockPolicy } from '../../queries/policies';
import { lockPolicyTest } from '../../queries/policy-tests';
import { lockSecurityGroup } from '../../queries/security-groups';

/** One edit whose object has another version than the one that it was made from. */
type Conflict = {
  readonly kind: 'policy' | 'group' | 'policy test';
  readonly id: string;
  readonly name: string;
  readonly base_version: number;
  /** Null: it was deleted. */
  readonly version: number | null;
  readonly base: object | null;
  readonly current: object | null;
  /** What the change makes of it; null: it deletes it. */
  readonly change: object | null;
};

async function listConflicts(tx: Tx, { items }: Pick<ChangeRow, 'items'>): Promise<Conflict[]> {
  const conflicts: Conflict[] = [];
  for (const item of items) {
    if (item.base_version === null) continue;
    const { name, base_version } = item;
    if (item.kind === 'policy' || item.kind === 'policy_delete') {
      const row = await lockPolicy(tx, 'all', item.policy_id);
      if (row?.version === base_version) continue;
      conflicts.push({
        ...{ kind: 'policy', id: item.policy_id, name, base_version, version: row?.version ?? null },
        base: item.before,
        current: row && { ...(await readPolicySnapshot(tx, row)), ...toOwner(row) },
        change: item.kind === 'policy' ? item.after : null,
      });
    } else if (item.kind === 'policy_test' || item.kind === 'policy_test_delete') {
      const row = await lockPolicyTest(tx, 'all', item.policy_test_id);
      if (row?.version === base_version) continue;
      conflicts.push({
        ...{ kind: 'policy test', id: item.policy_test_id, name, base_version, version: row?.version ?? null },
        base: item.before,
        current: row && auditedTest(row),
        change: item.kind === 'policy_test' ? item.after : null,
      });
    } else {
      const row = await lockSecurityGroup(tx, 'all', item.group_id);
      if (row?.version === base_version) continue;
      const members = item.kind === 'group_members' ? { add: item.add, remove: item.remove } : null;
      const change = item.kind === 'group' ? item.after : members;
      const base = item.kind === 'group_members' ? null : item.before;
      const current = row && auditedGroup(row);
      conflicts.push({
        ...{ kind: 'group', id: item.group_id, name, base_version, version: row?.version ?? null },
        ...{ base, current, change },
      });
    }
  }
  return conflicts;
}

/**
 * Locks what a change edits, and refuses it when someone else stored another version since.
 * @throws AppError `version_conflict` with what is stored and what the change makes of it, side by side
 */
export async function assertBases(tx: Tx, change: Pick<ChangeRow, 'items'>): Promise<void> {
  await lockObjects(tx, change.items.flatMap(listObjectIds));
  const conflicts = await listConflicts(tx, change);
  const [first] = conflicts;
  if (!first) return;
  const what = `${first.kind} ${first.name}`;
  throw new AppError(
    'version_conflict',
    first.version === null
      ? `The ${what} was deleted by someone else. Edit the change.`
      : `The ${what} was changed by someone else since the change was drafted. Compare both, then edit the change.`,
    { extra: { version: first.version, given_version: first.base_version, conflicts } },
  );
}
