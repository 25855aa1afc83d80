import type { ChangeItem } from '@/domain/change/items';
import type { LiveEvent } from '@/domain/live-event';
import type { ManagedBy } from '@/domain/managed-source';
import { type Owned, toOwner } from '@/domain/permissions';
import { isSameSnapshot } from '@/domain/policy/snapshot';
import { recordAudit } from '../../audit/record';
import type { Actor, Origin } from '../../auth/scope';
import type { Executor, Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { AppError } from '../../lib/errors';
import type { WithinChange } from '../changes/rollout/guard';
import { listManagers, type ManagedKind, updateManager } from '../queries/managed-objects';

const KINDS = { policy: 'policy', security_group: 'group', policy_test: 'policy test' } as const;

type Managed = Owned & { readonly id: string; readonly name: string; readonly managed_by: ManagedBy | null };

/**
 * Refuses an edit of an object that is managed as code, unless the edit comes from its source, is a rollback, or removes what has
 * expired. Every write of a policy, group or policy test comes here.
 * @throws AppError `conflict` with `reason` `managed_as_code`
 */
export function assertUnmanaged(
  kind: ManagedKind,
  { name, managed_by }: Pick<Managed, 'name' | 'managed_by'>,
  within?: WithinChange,
): void {
  if (!managed_by || within?.undoes || within?.expires || within?.source === managed_by.source) return;
  throw new AppError('conflict', describeRefusal(KINDS[kind], name, managed_by), {
    extra: { reason: 'managed_as_code', managed_by },
  });
}

const describeRefusal = (what: string, name: string, { source }: ManagedBy): string =>
  `The ${what} ${name} is managed as code by ${source}. Edit it there and apply it, or release it first.`;

type ObjectItem = Exclude<ChangeItem, { kind: 'move' | 'residual_removal' }>;

/** What an item edits, with its kind and ID; null: workloads, which no source manages. */
export function getManagedObject(item: ChangeItem): { kind: ManagedKind; id: string } | null {
  if ('policy_id' in item) return { kind: 'policy', id: item.policy_id };
  if ('group_id' in item) return { kind: 'security_group', id: item.group_id };
  return 'policy_test_id' in item ? { kind: 'policy_test', id: item.policy_test_id } : null;
}

/** Applying a policy as it is stored edits nothing. */
const isEdit = (item: ChangeItem): boolean =>
  item.kind !== 'policy' || item.before === null || 'moved_from' in item || !isSameSnapshot(item.before, item.after);

/**
 * The items of a change, each with what managed its object before when the change comes from a source.
 * @throws AppError `conflict` with `reason` `managed_as_code`, naming each item that edits what another source manages
 */
export async function claimItems(
  executor: Executor,
  items: readonly ChangeItem[],
  managed_by: ManagedBy | null,
): Promise<ChangeItem[]> {
  const objects = items.map(getManagedObject);
  const managers = await listManagers(
    executor,
    objects.flatMap((one) => one?.id ?? []),
  );
  const errors: { field: string; message: string }[] = [];
  const claimed = items.map((item, at): ChangeItem => {
    const object = objects[at];
    if (!object) return item;
    const manager = managers.get(object.id) ?? null;
    if (manager && manager.source !== managed_by?.source && (managed_by || isEdit(item))) {
      errors.push({ field: `items.${at}.kind`, message: describeRefusal(KINDS[object.kind], item.name, manager) });
    }
    const isCreated = 'before' in item && item.before === null;
    return managed_by && !isCreated ? { ...(item as ObjectItem), managed_from: manager } : item;
  });
  const [first] = errors;
  if (!first) return claimed;
  throw new AppError('conflict', first.message, { errors: errors.slice(0, 50), extra: { reason: 'managed_as_code' } });
}

const toEvent = (kind: ManagedKind, { id, ...row }: Managed): LiveEvent => {
  const owner = toOwner(row);
  switch (kind) {
    case 'policy':
      return { type: 'policy.changed', policy_id: id, ...owner };
    case 'security_group':
      return { type: 'security_group.changed', security_group_id: id, ...owner };
    case 'policy_test':
      return { type: 'policy_test.changed', ...owner };
  }
};

/** Has a source manage an object, or none, and records it when that is another one. */
export async function changeManager(
  tx: Tx,
  by: { readonly actor: Actor; readonly origin: Origin | null },
  kind: ManagedKind,
  row: Managed,
  managed_by: ManagedBy | null,
): Promise<void> {
  await updateManager(tx, kind, row.id, managed_by);
  if (row.managed_by?.source === managed_by?.source) return;
  await publishEvent(tx, toEvent(kind, row));
  await recordAudit(tx, by, {
    action: managed_by ? `${kind}.managed` : `${kind}.released`,
    object_kind: kind,
    object_id: row.id,
    object_name: row.name,
    tenant_id: row.tenant_id,
    before: { managed_by: row.managed_by?.source ?? null },
    after: { managed_by: managed_by?.source ?? null, commit: managed_by?.commit ?? null },
  });
}
