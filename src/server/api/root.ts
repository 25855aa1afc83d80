import { accountRouter } from './routers/account';
import { agentsRouter } from './routers/agents';
import { auditRouter } from './routers/audit';
import { clustersRouter } from './routers/clusters';
import { flowsRouter } from './routers/flows';
import { jobsRouter } from './routers/jobs';
import { networksRouter } from './routers/networks';
import { nodesRouter } from './routers/nodes';
import { securityGroupsRouter } from './routers/security-groups';
import { settingsRouter } from './routers/settings';
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
  jobs: jobsRouter,
  networks: networksRouter,
  nodes: nodesRouter,
  securityGroups: securityGroupsRouter,
  settings: settingsRouter,
  syncRuns: syncRunsRouter,
  workloads: workloadsRouter,
});

export type AppRouter = typeof appRouter;
