import { DashboardInput, DashboardOperationsInput, DashboardTrafficInput } from '@/domain/dashboard/dashboard-input';
import { dashboardScopes } from '../../auth/dashboard-scopes';
import { readDashboardOperations } from '../../services/dashboard/read-dashboard-operations';
import { readDashboardSecurity } from '../../services/dashboard/read-dashboard-security';
import { readDashboardTraffic } from '../../services/dashboard/read-dashboard-traffic';
import { procedure, router } from '../trpc';

export const dashboardRouter = router({
  security: procedure('flow:read')
    .input(DashboardInput)
    .query(({ ctx, input }) => readDashboardSecurity(dashboardScopes(ctx.session, ctx.scope), input)),
  traffic: procedure('flow:read')
    .input(DashboardTrafficInput)
    .query(({ ctx, input }) => readDashboardTraffic(dashboardScopes(ctx.session, ctx.scope), input)),
  operations: procedure('flow:read')
    .input(DashboardOperationsInput)
    .query(({ ctx, input }) => readDashboardOperations(dashboardScopes(ctx.session, ctx.scope), input)),
});
