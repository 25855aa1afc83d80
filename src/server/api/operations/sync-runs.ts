import { SyncRun, SyncRunListInput, SyncRunPage } from '@/domain/sync';
import { listSyncRuns } from '../../inventory/queries/sync-runs';
import { readSyncRun } from '../../inventory/reads';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Clusters');

export const syncRunsRouter = router({
  list: query({
    rest: 'GET /sync-runs',
    summary: 'List sync and discovery runs of all clusters, newest first.',
    access: { permission: 'cluster:read' },
    input: SyncRunListInput,
    output: SyncRunPage,
    run: ({ input }) => listSyncRuns(input),
  }),
  get: query({
    rest: 'GET /sync-runs/{run_id}',
    summary: 'Get one run with its counters and errors.',
    access: { permission: 'cluster:read' },
    output: SyncRun,
    run: ({ scope, params }) => readSyncRun(scope, params.run_id),
  }),
});
