import type { Cluster } from '@/domain/cluster';

/** What can be done here about a failed sync, by its code. */
export type Remedy = { title: string; action: 'edit' | 'check'; label: string };

const REMEDIES: Record<string, Remedy> = {
  tls_changed: { title: 'The certificate of the cluster has changed', action: 'edit', label: 'Compare certificates' },
  tls_untrusted: { title: 'The certificate is not trusted', action: 'edit', label: 'Confirm certificate' },
  unauthorized: { title: 'The cluster refuses the API token', action: 'edit', label: 'Replace token' },
  forbidden: { title: 'The API token lacks a privilege', action: 'check', label: 'Show privileges' },
  unreachable: { title: 'The cluster cannot be reached', action: 'check', label: 'Check connection' },
  timeout: { title: 'The cluster does not answer in time', action: 'check', label: 'Check connection' },
  target_refused: { title: 'The address is not allowed', action: 'edit', label: 'Edit connection' },
};

/** The remedy for the last failure, or null when the last sync did not fail. */
export function syncTrouble(
  cluster: Pick<Cluster, 'sync_status' | 'last_sync_error' | 'last_sync_error_code'>,
): Remedy | null {
  if (cluster.sync_status !== 'failed') return null;
  return (
    REMEDIES[cluster.last_sync_error_code ?? ''] ?? {
      title: 'The last sync failed',
      action: 'check',
      label: 'Check connection',
    }
  );
}
