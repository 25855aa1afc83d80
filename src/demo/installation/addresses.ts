import type { Simulator } from '@fabric/simulator/http-server';
import { DiscoverInput } from '@/domain/ipam/discovery';
import { AddressInput } from '@/domain/ipam/ip-address';
import { createAddress } from '@/server/addresses/addresses';
import { awaitDiscovery, requestDiscovery } from '@/server/addresses/discovery/request-discovery';
import { listIpAddresses } from '@/server/addresses/queries/ip-addresses';
import { systemScope } from '@/server/auth/scope';
import { getGuestByName } from '../inventory/company';
import { ignoreConflict } from './kept-steps';

async function discover(signal: AbortSignal): Promise<void> {
  const scope = systemScope('ipam:discover', 'demo data');
  const accepted = await requestDiscovery(scope, DiscoverInput.parse({}));
  const result = await awaitDiscovery(scope, accepted, { signal });
  const failed = result?.clusters.find(({ status }) => status !== 'ok');
  if (!result || failed)
    throw new Error(`the demo's addresses were not discovered: ${failed?.errors[0]?.message ?? ''}`);
}

/** Registers an address that its workload does not use: it is stale after a week. */
async function registerUnused(): Promise<void> {
  const { guest } = getGuestByName('pg-02');
  const { items } = await listIpAddresses('all', { q: guest.address, limit: 1 });
  const [found] = items;
  if (!found?.workload_id) throw new Error(`${guest.name} has no address`);
  const { network_id, workload_id } = found;
  const input = AddressInput.parse({
    network_id,
    address: '10.40.40.60',
    workload_id,
    description: 'Planned: reports',
  });
  await ignoreConflict(() => createAddress(systemScope('ipam:write', 'demo data'), input));
}

/** Asks all guests for their addresses, and waits for the answers: before and after an address moved from one to another. */
export async function discoverAddresses(simulator: Simulator, signal: AbortSignal): Promise<void> {
  const [from, to] = [getGuestByName('worker-01'), getGuestByName('worker-02')];
  const cluster = simulator.cluster(to.site.name);
  const [before, after] = [from, to].map(({ guest }) => cluster.state.guests.get(guest.vmid)?.agent);
  const moved = to.guest.second_address;
  if (before?.kind === 'ok' && after?.kind === 'ok' && moved !== undefined) {
    const entry = { 'ip-address': moved, 'ip-address-type': 'ipv4' as const, prefix: 24 };
    const edit = (agent: typeof before, change: (list: (typeof entry)[]) => (typeof entry)[]) => ({
      ...agent,
      interfaces: agent.interfaces.map((one) =>
        one.name === 'lo' ? one : { ...one, 'ip-addresses': change((one['ip-addresses'] ?? []) as (typeof entry)[]) },
      ),
    });
    cluster.setAgent(
      from.guest.vmid,
      edit(before, (list) => [...list, entry]),
    );
    cluster.setAgent(
      to.guest.vmid,
      edit(after, (list) => list.filter((one) => one['ip-address'] !== moved)),
    );
    await discover(signal);
    cluster.setAgent(from.guest.vmid, before);
    cluster.setAgent(to.guest.vmid, after);
  }
  await discover(signal);
  await registerUnused();
}
