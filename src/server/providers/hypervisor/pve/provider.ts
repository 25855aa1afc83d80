import type { AddressReader, HypervisorProvider, InventoryReader } from '../types';
import { listLeases } from './addresses/list-leases';
import { readAgentInterfaces } from './addresses/read-agent-interfaces';
import { readContainerInterfaces } from './addresses/read-container-interfaces';
import { readGuestSettings } from './addresses/read-guest-settings';
import { PveClient } from './client';
import type { ClientOptions } from './client-options';
import { createFirewallWriter } from './firewall/firewall-writer';
import { readClusterFirewall } from './firewall/read-cluster-firewall';
import { readGuestFirewall } from './firewall/read-guest-firewall';
import { createInventoryContext } from './inventory/context';
import { guestPresence } from './inventory/guest-presence';
import { listGuests } from './inventory/list-guests';
import { listNodeNetworks } from './inventory/list-node-networks';
import { listNodes } from './inventory/list-nodes';
import { listSdn } from './inventory/list-sdn';
import { readCluster } from './inventory/read-cluster';
import { readGuestConfig } from './inventory/read-guest-config';
import { createPreflight } from './preflight/preflight';

/** Reads which addresses the guests of a Proxmox VE cluster use. */
function createAddressReader(client: PveClient, options: ClientOptions): AddressReader {
  const context = createInventoryContext(client, options);
  return {
    readGuestSettings: (guest) => readGuestSettings(context, guest),
    readGuestInterfaces: (guest) =>
      guest.kind === 'qemu' ? readAgentInterfaces(client, guest) : readContainerInterfaces(client, guest),
    listLeases: () => listLeases(context),
  };
}

/** Reads what a Proxmox VE cluster holds. */
export function createInventoryReader(client: PveClient, options: ClientOptions): InventoryReader {
  const context = createInventoryContext(client, options);
  return {
    readCluster: () => readCluster(context),
    listNodes: () => listNodes(context),
    listGuests: () => listGuests(context),
    readGuestConfig: (guest) => readGuestConfig(context, guest),
    guestPresence: (guest) => guestPresence(context, guest),
    listNodeNetworks: (node) => listNodeNetworks(context, node),
    listSdn: () => listSdn(context),
  };
}

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
