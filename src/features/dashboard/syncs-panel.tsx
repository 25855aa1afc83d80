import { Waypoints } from 'lucide-react';
import type { LastSync } from '@/domain/dashboard/dashboard';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { Status } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import { ClusterLink } from '../shared/entity-links';
import { ClusterState, ReadOnlyBadge } from '../shared/sync/sync-state';

type Run = NonNullable<LastSync['ipam']>;

function runText(run: Run): { tone: 'ok' | 'warn' | 'danger' | 'info' | 'neutral'; word: string } {
  if (run.status === 'failed') return { tone: 'danger', word: msg('Discovery failed') };
  if (run.status === 'running') return { tone: 'info', word: msg('Discovering') };
  if (run.status === 'queued') return { tone: 'neutral', word: msg('Discovery queued') };
  return run.errors > 0
    ? { tone: 'warn', word: msg('Discovered with problems') }
    : { tone: 'ok', word: msg('Addresses discovered') };
}

/** How up to date the inventory and the addresses of each cluster are; failed ones first. */
export function SyncsPanel({ syncs }: { syncs: readonly LastSync[] }) {
  const t = useT();
  return (
    <div className="flex-1 rounded-lg border bg-surface">
      {syncs.length === 0 ? (
        <EmptyState icon={<Waypoints />} title={t('No clusters yet')}>
          {t('Add a cluster to see its sync status here.')}
        </EmptyState>
      ) : (
        <ul aria-label={t('Last syncs')} className="max-h-80 divide-y overflow-y-auto">
          {syncs.map((sync) => {
            const { ipam, inventory } = sync;
            const found = ipam && runText(ipam);
            return (
              <li key={sync.cluster_id} className="flex flex-col gap-0.5 px-4 py-2">
                <div className="flex items-center gap-3">
                  <span className="min-w-0 flex-1 truncate font-medium">
                    <ClusterLink id={sync.cluster_id} name={sync.cluster_name} />
                  </span>
                  <ReadOnlyBadge cluster={sync} />
                  <ClusterState cluster={sync} />
                  <Link
                    className="link shrink-0"
                    href={paths.cluster({ clusterId: sync.cluster_id, tab: 'runs' })}
                    aria-label={t('Sync runs of {name}', { name: sync.cluster_name })}
                  >
                    <RelativeTime at={sync.last_sync_at} none={t('Never')} />
                  </Link>
                </div>
                {sync.sync_status === 'failed' && sync.last_sync_error && (
                  <p className="text-pretty text-danger">{sync.last_sync_error}</p>
                )}
                {sync.sync_status === 'ok' && inventory && inventory.errors > 0 && (
                  <p className="text-warn">{t('Some data could not be read.')}</p>
                )}
                {!ipam && <p className="text-muted">{t('Addresses never discovered')}</p>}
                {ipam && found && (
                  <div className="flex items-center justify-between gap-3 text-muted">
                    <Status tone={found.tone} pulse={ipam.status === 'running'}>
                      {t(found.word)}
                    </Status>
                    <RelativeTime at={ipam.finished_at ?? ipam.created_at} />
                  </div>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
