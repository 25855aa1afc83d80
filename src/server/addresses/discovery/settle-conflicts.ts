import type { AddressState } from '@/domain/ipam/ip-address';
import type { AddressWrite, ConflictWrite, DiscoveryPlan, StoredConflict, StoredInterface } from './discovery-plan';
import type { GuestReading, Observation } from './observe';

type Found = {
  stored: readonly StoredConflict[];
  detected: ReadonlyMap<string, ConflictWrite>;
  /** Whether a conflict that was not seen is proved to be no more. */
  isOver: (conflict: StoredConflict) => boolean;
  /** Every address as it will be, by id. Their states follow: `conflict` while one is open, else as before it. */
  desired: ReadonlyMap<string, AddressWrite>;
  /** Whether an address is static or not, as far as it was seen. */
  observedState: ReadonlyMap<string, AddressState>;
};

/** What addresses were before the conflicts about them that are open, by id: what they are besides being disputed. */
export function mapStatesBefore(conflicts: readonly StoredConflict[]): Map<string, string> {
  const before = new Map<string, string>();
  for (const { status, ip_address_id, state_before } of conflicts)
    if (status === 'open' && ip_address_id !== null && state_before !== null) before.set(ip_address_id, state_before);
  return before;
}

/** The states of addresses while conflicts are open, and what they become when none is any more. */
function settleStates(
  { desired, observedState }: Found,
  open: ReadonlySet<string>,
  before: ReadonlyMap<string, string>,
) {
  for (const row of desired.values()) {
    if (open.has(row.id)) {
      if (row.state !== 'stale') row.state = 'conflict';
    } else if (row.state === 'conflict') {
      const settled = before.get(row.id);
      const seenAs = row.source === 'manual' ? undefined : observedState.get(row.id);
      row.state = seenAs ?? (settled === 'reserved' || settled === 'dhcp' ? settled : 'active');
    }
  }
}

/** Compares the conflicts seen with those stored, and lets the states of the addresses follow. */
export function settleConflicts(found: Found): Pick<DiscoveryPlan, 'open'> & DiscoveryPlan['conflicts'] {
  const { stored, detected, desired } = found;
  const plan = { create: [] as ConflictWrite[], reopen: [] as ConflictWrite[], gone: [] as StoredConflict[], open: 0 };
  const open = new Set<string>();
  const before = mapStatesBefore(stored);
  const markOpen = (addressId: string | null) => {
    plan.open += 1;
    if (addressId !== null) open.add(addressId);
  };
  const getStateBefore = (id: string | null) => {
    const state = id === null ? undefined : desired.get(id)?.state;
    return state === undefined || state === 'conflict' ? (before.get(id ?? '') ?? null) : state;
  };
  const current = new Map(stored.map((conflict) => [`${conflict.kind} ${conflict.key}`, conflict]));
  for (const [name, conflict] of detected) {
    const known = current.get(name);
    const write = { ...conflict, state_before: getStateBefore(conflict.ip_address_id) };
    if (!known) plan.create.push(write);
    else if (known.status === 'gone') plan.reopen.push({ ...write, id: known.id });
    else if (known.status === 'resolved') continue;
    markOpen(conflict.ip_address_id);
  }
  for (const [name, conflict] of current) {
    if (detected.has(name) || conflict.status === 'gone') continue;
    if (found.isOver(conflict)) plan.gone.push(conflict);
    else if (conflict.status === 'open') markOpen(conflict.ip_address_id);
  }
  settleStates(found, open, before);
  return plan;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const pairKey = (a: string, b: string) => (a < b ? `${a} ${b}` : `${b} ${a}`);

/** The interfaces that have each MAC address: as just read; for guests that could not be read, as stored. */
function groupInterfacesByMac(readings: readonly GuestReading[], interfaces: readonly StoredInterface[]) {
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

  /** Another workload uses an address that has a holder or is reserved. */
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

  /** An interface has an address outside all subnets of its network. */
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
    for (const [mac, list] of groupInterfacesByMac(readings, interfaces)) {
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
