import { listRoutes } from '../api/list-routes';
import { appRouter } from '../api/root';
import type { Route } from './define-route';
import { agentRoutes } from './routes/agents';
import { authRoutes } from './routes/auth';
import { eventRoutes } from './routes/events';
import { healthRoutes } from './routes/health';
import { insightRoutes } from './routes/insights';
import { openapiRoutes } from './routes/openapi';
import { policyFileRoutes } from './routes/policy-file';
import { setupRoutes } from './routes/setup';
import { signInProviderRoutes } from './routes/sign-in-provider';
import { systemRoutes } from './routes/system';

/**
 * What is no operation, because no page calls it that way: cookies and redirects of signing in, the first account, what nodes
 * and probes call, and answers that are streams or files of their own.
 */
const exceptions: readonly Route[] = [
  ...healthRoutes,
  ...authRoutes,
  ...signInProviderRoutes,
  ...setupRoutes,
  ...systemRoutes,
  ...agentRoutes,
  ...insightRoutes,
  ...eventRoutes,
  ...openapiRoutes,
  ...policyFileRoutes,
];

/** Every REST operation of the service. A route that is not in this table does not exist. */
export const routes: readonly Route[] = [...exceptions, ...listRoutes(appRouter)];
