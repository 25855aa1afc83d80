import {
  Dashboard,
  DashboardInput,
  DashboardOperationsInput,
  DashboardTrafficInput,
} from '@/domain/dashboard/dashboard';
import {
  dashboardScopes,
  readDashboard,
  readDashboardOperations,
  readDashboardSecurity,
  readDashboardTraffic,
  shareDashboard,
  shareOperations,
} from '../../insight/dashboard/read-dashboard';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Dashboard');

export const dashboardRouter = router({
  read: query({
    rest: 'GET /dashboard',
    summary:
      'Get an overview: security posture, suspicious traffic (unlimited by default), top talkers, syncs, faulty nodes and policies.',
    access: { permission: 'flow:read' },
    input: DashboardInput,
    output: Dashboard,
    run: ({ scope, session, input }) => readDashboard(dashboardScopes(session, scope), input),
  }),
  security: query({
    access: { permission: 'flow:read' },
    shared: shareDashboard(5),
    input: DashboardInput,
    run: ({ scope, session, input }) => readDashboardSecurity(dashboardScopes(session, scope), input),
  }),
  traffic: query({
    access: { permission: 'flow:read' },
    shared: shareDashboard(10),
    input: DashboardTrafficInput,
    run: ({ scope, session, input }) => readDashboardTraffic(dashboardScopes(session, scope), input),
  }),
  operations: query({
    access: { permission: 'flow:read' },
    shared: shareOperations,
    input: DashboardOperationsInput,
    run: ({ scope, session, input }) => readDashboardOperations(dashboardScopes(session, scope), input),
  }),
});
