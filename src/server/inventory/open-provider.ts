import { env } from '../lib/env';
import { createProvider, type ProviderOptions } from '../providers/hypervisor/registry';
import type { ClusterAccess, HypervisorProvider } from '../providers/hypervisor/types';

/** A provider that may reach what this installation allows. Close it when done. */
export function openProvider(
  access: ClusterAccess,
  options: Omit<ProviderOptions, 'allowTargets'> = {},
): HypervisorProvider {
  return createProvider(access, { ...options, allowTargets: env().FABRIC_ALLOW_PRIVATE_TARGETS });
}
