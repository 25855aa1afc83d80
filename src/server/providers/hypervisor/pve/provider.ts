import type { HypervisorProvider } from '../types';
import { createAddressReader } from './addresses/address-reader';
import { PveClient } from './client';
import type { ClientOptions } from './client-options';
import { createFirewallWriter } from './firewall/firewall-writer';
import { readClusterFirewall } from './firewall/read-cluster-firewall';
import { readGuestFirewall } from './firewall/read-guest-firewall';
import { createInventoryContext } from './inventory/context';
import { createInventoryReader } from './inventory/inventory-reader';
import { createPreflight } from './preflight/preflight';

/** Proxmox VE, reached over its HTTPS API with an API token. Nothing is sent before a method is called. */
export function createPveProvider(options: ClientOptions): HypervisorProvider {
  const client = new PveClient(options);
  const inventory = createInventoryReader(client, options);
  const context = createInventoryContext(client, options);
  return {
    inventory,
    addresses: createAddressReader(client, options),
    preflight: createPreflight(client, options),
    firewallReader: {
      readClusterFirewall: () => readClusterFirewall(context),
      readGuestFirewall: (guest) => readGuestFirewall(client, guest),
    },
    firewallWriter: createFirewallWriter(client, inventory),
    close: () => client.close(),
  };
}
