import type { SyncRun } from '@/domain/sync';
import type { Scope } from '../auth/scope';
import { notFound } from '../lib/refusals';
import { findSyncRun } from './queries/sync-runs';

/** @throws AppError `not_found` */
export async function readSyncRun(_scope: Scope<'cluster:read'> | Scope<'cluster:sync'>, id: string): Promise<SyncRun> {
  const run = await findSyncRun(id);
  if (!run) throw notFound('sync run');
  return run;
}
