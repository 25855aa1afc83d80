import { recordAudit } from '../audit/record';
import { systemScope } from '../auth/scope';
import type { ProviderOptions } from '../providers/hypervisor/registry';
import { type ClusterRow, lockClusterRow, updateCluster } from './queries/clusters';
import type { RunSession } from './run-session';

export type RenewedCertificate = Parameters<NonNullable<ProviderOptions['onCertificateRenewed']>>[0];

const scope = systemScope('cluster:sync', 'cluster sync');

/**
 * Pins the certificate that replaced the pinned one, after the provider had the cluster itself prove it. Only the pin
 * of the administrator's address: those of the other nodes are learned with them. A pin that was changed since the
 * read stays.
 */
export async function storeRenewedPin(
  session: RunSession,
  cluster: ClusterRow,
  renewals: readonly RenewedCertificate[],
): Promise<void> {
  const renewed = renewals.filter((item) => item.url === cluster.api_url).at(-1);
  if (!renewed) return;
  await session.write(async (tx) => {
    const row = await lockClusterRow(tx, cluster.id);
    if (!row || row.tls_fingerprint !== cluster.tls_fingerprint) return;
    await updateCluster(tx, cluster.id, { tls_fingerprint: renewed.current, version: row.version + 1 });
    await recordAudit(tx, scope, {
      action: 'cluster.certificate_renewed',
      object_kind: 'cluster',
      object_id: cluster.id,
      object_name: row.name,
      before: { tls_fingerprint: row.tls_fingerprint },
      after: { tls_fingerprint: renewed.current, proved_by: renewed.basis },
    });
  });
}
