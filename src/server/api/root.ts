import { accountRouter } from './routers/account';
import { agentsRouter } from './routers/agents';
import { auditRouter } from './routers/audit';
import { clustersRouter } from './routers/clusters';
import { flowsRouter } from './routers/flows';
import { ipAddressesRouter } from './routers/ip-addresses';
import { ipRangesRouter } from './routers/ip-ranges';
import { ipamRouter } from './routers/ipam';
import { ipamConflictsRouter } from './routers/ipam-conflicts';
import { jobsRouter } from './routers/jobs';
import { networksRouter } from './routers/networks';
import { nodesRouter } from './routers/nodes';
import { securityGroupsRouter } from './routers/security-groups';
import { settingsRouter } from './routers/settings';
import { subnetsRouter } from './routers/subnets';
import { syncRunsRouter } from './routers/sync-runs';
import { workloadsRouter } from './routers/workloads';
import { router } from './trpc';

/** Every tRPC procedure of the admin pages. */
export const appRouter = router({
  account: accountRouter,
  agents: agentsRouter,
  audit: auditRouter,
  clusters: clustersRouter,
  flows: flowsRouter,
  ipAddresses: ipAddressesRouter,
  ipRanges: ipRangesRouter,
  ipam: ipamRouter,
  ipamConflicts: ipamConflictsRouter,
  jobs: jobsRouter,
  networks: networksRouter,
  nodes: nodesRouter,
  securityGroups: securityGroupsRouter,
  settings: settingsRouter,
  subnets: subnetsRouter,
  syncRuns: syncRunsRouter,
  workloads: workloadsRouter,
});

export type AppRouter = typeof appRouter;
