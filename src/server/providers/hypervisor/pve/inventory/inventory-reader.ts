import type { InventoryReader } from '../../types';
import type { PveClient } from '../client';
import type { ClientOptions } from '../client-options';
import { createInventoryContext } from './context';
import { guestPresence } from './guest-presence';
import { listGuests } from './list-guests';
import { listNodeNetworks } from './list-node-networks';
import { listNodes } from './list-nodes';
import { listSdn } from './list-sdn';
import { readCluster } from './read-cluster';
import { readGuestConfig } from './read-guest-config';

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
