import type { Cluster, SyncStatus } from '@/domain/cluster';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';

export const SYNC_STATES: Record<SyncStatus, { tone: Tone; word: string }> = {
  never: { tone: 'unknown', word: msg('Never synced') },
  queued: { tone: 'neutral', word: msg('Sync queued') },
  running: { tone: 'info', word: msg('Syncing') },
  ok: { tone: 'ok', word: msg('In sync') },
  failed: { tone: 'danger', word: msg('Sync failed') },
};

/** How the last sync of a cluster went, or that one is under way. */
export function ClusterState({ cluster }: { cluster: Pick<Cluster, 'sync_status'> }) {
  const t = useT();
  const { tone, word } = SYNC_STATES[cluster.sync_status];
  return (
    <Status tone={tone} pulse={cluster.sync_status === 'running'}>
      {t(word)}
    </Status>
  );
}
