import type { AddressWrite, ConflictWrite, StoredInterface } from './discovery-plan';
import type { GuestReading, Observation } from './observe';

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const pairKey = (a: string, b: string) => (a < b ? `${a} ${b}` : `${b} ${a}`);

/** The network cards that have each MAC address: as read now, of guests that could not be read as stored. */
function cardsByMac(readings: readonly GuestReading[], interfaces: readonly StoredInterface[]) {
  const cards = new Map<string, { workload_id: string; nic: string }[]>();
  const add = (mac: string | null, workload_id: string, nic: string) => {
    if (mac === null) return;
    const list = cards.get(mac) ?? [];
    list.push({ workload_id, nic });
    cards.set(mac, list);
  };
  const read = new Set<string>();
  for (const { workload_id, settings } of readings) {
    if (!settings) continue;
    read.add(workload_id);
    for (const nic of settings.nics) add(nic.mac?.toLowerCase() ?? null, workload_id, nic.name);
  }
  for (const nic of interfaces) if (!read.has(nic.workload_id)) add(nic.mac, nic.workload_id, nic.name);
  return cards;
}

/** What a discovery sees that contradicts itself or what is stored: each conflict once, by kind and key. */
export class DetectedConflicts {
  readonly all = new Map<string, ConflictWrite>();
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  #add(conflict: Omit<ConflictWrite, 'id' | 'state_before'>): void {
    this.all.set(`${conflict.kind} ${conflict.key}`, { ...conflict, id: this.#newId(), state_before: null });
  }

  /** Another workload uses an address that somebody holds, or that is reserved. */
  addHeld(kind: 'duplicate_address' | 'reserved_in_use', target: AddressWrite, other: Observation): void {
    const { workload_id, network_id, address, mac } = target;
    const who = kind === 'duplicate_address' ? pairKey(workload_id ?? '', other.workload_id) : other.workload_id;
    this.#add({
      kind,
      key: `${network_id} ${address} ${who}`,
      ip_address_id: target.id,
      network_id,
      address,
      mac,
      workload_id,
      interface_name: null,
      other_workload_id: other.workload_id,
      other_interface_name: other.nic,
      other_mac: other.mac,
      other_source: other.source,
    });
  }

  /** A card has an address that no subnet of its network holds. */
  addOutside(addressId: string, observation: Observation, networkId: string | null): void {
    const { address, workload_id, mac, nic, source } = observation;
    this.#add({
      kind: 'outside_subnet',
      key: `${networkId} ${address} ${workload_id}`,
      ip_address_id: addressId,
      network_id: networkId,
      address,
      mac,
      workload_id,
      interface_name: nic,
      other_workload_id: null,
      other_interface_name: null,
      other_mac: null,
      other_source: source,
    });
  }

  /** Several cards have one MAC address. */
  addDuplicateMacs(readings: readonly GuestReading[], interfaces: readonly StoredInterface[]): void {
    for (const [mac, list] of cardsByMac(readings, interfaces)) {
      const [first, ...others] = list.sort((a, b) => compare(a.workload_id, b.workload_id) || compare(a.nic, b.nic));
      for (const other of others) {
        if (!first || (other.workload_id === first.workload_id && other.nic === first.nic)) continue;
        this.#add({
          kind: 'duplicate_mac',
          key: `${mac} ${first.workload_id} ${first.nic} ${other.workload_id} ${other.nic}`,
          ip_address_id: null,
          network_id: null,
          address: null,
          mac,
          workload_id: first.workload_id,
          interface_name: first.nic,
          other_workload_id: other.workload_id,
          other_interface_name: other.nic,
          other_mac: mac,
          other_source: null,
        });
      }
    }
  }
}
