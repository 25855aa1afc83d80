import type { AutoSyncTimes } from '@/domain/settings';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { mergeSetting } from '../../repositories/settings';
import { AUTO_SYNC_KEY } from './stored-settings';

/** Notes that a schedule started its runs now. */
export async function recordAutoSync(_scope: Scope<'cluster:sync'>, kind: 'node' | 'ipam'): Promise<void> {
  const at = clock.now().toISOString();
  const field: keyof AutoSyncTimes = kind === 'node' ? 'last_node_auto_sync_at' : 'last_ipam_auto_sync_at';
  await mergeSetting(db, AUTO_SYNC_KEY, { [field]: at }, at);
}
