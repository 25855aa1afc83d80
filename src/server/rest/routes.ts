import type { Route } from './define-route';
import { loginRoute, logoutRoute, meRoute, refreshRoute } from './routes/auth';

/** Every REST operation of the service. A route that is not in this table does not exist. */
export const routes: readonly Route[] = [loginRoute, refreshRoute, logoutRoute, meRoute];
