import { router } from './trpc';

/** Every tRPC procedure of the admin pages. */
export const appRouter = router({});

export type AppRouter = typeof appRouter;
