import { unseal } from '../lib/crypto';
import { env } from '../lib/env';
import { AppError } from '../lib/errors';
import { createProvider, type ProviderOptions } from '../providers/hypervisor/registry';
import type { ClusterAccess, HypervisorProvider } from '../providers/hypervisor/types';
import type { ClusterRow } from './queries/clusters';

/**
 * How to reach a stored cluster, its token decrypted.
 * @throws AppError `refused` when there is no token or it cannot be read any more
 */
export function clusterAccess(row: ClusterRow): ClusterAccess {
  const { api_token_encrypted: sealed, api_token_key_id: key_id } = row;
  if (sealed === null || key_id === null) {
    throw new AppError('refused', `${row.name} has no API token. Enter one in its settings.`);
  }
  let api_token: string;
  try {
    api_token = unseal({ sealed, key_id }, row.id);
  } catch (cause) {
    throw new AppError(
      'refused',
      `The API token of ${row.name} cannot be decrypted with the current FABRIC_SECRET_KEY. Restore the previous key or enter the token again.`,
      { cause },
    );
  }
  return {
    key: row.id,
    api_url: row.api_url,
    api_token,
    tls_fingerprint: row.tls_fingerprint,
    tls_ca: row.tls_ca,
    entry_points: row.entry_points,
  };
}

/** A provider that may reach what this installation allows. Close it when done. */
export function openProvider(
  access: ClusterAccess,
  options: Omit<ProviderOptions, 'allowTargets'> = {},
): HypervisorProvider {
  return createProvider(access, { ...options, allowTargets: env().FABRIC_ALLOW_PRIVATE_TARGETS });
}
