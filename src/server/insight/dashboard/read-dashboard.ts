import type { Dashboard } from '@/domain/dashboard/dashboard';
import type { DashboardInput } from '@/domain/dashboard/dashboard-input';
import type { DashboardScopes } from './dashboard-scopes';
import { readDashboardOperations } from './read-dashboard-operations';
import { readDashboardSecurity } from './read-dashboard-security';
import { readDashboardTraffic } from './read-dashboard-traffic';

/**
 * The whole dashboard, as far as it is within reach.
 * @throws AppError `malformed` when the range ends before it begins, `not_found` for a tenant out of reach
 */
export async function readDashboard(scopes: DashboardScopes, input: DashboardInput): Promise<Dashboard> {
  const { suspicious_limit: _, ...traffic } = input;
  const parts = await Promise.all([
    readDashboardOperations(scopes, { tenant_id: input.tenant_id }),
    readDashboardTraffic(scopes, traffic),
    readDashboardSecurity(scopes, input),
  ]);
  return { ...parts[0], ...parts[1], ...parts[2] };
}
