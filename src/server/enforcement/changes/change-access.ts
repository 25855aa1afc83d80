import { isGroupItem, isTestItem } from '@/domain/change/item-objects';
import type { ChangeItem } from '@/domain/change/items';
import { computeReach, isWithinReach, type Owned, type Permission, type Reach } from '@/domain/permissions';
import type { Session } from '../../auth/scope';
import type { Executor } from '../../db/client';
import { AppError } from '../../lib/errors';
import { type ChangeRow, listChangeOwners } from '../queries/changes';

type Grants = Pick<Session, 'grants'>;

const isMove = ({ kind }: ChangeItem): boolean => kind === 'move';

/** Whether the caller has a permission for everything that a change changes. */
export const isPermittedAtAll = ({ grants }: Grants, permission: Permission, owners: readonly Owned[]): boolean => {
  const reach = computeReach(grants, permission);
  return owners.every((owner) => isWithinReach(owner, reach));
};

/** Whether the caller may edit a change: write each of the objects that it edits. */
export const mayWriteChange = (
  session: Grants,
  { items }: Pick<ChangeRow, 'items'>,
  owners: readonly Owned[],
): boolean =>
  isPermittedAtAll(session, 'policy:write', owners) &&
  isPermittedAtAll(session, 'group:write', items.filter(isGroupItem)) &&
  isPermittedAtAll(session, 'policy_test:write', items.filter(isTestItem)) &&
  isPermittedAtAll(session, 'workload:write', items.filter(isMove));

/** @throws AppError `forbidden` */
export async function assertMayWrite(executor: Executor, session: Grants, row: ChangeRow): Promise<void> {
  if (mayWriteChange(session, row, await listChangeOwners(executor, row.id))) return;
  throw new AppError('forbidden', 'This requires the permission to edit everything that the change edits.', {
    extra: { reason: 'several_owners' },
  });
}

/** The tenants of a change (null: the installation) for all parts of which someone with this reach may act. */
export function listCoveredTenants(owners: readonly Owned[], reach: Reach): (string | null)[] {
  const tenants = [...new Set(owners.map(({ tenant_id }) => tenant_id))];
  return tenants.filter((tenant) => owners.every((owner) => owner.tenant_id !== tenant || isWithinReach(owner, reach)));
}

/** Whether an item is visible: groups and policy tests have permissions of their own. */
export function isItemVisible({ grants }: Grants, reach: Reach, item: ChangeItem): boolean {
  if (!isWithinReach(item, reach)) return false;
  const permission = isGroupItem(item) ? 'group:read' : isTestItem(item) ? 'policy_test:read' : null;
  return permission === null || isWithinReach(item, computeReach(grants, permission));
}
