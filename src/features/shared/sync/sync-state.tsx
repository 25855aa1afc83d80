import type { Cluster, SyncStatus } from '@/domain/cluster';
import type { RunStatus, SyncRun } from '@/domain/sync';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Status, type Tone } from '@/ui/status';

export const RUN_STATES: Record<RunStatus, { tone: Tone; word: string }> = {
  queued: { tone: 'neutral', word: msg('Queued') },
  running: { tone: 'info', word: msg('Running') },
  ok: { tone: 'ok', word: msg('Succeeded') },
  failed: { tone: 'danger', word: msg('Failed') },
};

/** The state of a run. One that succeeded but could not read everything says so. */
export function RunState({ run }: { run: Pick<SyncRun, 'status' | 'errors'> }) {
  const t = useT();
  if (run.status === 'ok' && run.errors.length > 0) return <Status tone="warn">{t('Succeeded with problems')}</Status>;
  const { tone, word } = RUN_STATES[run.status];
  return (
    <Status tone={tone} pulse={run.status === 'running'}>
      {t(word)}
    </Status>
  );
}

export const SYNC_STATES: Record<SyncStatus, { tone: Tone; word: string }> = {
  never: { tone: 'unknown', word: msg('Never synced') },
  queued: { tone: 'neutral', word: msg('Sync queued') },
  running: { tone: 'info', word: msg('Syncing') },
  ok: { tone: 'ok', word: msg('In sync') },
  failed: { tone: 'danger', word: msg('Sync failed') },
};

/** That policies cannot be applied to a cluster: its API token lacks privileges. */
export function ReadOnlyBadge({ cluster }: { cluster: Pick<Cluster, 'missing_write_privileges'> }) {
  const t = useT();
  const missing = cluster.missing_write_privileges ?? [];
  if (missing.length === 0) return null;
  return (
    <span
      title={t('The API token lacks {privileges}. Policies cannot be applied.', { privileges: missing.join(', ') })}
    >
      <Badge tone="warn">{t('Read-only')}</Badge>
    </span>
  );
}

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
