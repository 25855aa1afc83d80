import { type ApprovalRule, combineRules } from '@/domain/change/approval';
import type { MaintenanceWindow } from '@/domain/change/maintenance';
import type { Executor } from '../../db/client';
import { storedSettings } from '../../settings/settings';
import { listChangeRules } from '../../tenancy/queries/tenants';

const listTenantIds = (tenantIds: Iterable<string | null>): string[] => [
  ...new Set([...tenantIds].filter((id) => id !== null)),
];

/**
 * The rule of each of these owners: the stricter of the installation's and the tenant's own.
 * @param tenantIds null: what belongs to no tenant, which has the rule of the installation
 */
export async function readApprovalRules(
  executor: Executor,
  tenantIds: Iterable<string | null>,
): Promise<Map<string | null, ApprovalRule>> {
  const asked = [...tenantIds];
  const { change_approvals_required: required, change_approval_scope: scope } = await storedSettings(executor);
  const installation: ApprovalRule = { required, scope };
  const own = new Map(
    (await listChangeRules(executor, listTenantIds(asked))).map(({ id, approval }) => [id, approval]),
  );
  return new Map(asked.map((id) => [id, combineRules(installation, (id !== null && own.get(id)) || null)]));
}

/** The maintenance windows of each of these tenants; those that have none are missing, and so is the installation. */
export async function readMaintenanceWindows(
  executor: Executor,
  tenantIds: Iterable<string | null>,
): Promise<Map<string, readonly MaintenanceWindow[]>> {
  const rules = await listChangeRules(executor, listTenantIds(tenantIds));
  return new Map(
    rules.flatMap(({ id, maintenance_windows: windows }) => (windows.length > 0 ? [[id, windows] as const] : [])),
  );
}
