import type { Route } from './define-route';

/** Every REST operation of the service. A route that is not in this table does not exist. */
export const routes: readonly Route[] = [];
