import { accountRouter } from './routers/account';
import { auditRouter } from './routers/audit';
import { settingsRouter } from './routers/settings';
import { router } from './trpc';

/** Every tRPC procedure of the admin pages. */
export const appRouter = router({ account: accountRouter, audit: auditRouter, settings: settingsRouter });

export type AppRouter = typeof appRouter;
