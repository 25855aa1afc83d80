import type { ConflictKind } from '@/domain/ipam/conflict';
import { isHostAddress } from '@/domain/ipam/host-address';
import type { AddressSource, AddressState } from '@/domain/ipam/ip-address';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import type { SdnLease } from '../../../providers/hypervisor/types';
import { type GuestReading, type Observation, type Observed, observe, provesAbsence, TRUST } from './observe';
import { type NewSubnet, type Place, Places, type StoredSubnet } from './places';

export type StoredAddress = {
  id: string;
  network_id: string;
  subnet_id: string;
  address: string;
  workload_id: string | null;
  interface_id: string | null;
  mac: string | null;
  state: AddressState;
  source: AddressSource;
  first_seen_at: string | null;
  last_seen_at: string | null;
  updated_at: string;
};
export type StoredConflict = {
  id: string;
  kind: ConflictKind;
  key: string;
  status: 'open' | 'resolved' | 'gone';
  ip_address_id: string | null;
  address: string | null;
  workload_id: string | null;
  other_workload_id: string | null;
  other_mac: string | null;
  other_source: string | null;
  state_before: string | null;
};
export type StoredInterface = {
  id: string;
  workload_id: string;
  name: string;
  mac: string | null;
  network_id: string | null;
};
/** A subnet as the plan needs it; `removable` when the discovery made it and nobody changed it. */
export type KnownSubnet = StoredSubnet & { removable: boolean };

export type DiscoveryInput = {
  readings: readonly GuestReading[];
  leases: { items: readonly SdnLease[]; complete: boolean };
  /** Networks of the cluster by name: what the bridge of a card names. */
  networks: ReadonlyMap<string, string>;
  subnets: readonly KnownSubnet[];
  addresses: readonly StoredAddress[];
  interfaces: readonly StoredInterface[];
  conflicts: readonly StoredConflict[];
  /** Id of the network of the discovery, whether it exists yet or not. */
  discoveredNetworkId: string;
  newId: () => string;
  now: Date;
};

/** The columns of an address that the discovery writes. */
export type AddressWrite = Omit<StoredAddress, 'updated_at'>;
export type ConflictWrite = Omit<StoredConflict, 'status'> & {
  network_id: string | null;
  mac: string | null;
  interface_name: string | null;
  other_interface_name: string | null;
};

export type DiscoveryPlan = {
  subnets: { create: NewSubnet[]; remove: string[] };
  addresses: {
    create: AddressWrite[];
    change: AddressWrite[];
    /** Only the time of being seen is noted; that is no change. */
    note: { id: string; first_seen_at: string; last_seen_at: string }[];
    remove: StoredAddress[];
  };
  conflicts: { create: ConflictWrite[]; reopen: ConflictWrite[]; gone: StoredConflict[] };
  /** Conflicts that are open after the run. */
  open: number;
  seen: number;
  ignored: number;
};

/** Being seen is noted at most this often, so that a run over an unchanged cluster writes nothing. */
export const SEEN_NOTE_MS = 6 * 60 * 60 * 1000;
/** What is proved not to be in use stays visible this long; who held it stays in the history for good. */
export const STALE_KEEP_MS = 14 * 24 * 60 * 60 * 1000;

const canonical = (address: string): string => {
  const ip = parseIp(address);
  return ip ? formatIp(ip) : address;
};
const rankOf = (source: AddressSource): number => (source === 'manual' ? -1 : TRUST.indexOf(source));
const pairKey = (a: string, b: string) => (a < b ? `${a} ${b}` : `${b} ${a}`);

/**
 * Decides what follows from what was read. Nothing that a person entered is changed, an address that somebody holds goes
 * to another workload only with proof that the holder does not use it, and everything else that contradicts what is
 * stored becomes a conflict.
 */
export function planDiscovery(input: DiscoveryInput): DiscoveryPlan {
  const at = input.now.toISOString();
  const places = new Places(input.subnets, { network_id: input.discoveredNetworkId, newId: input.newId });
  const stored = input.addresses.map((row) => ({ ...row, address: canonical(row.address) }));
  /** Ids of the addresses by where they are. */
  const idAt = new Map(stored.map((row) => [`${row.network_id} ${row.address}`, row.id]));
  const rowsOf = groupBy(stored, (row) => row.workload_id ?? '');
  const nicOf = new Map(input.interfaces.map((nic) => [`${nic.workload_id} ${nic.name}`, nic]));
  const leasesOf = groupBy(unambiguous(input), (lease) => lease.mac.toLowerCase());
  const readings = new Map(input.readings.map((reading) => [reading.workload_id, reading]));
  const observedOf = new Map<string, Observed>(
    input.readings.map((reading) => [reading.workload_id, observe(reading, leasesOf)]),
  );
  const isGone = (workloadId: string, row: Pick<StoredAddress, 'address' | 'mac' | 'source'>): boolean => {
    const [reading, observed] = [readings.get(workloadId), observedOf.get(workloadId)];
    return Boolean(reading && observed && provesAbsence(reading, observed, row, input.leases.complete));
  };

  const plan: DiscoveryPlan = {
    subnets: { create: places.created, remove: [] },
    addresses: { create: [], change: [], note: [], remove: [] },
    conflicts: { create: [], reopen: [], gone: [] },
    open: 0,
    seen: 0,
    ignored: [...observedOf.values()].reduce((sum, { ignored }) => sum + ignored, 0),
  };
  /** Every row as it will be, by id. */
  const wanted = new Map<string, AddressWrite>(stored.map((row) => [row.id, toWrite(row)]));
  const removed = new Set<string>();
  const seen = new Set<string>();
  /** Whether an address is static or not, as far as it was seen. */
  const observedState = new Map<string, AddressState>();
  const detected = new Map<string, ConflictWrite>();

  // Longer prefixes first, then by address: the outcome does not depend on which guest answered first.
  const observations = [...observedOf.values()]
    .flatMap((observed) => observed.observations)
    .sort(
      (a, b) =>
        (b.prefix ?? 129) - (a.prefix ?? 129) ||
        rankOf(a.source) - rankOf(b.source) ||
        compare(a.address, b.address) ||
        compare(a.workload_id, b.workload_id),
    );
  plan.seen = observations.length;

  for (const observation of observations) {
    const { workload_id, address } = observation;
    const nic = nicOf.get(`${workload_id} ${observation.nic}`);
    const networkId = input.networks.get(observation.bridge ?? '') ?? nic?.network_id ?? null;
    if (isOutranked(observation)) continue;
    const place = places.of(observation, networkId);
    const interface_id = nic?.id ?? null;
    const id = idAt.get(`${place.network_id} ${address}`) ?? moving(observation)?.id ?? input.newId();
    const target = wanted.get(id);
    const outside = places.isOutside(observation, networkId);
    if (!target) {
      const row: AddressWrite = {
        id,
        ...place,
        address,
        workload_id,
        interface_id,
        mac: observation.mac,
        state: observation.state,
        source: observation.source,
        first_seen_at: at,
        last_seen_at: at,
      };
      wanted.set(id, row);
      seen.add(id);
    } else if (!claim(target, observation, place, interface_id)) continue;
    idAt.set(`${place.network_id} ${address}`, id);
    observedState.set(id, observation.state);
    if (outside) detectOutside(id, observation, networkId);
  }

  /** A less trusted source adds nothing next to what a better one told before, unless that is proved wrong. */
  function isOutranked(observation: Observation): boolean {
    const family = observation.ip.family === 6;
    return (rowsOf.get(observation.workload_id) ?? []).some(
      (row) =>
        row.address !== observation.address &&
        row.state !== 'stale' &&
        row.source !== 'manual' &&
        row.mac === observation.mac &&
        row.address.includes(':') === family &&
        rankOf(row.source) < rankOf(observation.source) &&
        !isGone(observation.workload_id, row),
    );
  }

  /** The same address of the same workload in another network of the cluster, where it does not belong any more. */
  function moving({ workload_id, address }: Observation): StoredAddress | undefined {
    return (rowsOf.get(workload_id) ?? []).find(
      (row) => row.address === address && row.source !== 'manual' && !seen.has(row.id),
    );
  }

  /** Gives the row to the observed workload if that is right, else detects the conflict. @returns whether it is its own */
  function claim(target: AddressWrite, observation: Observation, place: Place, interface_id: string | null): boolean {
    const holder = target.workload_id;
    const manual = target.source === 'manual';
    const first = !seen.has(target.id);
    const free =
      holder === null
        ? target.state !== 'reserved'
        : holder !== observation.workload_id &&
          first &&
          !(manual && target.state !== 'stale') &&
          (target.state === 'stale' || isGone(holder, target));
    if (holder !== observation.workload_id && !free) {
      const reserved = manual && target.state === 'reserved';
      detect(reserved ? 'reserved_in_use' : 'duplicate_address', target, observation);
      return false;
    }
    seen.add(target.id);
    const taken = holder !== observation.workload_id;
    target.workload_id = observation.workload_id;
    target.first_seen_at ??= at;
    if (manual && !taken) {
      target.interface_id ??= interface_id;
      target.mac ??= observation.mac;
      return true;
    }
    Object.assign(target, { interface_id, mac: observation.mac });
    if (manual) return true;
    // What a better source told stays its word when a lesser one says the same.
    const better = !taken && target.state !== 'stale' && rankOf(target.source) < rankOf(observation.source);
    Object.assign(target, place, { source: better ? target.source : observation.source });
    if (target.state !== 'conflict' && !better) target.state = observation.state;
    return true;
  }

  function detect(kind: 'duplicate_address' | 'reserved_in_use', target: AddressWrite, other: Observation): void {
    const key =
      kind === 'duplicate_address'
        ? `${target.network_id} ${target.address} ${pairKey(target.workload_id ?? '', other.workload_id)}`
        : `${target.network_id} ${target.address} ${other.workload_id}`;
    detected.set(`${kind} ${key}`, {
      id: input.newId(),
      kind,
      key,
      ip_address_id: target.id,
      network_id: target.network_id,
      address: target.address,
      mac: target.mac,
      workload_id: target.workload_id,
      interface_name: null,
      other_workload_id: other.workload_id,
      other_interface_name: other.nic,
      other_mac: other.mac,
      other_source: other.source,
      state_before: null,
    });
  }

  function detectOutside(id: string, observation: Observation, networkId: string | null): void {
    const key = `${networkId} ${observation.address} ${observation.workload_id}`;
    detected.set(`outside_subnet ${key}`, {
      id: input.newId(),
      kind: 'outside_subnet',
      key,
      ip_address_id: id,
      network_id: networkId,
      address: observation.address,
      mac: observation.mac,
      workload_id: observation.workload_id,
      interface_name: observation.nic,
      other_workload_id: null,
      other_interface_name: null,
      other_mac: null,
      other_source: observation.source,
      state_before: null,
    });
  }

  // Rows that nobody was seen with.
  for (const row of stored) {
    const target = wanted.get(row.id);
    if (!target || seen.has(row.id) || row.source === 'manual') continue;
    const ip = parseIp(row.address);
    const observed = row.workload_id === null ? undefined : observedOf.get(row.workload_id);
    if ((ip && !isHostAddress(ip)) || observed?.container.has(row.address)) removed.add(row.id);
    else if (row.state === 'stale') {
      if (input.now.getTime() - Date.parse(row.updated_at) >= STALE_KEEP_MS) removed.add(row.id);
    } else if (row.workload_id === null ? row.state !== 'reserved' : isGone(row.workload_id, row))
      target.state = 'stale';
    else {
      // Prefixes that came or went since: the address follows inside its network.
      const place = places.within(row.network_id, row.address);
      if (place) Object.assign(target, place);
    }
  }

  detectDuplicateMacs();
  settleConflicts();

  const present = new Map(stored.map((row) => [row.id, row]));
  for (const target of wanted.values()) {
    const row = present.get(target.id);
    if (removed.has(target.id)) {
      if (row) plan.addresses.remove.push(row);
    } else if (!row) plan.addresses.create.push(target);
    else {
      const due =
        seen.has(row.id) &&
        (row.last_seen_at === null || input.now.getTime() - Date.parse(row.last_seen_at) >= SEEN_NOTE_MS);
      if (!sameWrite(target, row))
        plan.addresses.change.push({ ...target, ...(seen.has(row.id) && { last_seen_at: at }) });
      else if (due) plan.addresses.note.push({ id: row.id, first_seen_at: row.first_seen_at ?? at, last_seen_at: at });
    }
  }
  // A prefix that the discovery made and in which nothing lies any more goes with the last address.
  const used = new Set([...wanted.values()].flatMap((row) => (removed.has(row.id) ? [] : [row.subnet_id])));
  const emptied = new Set(stored.map((row) => row.subnet_id));
  plan.subnets.remove = input.subnets
    .filter(({ id, removable }) => removable && emptied.has(id) && !used.has(id))
    .map(({ id }) => id);
  plan.subnets.create = places.created.filter(({ id }) => used.has(id));
  return plan;

  function detectDuplicateMacs(): void {
    const cards = new Map<string, { workload_id: string; nic: string }[]>();
    const add = (mac: string | null, workload_id: string, nic: string) => {
      if (mac === null) return;
      const list = cards.get(mac) ?? [];
      list.push({ workload_id, nic });
      cards.set(mac, list);
    };
    for (const { workload_id, settings } of input.readings)
      for (const nic of settings?.nics ?? []) add(nic.mac?.toLowerCase() ?? null, workload_id, nic.name);
    for (const nic of input.interfaces)
      if (!readings.get(nic.workload_id)?.settings) add(nic.mac, nic.workload_id, nic.name);
    for (const [mac, list] of cards) {
      const [first, ...others] = list.sort((a, b) => compare(a.workload_id, b.workload_id) || compare(a.nic, b.nic));
      for (const other of others) {
        if (!first || (other.workload_id === first.workload_id && other.nic === first.nic)) continue;
        const key = `${mac} ${first.workload_id} ${first.nic} ${other.workload_id} ${other.nic}`;
        detected.set(`duplicate_mac ${key}`, {
          id: input.newId(),
          kind: 'duplicate_mac',
          key,
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
          state_before: null,
        });
      }
    }
  }

  /** Compares the conflicts seen with those stored, and lets the states of the addresses follow. */
  function settleConflicts(): void {
    const open = new Map<string, string[]>();
    const before = new Map<string, string>();
    const markOpen = (addressId: string | null, stateBefore: string | null) => {
      plan.open += 1;
      if (addressId === null) return;
      open.set(addressId, [...(open.get(addressId) ?? []), stateBefore ?? '']);
    };
    const current = new Map(input.conflicts.map((conflict) => [`${conflict.kind} ${conflict.key}`, conflict]));
    const stateOf = (id: string | null) => {
      const state = id === null ? undefined : wanted.get(id)?.state;
      return state === undefined || state === 'conflict' ? (before.get(id ?? '') ?? null) : state;
    };
    for (const conflict of input.conflicts)
      if (conflict.ip_address_id !== null && conflict.state_before !== null)
        before.set(conflict.ip_address_id, conflict.state_before);
    for (const [name, conflict] of detected) {
      const known = current.get(name);
      const write = { ...conflict, state_before: stateOf(conflict.ip_address_id) };
      if (!known) plan.conflicts.create.push(write);
      else if (known.status === 'gone') plan.conflicts.reopen.push({ ...write, id: known.id });
      else if (known.status === 'resolved') continue;
      markOpen(conflict.ip_address_id, write.state_before);
    }
    for (const [name, conflict] of current) {
      if (detected.has(name) || conflict.status === 'gone') continue;
      if (isOver(conflict)) plan.conflicts.gone.push(conflict);
      else if (conflict.status === 'open') markOpen(conflict.ip_address_id, conflict.state_before);
    }
    for (const row of wanted.values()) {
      if (open.has(row.id)) {
        if (row.state !== 'stale') row.state = 'conflict';
      } else if (row.state === 'conflict') {
        const settled = before.get(row.id);
        const seenAs = row.source === 'manual' ? undefined : observedState.get(row.id);
        row.state = seenAs ?? (settled === 'reserved' || settled === 'dhcp' ? settled : 'active');
      }
    }
  }

  /** Whether a conflict that was not seen is proved to be no more. */
  function isOver({ kind, address, workload_id, other_workload_id, ...other }: StoredConflict): boolean {
    if (kind === 'duplicate_mac') return true;
    const claimant = other_workload_id ?? workload_id;
    const observed = claimant === null ? undefined : observedOf.get(claimant);
    if (claimant === null || address === null || !observed) return claimant === null;
    // Seen with it, and no conflict any more: the other side changed.
    if (observed.observations.some((item) => item.address === canonical(address))) return true;
    const source = TRUST.find((item) => item === other.other_source) ?? 'agent';
    return isGone(claimant, { address: canonical(address), mac: other.other_mac, source });
  }
}

/** Leases that can only be meant for one guest: those that name it, or whose MAC address one card has. */
function unambiguous({ leases, readings }: DiscoveryInput): SdnLease[] {
  const cards = new Map<string, number>();
  for (const { settings } of readings)
    for (const { mac } of settings?.nics ?? []) if (mac !== null) cards.set(mac, (cards.get(mac) ?? 0) + 1);
  return leases.items.filter(({ vmid, mac }) => vmid !== null || (cards.get(mac) ?? 0) <= 1);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

const toWrite = ({ updated_at: _, ...row }: StoredAddress): AddressWrite => row;

const COMPARED = ['network_id', 'subnet_id', 'workload_id', 'interface_id', 'mac', 'state', 'source'] as const;
const sameWrite = (a: AddressWrite, b: StoredAddress): boolean => COMPARED.every((field) => a[field] === b[field]);
