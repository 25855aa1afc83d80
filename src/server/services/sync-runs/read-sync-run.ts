import type { SyncRun } from '@/domain/sync';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { findSyncRun } from '../../repositories/sync-runs';

/** @throws AppError `not_found` */
export async function readSyncRun(_scope: Scope<'cluster:read'> | Scope<'cluster:sync'>, id: string): Promise<SyncRun> {
  const run = await findSyncRun(id);
  if (!run) throw new AppError('not_found', 'There is no such sync run. It may have been deleted with its cluster.');
  return run;
}
