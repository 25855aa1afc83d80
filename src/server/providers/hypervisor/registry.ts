import { clock as systemClock } from '../../lib/clock';
import { logger as processLogger } from '../../lib/logger';
import type { ClientOptions } from './pve/client-options';
import { createPveProvider } from './pve/provider';
import type { ClusterAccess, HypervisorProvider } from './types';

export type ProviderOptions = Pick<ClientOptions, 'allowTargets'> &
  Partial<Pick<ClientOptions, 'clock' | 'logger' | 'onCertificateRenewed' | 'timeouts'>>;

/**
 * A provider for one cluster. Providers of the same `access.key` share their limits and what they know to be down, so
 * creating one per job is cheap; close it when done.
 */
export function createProvider(access: ClusterAccess, options: ProviderOptions): HypervisorProvider {
  return createPveProvider({ clock: systemClock, logger: processLogger, ...options, access });
}
