import type { Cluster } from '@/domain/cluster';
import { msg } from '@/lib/i18n/translator';

/** What can be done here about a failed sync, by its code. */
export type Remedy = { title: string; action: 'edit' | 'check'; label: string };

const REMEDIES: Record<string, Remedy> = {
  tls_changed: {
    title: msg('Cluster certificate changed'),
    action: 'edit',
    label: msg('Compare certificates'),
  },
  tls_untrusted: { title: msg('Certificate not trusted'), action: 'edit', label: msg('Confirm certificate') },
  unauthorized: { title: msg('API token rejected by cluster'), action: 'edit', label: msg('Replace token') },
  forbidden: { title: msg('API token lacks a privilege'), action: 'check', label: msg('Show privileges') },
  unreachable: { title: msg('Cluster unreachable'), action: 'check', label: msg('Check connection') },
  timeout: { title: msg('Cluster connection timed out'), action: 'check', label: msg('Check connection') },
  target_refused: { title: msg('Address not allowed'), action: 'edit', label: msg('Edit connection') },
};

/** The remedy for the last failure, or null when the last sync did not fail. */
export function findSyncRemedy(
  cluster: Pick<Cluster, 'sync_status' | 'last_sync_error' | 'last_sync_error_code'>,
): Remedy | null {
  if (cluster.sync_status !== 'failed') return null;
  return (
    REMEDIES[cluster.last_sync_error_code ?? ''] ?? {
      title: msg('Last sync failed'),
      action: 'check',
      label: msg('Check connection'),
    }
  );
}
