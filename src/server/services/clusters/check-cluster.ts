import type { ClusterCheckInput, ClusterCheckReport } from '@/domain/cluster';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import type { ClusterAccess } from '../../providers/hypervisor/types';
import { findClusterRow } from '../../repositories/clusters';
import { clusterAccess } from './cluster-access';
import { noSuchCluster } from './no-such-cluster';
import { openProvider } from './open-provider';

const tokenNeeded = (message: string) =>
  new AppError('refused', message, { errors: [{ field: 'api_token', message: 'Enter the API token.' }] });

/** The access to try: that of a stored cluster with what the input replaces, or one that the input gives entirely. */
async function accessToCheck(input: ClusterCheckInput): Promise<ClusterAccess> {
  const row = input.cluster_id === undefined ? null : await findClusterRow(db, input.cluster_id);
  if (input.cluster_id !== undefined && !row) throw noSuchCluster();
  const api_url = input.api_url ?? row?.api_url;
  if (api_url === undefined) throw new Error('the schema asks for an address or a cluster');
  const stored = row !== null && row.api_url === api_url;
  const api_token = input.api_token ?? (stored ? clusterAccess(row).api_token : null);
  if (api_token === null) {
    throw tokenNeeded(
      row
        ? 'A new address needs the API token entered again: the stored one is kept for its own.'
        : 'Without an API token only the address could be checked.',
    );
  }
  const pin = input.tls_fingerprint === undefined && stored ? row.tls_fingerprint : (input.tls_fingerprint ?? null);
  return {
    // Checks share nothing with the syncs of the cluster: an open breaker must not answer for it.
    key: `check:${new URL(api_url).host}`,
    api_url,
    api_token,
    tls_fingerprint: pin,
    tls_ca: stored && pin === row.tls_fingerprint ? row.tls_ca : null,
    // It is this address that is checked, not another node that would answer in its place.
    entry_points: [],
  };
}

/**
 * Tries an access to a cluster and tells what works. Nothing is stored. The faults of the cluster are lines of the
 * report, not errors.
 * @throws AppError `not_found` for an unknown cluster, `refused` when a token is needed
 */
export async function checkCluster(
  _scope: Scope<'cluster:write'>,
  input: ClusterCheckInput,
): Promise<ClusterCheckReport> {
  const provider = openProvider(await accessToCheck(input));
  try {
    return await provider.preflight.check();
  } finally {
    provider.close();
  }
}
