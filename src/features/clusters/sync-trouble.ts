import type { Cluster } from '@/domain/cluster';
import { msg } from '@/lib/i18n/translator';

/** What can be done here about a failed sync, by its code. */
export type Remedy = { title: string; action: 'edit' | 'check'; label: string };

const REMEDIES: Record<string, Remedy> = {
  tls_changed: {
    title: msg('The certificate of the cluster has changed'),
    action: 'edit',
    label: msg('Compare certificates'),
  },
  tls_untrusted: { title: msg('The certificate is not trusted'), action: 'edit', label: msg('Confirm certificate') },
  unauthorized: { title: msg('The cluster refuses the API token'), action: 'edit', label: msg('Replace token') },
  forbidden: { title: msg('The API token lacks a privilege'), action: 'check', label: msg('Show privileges') },
  unreachable: { title: msg('The cluster cannot be reached'), action: 'check', label: msg('Check connection') },
  timeout: { title: msg('The cluster does not answer in time'), action: 'check', label: msg('Check connection') },
  target_refused: { title: msg('The address is not allowed'), action: 'edit', label: msg('Edit connection') },
};

/** The remedy for the last failure, or null when the last sync did not fail. */
export function syncTrouble(
  cluster: Pick<Cluster, 'sync_status' | 'last_sync_error' | 'last_sync_error_code'>,
): Remedy | null {
  if (cluster.sync_status !== 'failed') return null;
  return (
    REMEDIES[cluster.last_sync_error_code ?? ''] ?? {
      title: msg('The last sync failed'),
      action: 'check',
      label: msg('Check connection'),
    }
  );
}
