import { z } from 'zod';
import { SyncRunListInput } from '@/domain/sync';
import { listSyncRuns } from '../../services/sync-runs/list-sync-runs';
import { readSyncRun } from '../../services/sync-runs/read-sync-run';
import { procedure, router } from '../trpc';

export const syncRunsRouter = router({
  list: procedure('cluster:read')
    .input(SyncRunListInput)
    .query(({ ctx, input }) => listSyncRuns(ctx.scope, input)),
  get: procedure('cluster:read')
    .input(z.strictObject({ id: z.uuid() }))
    .query(({ ctx, input }) => readSyncRun(ctx.scope, input.id)),
});
