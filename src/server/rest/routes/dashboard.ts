import { Dashboard } from '@/domain/dashboard/dashboard';
import { DashboardInput } from '@/domain/dashboard/dashboard-input';
import { dashboardScopes } from '../../auth/dashboard-scopes';
import { readDashboard } from '../../services/dashboard/read-dashboard';
import { defineRoute } from '../define-route';

export const dashboardRoutes = [
  defineRoute({
    method: 'GET',
    path: '/dashboard',
    summary:
      'Security posture, suspicious traffic (all of it unless limited), top talkers, syncs, faulty nodes and policies at a glance.',
    tag: 'Dashboard',
    access: { permission: 'flow:read' },
    query: DashboardInput,
    response: { status: 200, schema: Dashboard },
    handler: ({ scope, session, query }) => readDashboard(dashboardScopes(session, scope), query),
  }),
];
