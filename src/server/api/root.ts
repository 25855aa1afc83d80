import { accountRouter } from './operations/account';
import { agentsRouter } from './operations/agents';
import { auditRouter } from './operations/audit';
import { changeRolloutRouter } from './operations/change-rollout';
import { changesRouter } from './operations/changes';
import { clustersRouter } from './operations/clusters';
import { conversationsRouter } from './operations/conversations';
import { coverageRouter } from './operations/coverage';
import { dashboardRouter } from './operations/dashboard';
import { deploymentsRouter } from './operations/deployments';
import { directoryRouter } from './operations/directory';
import { driftRouter } from './operations/drift';
import { flowExportersRouter } from './operations/flow-exporters';
import { flowsRouter, topologyRouter } from './operations/flows';
import { forwardingRouter } from './operations/forwarding';
import { hygieneRouter } from './operations/hygiene';
import { impactsRouter } from './operations/impacts';
import { insightsRouter } from './operations/insights';
import { ipAddressesRouter } from './operations/ip-addresses';
import { ipRangesRouter } from './operations/ip-ranges';
import { ipamRouter } from './operations/ipam';
import { ipamConflictsRouter } from './operations/ipam-conflicts';
import { ipamImportsRouter } from './operations/ipam-imports';
import { jobsRouter } from './operations/jobs';
import { mappingRulesRouter } from './operations/mapping-rules';
import { netboxRouter } from './operations/netbox';
import { networksRouter } from './operations/networks';
import { nodesRouter } from './operations/nodes';
import { notificationChannelsRouter } from './operations/notification-channels';
import { notificationRulesRouter } from './operations/notification-rules';
import { notificationsRouter } from './operations/notifications';
import { policiesRouter } from './operations/policies';
import { policyFileRouter } from './operations/policy-file';
import { policyTestsRouter } from './operations/policy-tests';
import { projectsRouter } from './operations/projects';
import { reachRouter } from './operations/reach';
import { recertificationsRouter } from './operations/recertifications';
import { rolesRouter } from './operations/roles';
import { savedViewsRouter } from './operations/saved-views';
import { searchRouter } from './operations/search';
import { securityGroupsRouter } from './operations/security-groups';
import { settingsRouter } from './operations/settings';
import { signInProviderRouter } from './operations/sign-in-provider';
import { subnetsRouter } from './operations/subnets';
import { suggestionsRouter } from './operations/suggestions';
import { syncRunsRouter } from './operations/sync-runs';
import { tenantsRouter } from './operations/tenants';
import { usersRouter } from './operations/users';
import { workloadsRouter } from './operations/workloads';
import { router } from './trpc';

/** Every tRPC procedure of the admin pages. */
export const appRouter = router({
  account: accountRouter,
  agents: agentsRouter,
  audit: auditRouter,
  changeRollout: changeRolloutRouter,
  changes: changesRouter,
  clusters: clustersRouter,
  conversations: conversationsRouter,
  coverage: coverageRouter,
  dashboard: dashboardRouter,
  deployments: deploymentsRouter,
  drift: driftRouter,
  flows: flowsRouter,
  hygiene: hygieneRouter,
  insights: insightsRouter,
  ipAddresses: ipAddressesRouter,
  ipRanges: ipRangesRouter,
  ipam: ipamRouter,
  ipamConflicts: ipamConflictsRouter,
  impacts: impactsRouter,
  ipamImports: ipamImportsRouter,
  jobs: jobsRouter,
  mappingRules: mappingRulesRouter,
  flowExporters: flowExportersRouter,
  forwarding: forwardingRouter,
  netbox: netboxRouter,
  networks: networksRouter,
  nodes: nodesRouter,
  notificationChannels: notificationChannelsRouter,
  notificationRules: notificationRulesRouter,
  notifications: notificationsRouter,
  policies: policiesRouter,
  policyFile: policyFileRouter,
  policyTests: policyTestsRouter,
  search: searchRouter,
  securityGroups: securityGroupsRouter,
  projects: projectsRouter,
  reach: reachRouter,
  recertifications: recertificationsRouter,
  roles: rolesRouter,
  savedViews: savedViewsRouter,
  settings: settingsRouter,
  directory: directoryRouter,
  signInProvider: signInProviderRouter,
  subnets: subnetsRouter,
  tenants: tenantsRouter,
  topology: topologyRouter,
  users: usersRouter,
  suggestions: suggestionsRouter,
  syncRuns: syncRunsRouter,
  workloads: workloadsRouter,
});

export type AppRouter = typeof appRouter;
