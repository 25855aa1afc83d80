import type { Route } from './define-route';
import { auditRoutes } from './routes/audit';
import { authRoutes } from './routes/auth';
import { healthRoutes } from './routes/health';
import { settingsRoutes } from './routes/settings';
import { setupRoutes } from './routes/setup';

/** Every REST operation of the service. A route that is not in this table does not exist. */
export const routes: readonly Route[] = [
  ...healthRoutes,
  ...authRoutes,
  ...setupRoutes,
  ...auditRoutes,
  ...settingsRoutes,
];
