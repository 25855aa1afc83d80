import { accountRouter } from './routers/account';
import { agentsRouter } from './routers/agents';
import { auditRouter } from './routers/audit';
import { clustersRouter } from './routers/clusters';
import { coverageRouter } from './routers/coverage';
import { dashboardRouter } from './routers/dashboard';
import { deploymentsRouter } from './routers/deployments';
import { flowsRouter } from './routers/flows';
import { insightsRouter } from './routers/insights';
import { ipAddressesRouter } from './routers/ip-addresses';
import { ipRangesRouter } from './routers/ip-ranges';
import { ipamRouter } from './routers/ipam';
import { ipamConflictsRouter } from './routers/ipam-conflicts';
import { ipamImportsRouter } from './routers/ipam-imports';
import { jobsRouter } from './routers/jobs';
import { mappingRulesRouter } from './routers/mapping-rules';
import { networksRouter } from './routers/networks';
import { nodesRouter } from './routers/nodes';
import { notificationChannelsRouter } from './routers/notification-channels';
import { notificationRulesRouter } from './routers/notification-rules';
import { notificationsRouter } from './routers/notifications';
import { policiesRouter } from './routers/policies';
import { projectsRouter } from './routers/projects';
import { rolesRouter } from './routers/roles';
import { securityGroupsRouter } from './routers/security-groups';
import { settingsRouter } from './routers/settings';
import { signInProviderRouter } from './routers/sign-in-provider';
import { subnetsRouter } from './routers/subnets';
import { syncRunsRouter } from './routers/sync-runs';
import { tenantsRouter } from './routers/tenants';
import { topologyRouter } from './routers/topology';
import { usersRouter } from './routers/users';
import { workloadsRouter } from './routers/workloads';
import { router } from './trpc';

/** Every tRPC procedure of the admin pages. */
export const appRouter = router({
  account: accountRouter,
  agents: agentsRouter,
  audit: auditRouter,
  clusters: clustersRouter,
  coverage: coverageRouter,
  dashboard: dashboardRouter,
  deployments: deploymentsRouter,
  flows: flowsRouter,
  insights: insightsRouter,
  ipAddresses: ipAddressesRouter,
  ipRanges: ipRangesRouter,
  ipam: ipamRouter,
  ipamConflicts: ipamConflictsRouter,
  ipamImports: ipamImportsRouter,
  jobs: jobsRouter,
  mappingRules: mappingRulesRouter,
  networks: networksRouter,
  nodes: nodesRouter,
  notificationChannels: notificationChannelsRouter,
  notificationRules: notificationRulesRouter,
  notifications: notificationsRouter,
  policies: policiesRouter,
  securityGroups: securityGroupsRouter,
  projects: projectsRouter,
  roles: rolesRouter,
  settings: settingsRouter,
  signInProvider: signInProviderRouter,
  subnets: subnetsRouter,
  tenants: tenantsRouter,
  topology: topologyRouter,
  users: usersRouter,
  syncRuns: syncRunsRouter,
  workloads: workloadsRouter,
});

export type AppRouter = typeof appRouter;
