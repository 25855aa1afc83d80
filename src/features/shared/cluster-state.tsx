import type { Cluster, SyncStatus } from '@/domain/cluster';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';

export const SYNC_STATES: Record<SyncStatus, { tone: Tone; word: string }> = {
  never: { tone: 'unknown', word: 'Never synced' },
  queued: { tone: 'neutral', word: 'Sync queued' },
  running: { tone: 'info', word: 'Syncing' },
  ok: { tone: 'ok', word: 'In sync' },
  failed: { tone: 'danger', word: 'Sync failed' },
};

/** How the last sync of a cluster went, or that one is under way. */
export function ClusterState({ cluster }: { cluster: Pick<Cluster, 'sync_status'> }) {
  const { tone, word } = SYNC_STATES[cluster.sync_status];
  return (
    <Status tone={tone} pulse={cluster.sync_status === 'running'}>
      {word}
    </Status>
  );
}
