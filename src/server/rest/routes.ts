import type { Route } from './define-route';
import { auditRoutes } from './routes/audit';
import { authRoutes } from './routes/auth';
import { settingsRoutes } from './routes/settings';

/** Every REST operation of the service. A route that is not in this table does not exist. */
export const routes: readonly Route[] = [...authRoutes, ...auditRoutes, ...settingsRoutes];
