import type { AddressReader } from '../../types';
import type { PveClient } from '../client';
import type { ClientOptions } from '../client-options';
import { createInventoryContext } from '../inventory/context';
import { listLeases } from './list-leases';
import { readAgentInterfaces } from './read-agent-interfaces';
import { readContainerInterfaces } from './read-container-interfaces';
import { readGuestSettings } from './read-guest-settings';

/** Reads which addresses the guests of a Proxmox VE cluster use. */
export function createAddressReader(client: PveClient, options: ClientOptions): AddressReader {
  const context = createInventoryContext(client, options);
  return {
    readGuestSettings: (guest) => readGuestSettings(context, guest),
    readGuestInterfaces: (guest) =>
      guest.kind === 'qemu' ? readAgentInterfaces(client, guest) : readContainerInterfaces(client, guest),
    listLeases: () => listLeases(context),
  };
}
