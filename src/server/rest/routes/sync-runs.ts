import { z } from 'zod';
import { SyncRun, SyncRunListInput, SyncRunPage } from '@/domain/sync';
import { listSyncRuns } from '../../services/sync-runs/list-sync-runs';
import { readSyncRun } from '../../services/sync-runs/read-sync-run';
import { defineRoute } from '../define-route';

const tag = 'Clusters';

export const syncRunRoutes = [
  defineRoute({
    method: 'GET',
    path: '/sync-runs',
    summary: 'Runs of syncs and discoveries over all clusters, newest first.',
    tag,
    access: { permission: 'cluster:read' },
    query: SyncRunListInput,
    response: { status: 200, schema: SyncRunPage },
    handler: ({ scope, query }) => listSyncRuns(scope, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/sync-runs/{run_id}',
    summary: 'One run with its counters and errors.',
    tag,
    access: { permission: 'cluster:read' },
    params: z.object({ run_id: z.uuid() }),
    response: { status: 200, schema: SyncRun },
    handler: ({ scope, params }) => readSyncRun(scope, params.run_id),
  }),
];
