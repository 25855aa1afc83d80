import type { Page } from '@/domain/list';
import type { SyncRun, SyncRunListInput } from '@/domain/sync';
import type { Scope } from '../auth/scope';
import * as repository from './queries/sync-runs';

/** One page of the runs, newest first. */
export function listSyncRuns(_scope: Scope<'cluster:read'>, input: SyncRunListInput): Promise<Page<SyncRun>> {
  return repository.listSyncRuns(input);
}
