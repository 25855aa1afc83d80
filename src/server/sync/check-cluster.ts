import type { ClusterCheckInput, ClusterCheckReport } from '@/domain/cluster';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { clusterAccess, openProvider } from '../inventory/cluster-access';
import { findClusterRow } from '../inventory/queries/clusters';
import { AppError } from '../lib/errors';
import { notFound } from '../lib/refusals';
import type { ClusterAccess } from '../providers/hypervisor/types';

const tokenNeeded = (message: string) =>
  new AppError('refused', message, { errors: [{ field: 'api_token', message: 'Enter the API token.' }] });

/** The access to try, and of which stored cluster it is: that of a stored cluster with what the input replaces, or one that the input gives entirely. */
async function resolveAccess(input: ClusterCheckInput): Promise<{ access: ClusterAccess; name: string | null }> {
  const row = input.cluster_id === undefined ? null : await findClusterRow(db, input.cluster_id);
  if (input.cluster_id !== undefined && !row) throw notFound('cluster');
  const api_url = input.api_url ?? row?.api_url;
  if (api_url === undefined) throw new Error('expected the schema to require an address or a cluster');
  const stored = row !== null && row.api_url === api_url;
  const api_token = input.api_token ?? (stored ? clusterAccess(row).api_token : null);
  if (api_token === null) {
    throw tokenNeeded(
      row
        ? 'For a new address, enter the API token again: the stored token is only sent to its own address.'
        : 'Without an API token, only the address can be checked.',
    );
  }
  const pin = input.tls_fingerprint === undefined && stored ? row.tls_fingerprint : (input.tls_fingerprint ?? null);
  const access = {
    // Checks share nothing with the syncs of the cluster: an open breaker must not answer for it.
    key: `check:${new URL(api_url).host}`,
    api_url,
    api_token,
    tls_fingerprint: pin,
    tls_ca: stored && pin === row.tls_fingerprint ? row.tls_ca : null,
    // It is this address that is checked, not another node that would answer in its place.
    entry_points: [],
  };
  return { access, name: row?.name ?? null };
}

async function recordCheck(
  scope: Scope<'cluster:write'>,
  { cluster_id }: ClusterCheckInput,
  { api_url, name }: { api_url: string; name: string | null },
  { checks }: ClusterCheckReport,
): Promise<void> {
  const failed = checks.filter(({ status }) => status === 'failed').map((check) => check.name);
  await db.transaction((tx) =>
    recordAudit(tx, scope, {
      action: 'cluster.checked',
      object_kind: 'cluster',
      object_id: cluster_id ?? null,
      object_name: name ?? new URL(api_url).host,
      after: { api_url, failed },
    }),
  );
}

/**
 * Tests access to a cluster and reports what works. Stores only an audit record: the service connects to any address
 * it is given. Faults of the cluster are lines of the report, not errors.
 * @throws AppError `not_found` for an unknown cluster, `refused` when a token is needed
 */
export async function checkCluster(
  scope: Scope<'cluster:write'>,
  input: ClusterCheckInput,
): Promise<ClusterCheckReport> {
  const { access, name } = await resolveAccess(input);
  const provider = openProvider(access);
  try {
    const report = await provider.preflight.check();
    await recordCheck(scope, input, { api_url: access.api_url, name }, report);
    return report;
  } finally {
    provider.close();
  }
}
