import type { Dashboard } from '@/domain/dashboard/dashboard';
import type { DashboardInput } from '@/domain/dashboard/dashboard-input';
import type { DashboardScopes } from '../../auth/dashboard-scopes';
import { readDashboardOperations } from './read-dashboard-operations';
import { readDashboardSecurity } from './read-dashboard-security';

/**
 * The whole dashboard, as far as it is within reach.
 * @throws AppError `malformed` when the range ends before it begins, `not_found` for a tenant out of reach
 */
export async function readDashboard(scopes: DashboardScopes, input: DashboardInput): Promise<Dashboard> {
  const [security, operations] = await Promise.all([
    readDashboardSecurity(scopes, input),
    readDashboardOperations(scopes, { tenant_id: input.tenant_id }),
  ]);
  return { ...operations, ...security };
}
