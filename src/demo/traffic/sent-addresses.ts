import type { SentAddresses } from '@fabric/agent-contract';
import { SITES } from '../inventory/company';
import type { ClustersView } from './clusters-view';

/** Addresses from which guests send besides their own: what the page of conflicts shows in the demo. */
const FOREIGN: Readonly<Record<string, string>> = {
  // A backend that answers from the address of its neighbor: spoofed.
  'web-04': '10.40.20.13',
  // Two machines of a test with the same address, which is registered nowhere: duplicate, and unmanaged.
  'stage-web-01': '10.40.70.99',
  'stage-api-01': '10.40.70.99',
  // A virtual machine inside a build server: unmanaged.
  'runner-01': '10.40.60.200',
};

/** From which addresses the guests of a node sent packets. */
export function listSentAddresses(view: ClustersView, site: string, node: string): SentAddresses {
  const guests = new Map(SITES.find(({ name }) => name === site)?.guests.map((guest) => [guest.vmid, guest]));
  const addresses = view.cardsOf(site, node).flatMap(({ vmid, device }) => {
    const guest = guests.get(vmid);
    const used = guest ? [guest.address, guest.address6, guest.second_address, FOREIGN[guest.name]] : [];
    return used
      .filter((address) => address !== undefined)
      .map((address) => ({ interface: device, vmid, nic: 0, address }));
  });
  return { version: 1, addresses, left_out: 0 };
}
