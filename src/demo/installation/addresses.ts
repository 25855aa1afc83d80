import { DiscoverInput } from '@/domain/ipam/discovery';
import { awaitDiscovery, requestDiscovery } from '@/server/addresses/discovery/request-discovery';
import { systemScope } from '@/server/auth/scope';

/** Asks all guests for their addresses, and waits for the answers. */
export async function discoverAddresses(signal: AbortSignal): Promise<void> {
  const scope = systemScope('ipam:discover', 'demo data');
  const accepted = await requestDiscovery(scope, DiscoverInput.parse({}));
  const result = await awaitDiscovery(scope, accepted, { signal });
  const failed = result?.clusters.find(({ status }) => status !== 'ok');
  if (!result || failed)
    throw new Error(`the demo's addresses were not discovered: ${failed?.errors[0]?.message ?? ''}`);
}
