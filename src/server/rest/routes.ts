import type { Route } from './define-route';
import { accountRoutes } from './routes/account';
import { agentRoutes } from './routes/agents';
import { auditRoutes } from './routes/audit';
import { authRoutes } from './routes/auth';
import { clusterRoutes } from './routes/clusters';
import { coverageRoutes } from './routes/coverage';
import { dashboardRoutes } from './routes/dashboard';
import { deploymentRoutes } from './routes/deployments';
import { eventRoutes } from './routes/events';
import { flowRoutes } from './routes/flows';
import { healthRoutes } from './routes/health';
import { insightRoutes } from './routes/insights';
import { ipAddressRoutes } from './routes/ip-addresses';
import { ipRangeRoutes } from './routes/ip-ranges';
import { ipamRoutes } from './routes/ipam';
import { mappingRuleRoutes } from './routes/mapping-rules';
import { networkRoutes } from './routes/networks';
import { nodeRoutes } from './routes/nodes';
import { notificationChannelRoutes } from './routes/notification-channels';
import { notificationRuleRoutes } from './routes/notification-rules';
import { notificationRoutes } from './routes/notifications';
import { openapiRoutes } from './routes/openapi';
import { policyRoutes } from './routes/policies';
import { policyViewRoutes } from './routes/policy-views';
import { projectRoutes } from './routes/projects';
import { roleRoutes } from './routes/roles';
import { securityGroupRoutes } from './routes/security-groups';
import { settingsRoutes } from './routes/settings';
import { setupRoutes } from './routes/setup';
import { signInProviderRoutes } from './routes/sign-in-provider';
import { subnetRoutes } from './routes/subnets';
import { syncRunRoutes } from './routes/sync-runs';
import { systemRoutes } from './routes/system';
import { tenantRoutes } from './routes/tenants';
import { topologyRoutes } from './routes/topology';
import { userRoutes } from './routes/users';
import { workloadRoutes } from './routes/workloads';

/** Every REST operation of the service. A route that is not in this table does not exist. */
export const routes: readonly Route[] = [
  ...healthRoutes,
  ...accountRoutes,
  ...authRoutes,
  ...setupRoutes,
  ...auditRoutes,
  ...settingsRoutes,
  ...signInProviderRoutes,
  ...systemRoutes,
  ...tenantRoutes,
  ...roleRoutes,
  ...userRoutes,
  ...clusterRoutes,
  ...syncRunRoutes,
  ...deploymentRoutes,
  ...nodeRoutes,
  ...projectRoutes,
  ...mappingRuleRoutes,
  ...workloadRoutes,
  ...networkRoutes,
  ...securityGroupRoutes,
  ...policyRoutes,
  ...policyViewRoutes,
  ...coverageRoutes,
  ...subnetRoutes,
  ...ipAddressRoutes,
  ...ipRangeRoutes,
  ...ipamRoutes,
  ...agentRoutes,
  ...flowRoutes,
  ...insightRoutes,
  ...topologyRoutes,
  ...dashboardRoutes,
  ...notificationRoutes,
  ...notificationRuleRoutes,
  ...notificationChannelRoutes,
  ...eventRoutes,
  ...openapiRoutes,
];
