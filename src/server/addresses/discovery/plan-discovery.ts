import { isContainerInterface, isHostAddress } from '@/domain/ipam/host-address';
import type { AddressSource, AddressState } from '@/domain/ipam/ip-address';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { groupBy } from '../../lib/group-by';
import type { SdnLease } from '../../providers/hypervisor/types';
import {
  type AddressWrite,
  type DiscoveryInput,
  type DiscoveryPlan,
  type Place,
  Places,
  type StoredAddress,
  type StoredConflict,
} from './discovery-plan';
import { type GuestReading, type Observation, type Observed, observe, provesAbsence, TRUST } from './observe';
import { planSightings } from './plan-sightings';
import { DetectedConflicts, mapStatesBefore, settleConflicts } from './settle-conflicts';

/** Being seen is noted at most this often, so that a run over an unchanged cluster writes nothing. */
export const SEEN_NOTE_MS = 6 * 60 * 60 * 1000;
/** How long an address proven unused stays visible; its holder stays in the history permanently. */
export const STALE_KEEP_MS = 14 * 24 * 60 * 60 * 1000;

const toCanonical = (address: string): string => {
  const ip = parseIp(address);
  return ip ? formatIp(ip) : address;
};
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const getRank = (source: AddressSource): number => (source === 'manual' ? -1 : TRUST.indexOf(source));

/** Leases that can only be meant for one guest: those that name it, or whose MAC address one card has. */
function filterUnambiguous({ leases, readings }: DiscoveryInput): SdnLease[] {
  const cards = new Map<string, number>();
  for (const { settings } of readings)
    for (const { mac } of settings?.nics ?? []) if (mac !== null) cards.set(mac, (cards.get(mac) ?? 0) + 1);
  return leases.items.filter(({ vmid, mac }) => vmid !== null || (cards.get(mac) ?? 0) <= 1);
}

/** Longer prefixes first, then by address: the outcome does not depend on which guest answered first. */
const compareObservations = (a: Observation, b: Observation): number =>
  (b.prefix ?? 129) - (a.prefix ?? 129) ||
  getRank(a.source) - getRank(b.source) ||
  compare(a.address, b.address) ||
  compare(a.workload_id, b.workload_id);

const toWrite = ({ updated_at: _, ...row }: StoredAddress): AddressWrite => row;

const COMPARED = ['network_id', 'subnet_id', 'workload_id', 'interface_id', 'mac', 'state', 'source'] as const;
const isSameWrite = (a: AddressWrite, b: StoredAddress): boolean => COMPARED.every((field) => a[field] === b[field]);

/** One run: what was read and stored, and the addresses as they will be. */
class Discovery {
  readonly #input: DiscoveryInput;
  readonly #at: string;
  readonly #places: Places;
  readonly #stored: readonly StoredAddress[];
  readonly #rowsOf: ReadonlyMap<string, readonly StoredAddress[]>;
  readonly #readings: ReadonlyMap<string, GuestReading>;
  readonly #observedOf: ReadonlyMap<string, Observed>;
  /** Ids of the addresses by where they are. */
  readonly #idAt: Map<string, string>;
  /** Every row as it will be, by id. */
  readonly #desired: Map<string, AddressWrite>;
  readonly #removed = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #observedState = new Map<string, AddressState>();
  readonly #detected: DetectedConflicts;
  readonly #stateBefore: ReadonlyMap<string, string>;
  readonly #containerNetworks: ReadonlySet<string>;
  #containerSubnets: ReadonlySet<string> = new Set();

  constructor(input: DiscoveryInput) {
    this.#input = input;
    this.#at = input.now.toISOString();
    this.#places = new Places(input.subnets, { network_id: input.discoveredNetworkId, newId: input.newId });
    this.#stored = input.addresses.map((row) => ({ ...row, address: toCanonical(row.address) }));
    this.#rowsOf = groupBy(this.#stored, (row) => row.workload_id ?? '');
    this.#readings = new Map(input.readings.map((reading) => [reading.workload_id, reading]));
    const leasesOf = groupBy(filterUnambiguous(input), (lease) => lease.mac.toLowerCase());
    this.#observedOf = new Map(
      input.readings.map((reading) => [reading.workload_id, observe(reading, leasesOf)] as const),
    );
    this.#idAt = new Map(this.#stored.map((row) => [`${row.network_id} ${row.address}`, row.id]));
    this.#desired = new Map(this.#stored.map((row) => [row.id, toWrite(row)]));
    this.#detected = new DetectedConflicts(input.newId);
    this.#stateBefore = mapStatesBefore(input.conflicts);
    this.#containerNetworks = new Set(
      [...input.networks].filter(([name]) => isContainerInterface(name)).map(([, id]) => id),
    );
  }

  plan(): DiscoveryPlan {
    const observations = [...this.#observedOf.values()]
      .flatMap((observed) => observed.observations)
      .sort(compareObservations);
    this.#placeSeen(observations);
    this.#settleUnseen();
    this.#detected.addDuplicateMacs(this.#input.readings, this.#input.interfaces);
    const { open, ...conflicts } = settleConflicts({
      stored: this.#input.conflicts,
      detected: this.#detected.all,
      isOver: (conflict) => this.#isOver(conflict),
      desired: this.#desired,
      observedState: this.#observedState,
    });
    return {
      subnets: this.#subnets(),
      addresses: this.#changes(),
      conflicts,
      sightings: planSightings({
        ...{ readings: this.#input.readings, observed: this.#observedOf, networks: this.#input.networks },
        ...{ open: this.#input.sightings, leasesComplete: this.#input.leases.complete },
        ...{ newId: this.#input.newId, now: this.#input.now },
      }),
      open,
      seen: observations.length,
      ignored: [...this.#observedOf.values()].reduce((sum, { ignored }) => sum + ignored, 0),
    };
  }

  #isGone(workloadId: string, row: Pick<StoredAddress, 'address' | 'mac' | 'source'>): boolean {
    const [reading, observed] = [this.#readings.get(workloadId), this.#observedOf.get(workloadId)];
    return Boolean(reading && observed && provesAbsence(reading, observed, row, this.#input.leases.complete));
  }

  /** Gives each address that was seen its row, or detects why it cannot have one. */
  #placeSeen(observations: readonly Observation[]): void {
    const { networks, newId } = this.#input;
    const nicOf = new Map(this.#input.interfaces.map((nic) => [`${nic.workload_id} ${nic.name}`, nic]));
    const placed = observations
      .filter((observation) => !this.#isOutranked(observation))
      .map((observation) => {
        const nic = nicOf.get(`${observation.workload_id} ${observation.nic}`);
        const networkId = networks.get(observation.bridge ?? '') ?? nic?.network_id ?? null;
        const place = this.#places.of(observation, networkId);
        return { observation, interface_id: nic?.id ?? null, networkId, place };
      });
    this.#moveRows(placed);
    for (const { observation, interface_id, networkId, place } of placed) {
      const { workload_id, address, mac, state, source } = observation;
      const id = this.#idAt.get(`${place.network_id} ${address}`) ?? newId();
      const outside = this.#places.isOutside(observation, networkId);
      const target = this.#desired.get(id);
      if (!target) {
        const times = { first_seen_at: this.#at, last_seen_at: this.#at };
        this.#desired.set(id, { id, ...place, address, workload_id, interface_id, mac, state, source, ...times });
        this.#seen.add(id);
      } else if (!this.#claim(target, observation, place, interface_id)) continue;
      this.#idAt.set(`${place.network_id} ${address}`, id);
      this.#observedState.set(id, state);
      if (outside) this.#detected.addOutside(id, observation, networkId);
    }
  }

  /**
   * Moves rows to the networks in which their workloads were seen with the address, as long as a place there is free. This
   * comes before anything is compared: the place that a row leaves is free for others, in any order of the guests.
   */
  #moveRows(placed: readonly { observation: Observation; place: Place }[]): void {
    let waiting = placed;
    for (let moved = true; moved; ) {
      const blocked = waiting.filter(({ observation, place }) => {
        const at = `${place.network_id} ${observation.address}`;
        const row = this.#desired.get(this.#findElsewhere(observation, place)?.id ?? '');
        if (!row || this.#idAt.has(at)) return row !== undefined;
        this.#idAt.delete(`${row.network_id} ${row.address}`);
        this.#idAt.set(at, row.id);
        Object.assign(row, place);
        return false;
      });
      moved = blocked.length < waiting.length;
      waiting = blocked;
    }
  }

  /**
   * A less trusted source adds nothing next to what a better one reported before, unless that is proved wrong, or is about an
   * address that another card has by now.
   */
  #isOutranked(observation: Observation): boolean {
    const family = observation.ip.family === 6;
    const observed = this.#observedOf.get(observation.workload_id)?.observations ?? [];
    return (this.#rowsOf.get(observation.workload_id) ?? []).some(
      (row) =>
        row.address !== observation.address &&
        row.state !== 'stale' &&
        row.source !== 'manual' &&
        row.mac === observation.mac &&
        row.address.includes(':') === family &&
        getRank(row.source) < getRank(observation.source) &&
        !observed.some(({ address, mac }) => address === row.address && mac !== row.mac) &&
        !this.#isGone(observation.workload_id, row),
    );
  }

  /** The same address of the same workload in another network of the cluster, where it does not belong any more. */
  #findElsewhere({ workload_id, address }: Observation, { network_id }: Place): StoredAddress | undefined {
    return (this.#rowsOf.get(workload_id) ?? []).find(
      (row) => row.address === address && row.source !== 'manual' && row.network_id !== network_id,
    );
  }

  /** Whether the address is reserved, also while a conflict about it is open. */
  #isReserved({ id, state }: Pick<StoredAddress, 'id' | 'state'>): boolean {
    return state === 'reserved' || (state === 'conflict' && this.#stateBefore.get(id) === 'reserved');
  }

  /** Whether an address that is unassigned or assigned to another workload may go to the one it was seen with. */
  #isFree(target: AddressWrite): boolean {
    const { workload_id: holder, state, source } = target;
    if (holder === null) return !this.#isReserved(target);
    if (this.#seen.has(target.id) || (source === 'manual' && state !== 'stale')) return false;
    return state === 'stale' || this.#isGone(holder, target);
  }

  /** Gives the row to the observed workload if that is right, else detects the conflict. @returns whether it is its own */
  #claim(target: AddressWrite, observation: Observation, place: Place, interface_id: string | null): boolean {
    const manual = target.source === 'manual';
    const taken = target.workload_id !== observation.workload_id;
    if (taken && !this.#isFree(target)) {
      const reserved = manual && this.#isReserved(target);
      this.#detected.addHeld(reserved ? 'reserved_in_use' : 'duplicate_address', target, observation);
      return false;
    }
    this.#seen.add(target.id);
    target.workload_id = observation.workload_id;
    target.first_seen_at ??= this.#at;
    const stale = target.state === 'stale';
    if (stale) target.state = observation.state;
    if (manual && !taken) {
      target.interface_id ??= interface_id;
      target.mac ??= observation.mac;
      return true;
    }
    // What a better source reported stays its word when a lesser one says the same of the same card.
    const ofCard = !taken && !stale && target.mac === observation.mac;
    const better = ofCard && getRank(target.source) < getRank(observation.source);
    Object.assign(target, { interface_id, mac: observation.mac });
    if (manual) return true;
    Object.assign(target, place, { source: better ? target.source : observation.source });
    if (target.state !== 'conflict' && !better) target.state = observation.state;
    return true;
  }

  /** Rows that were seen with no workload: some are removed, some become stale, the others follow their prefixes. */
  #settleUnseen(): void {
    const now = this.#input.now.getTime();
    this.#containerSubnets = this.#findContainerSubnets();
    for (const row of this.#stored) {
      const target = this.#desired.get(row.id);
      if (!target || this.#seen.has(row.id) || row.source === 'manual') continue;
      const ip = parseIp(row.address);
      const observed = row.workload_id === null ? undefined : this.#observedOf.get(row.workload_id);
      if ((ip && !isHostAddress(ip)) || observed?.container.has(row.address) || this.#isOfContainer(row))
        this.#removed.add(row.id);
      else if (row.state === 'stale') {
        if (now - Date.parse(row.updated_at) >= STALE_KEEP_MS) this.#removed.add(row.id);
      } else if (row.workload_id === null ? !this.#isReserved(row) : this.#isGone(row.workload_id, row))
        target.state = 'stale';
      else {
        // Prefixes that came or went since: the address follows inside its network.
        const place = this.#places.within(row.network_id, row.address);
        if (place) Object.assign(target, place);
      }
    }
  }

  /**
   * Whether an unassigned address belongs to containers: it is in a network of theirs, or in a prefix that only the discovery
   * made, that is the one of a bridge of containers inside a guest, and in which no workload has an address.
   */
  #isOfContainer(row: StoredAddress): boolean {
    if (row.workload_id !== null || this.#isReserved(row)) return false;
    return this.#containerNetworks.has(row.network_id) || this.#containerSubnets.has(row.subnet_id ?? '');
  }

  /** Prefixes of the discovery that are those of bridges of containers and hold no address of a workload that is not theirs. */
  #findContainerSubnets(): Set<string> {
    const prefixes = new Set([...this.#observedOf.values()].flatMap(({ containerPrefixes }) => containerPrefixes));
    const used = new Set<string | null>();
    for (const { workload_id, subnet_id, address } of this.#desired.values()) {
      const isTheirs = this.#observedOf.get(workload_id ?? '')?.container.has(address);
      if (workload_id !== null && !isTheirs) used.add(subnet_id);
    }
    return new Set(
      this.#input.subnets
        .filter(({ id, cidr, removable }) => removable && !used.has(id) && prefixes.has(cidr))
        .map(({ id }) => id),
    );
  }

  /** Whether a conflict that was not seen is proved to be no more. */
  #isOver({ kind, address, workload_id, other_workload_id, ...other }: StoredConflict): boolean {
    if (kind === 'duplicate_mac') return true;
    const claimant = other_workload_id ?? workload_id;
    const observed = claimant === null ? undefined : this.#observedOf.get(claimant);
    if (claimant === null || address === null || !observed) return claimant === null;
    // Seen with it, and no conflict any more: the other side changed.
    if (observed.observations.some((item) => item.address === toCanonical(address))) return true;
    const source = TRUST.find((item) => item === other.other_source) ?? 'agent';
    return this.#isGone(claimant, { address: toCanonical(address), mac: other.other_mac, source });
  }

  /** What differs from what is stored. */
  #changes(): DiscoveryPlan['addresses'] {
    const changes: DiscoveryPlan['addresses'] = { create: [], change: [], note: [], remove: [] };
    const present = new Map(this.#stored.map((row) => [row.id, row]));
    const last_seen_at = this.#at;
    for (const target of this.#desired.values()) {
      const row = present.get(target.id);
      if (this.#removed.has(target.id)) {
        if (row) changes.remove.push(row);
      } else if (!row) changes.create.push(target);
      else {
        const seen = this.#seen.has(row.id);
        const noted = row.last_seen_at === null ? Number.NEGATIVE_INFINITY : Date.parse(row.last_seen_at);
        if (!isSameWrite(target, row)) changes.change.push({ ...target, ...(seen && { last_seen_at }) });
        else if (seen && this.#input.now.getTime() - noted >= SEEN_NOTE_MS)
          changes.note.push({ id: row.id, first_seen_at: row.first_seen_at ?? last_seen_at, last_seen_at });
      }
    }
    return changes;
  }

  /** A prefix that the discovery made and in which nothing lies any more goes with the last address. */
  #subnets(): DiscoveryPlan['subnets'] {
    const left = [...this.#desired.values()].filter(({ id }) => !this.#removed.has(id));
    const used = new Set(left.map(({ subnet_id }) => subnet_id));
    const emptied = new Set(this.#stored.map(({ subnet_id }) => subnet_id));
    return {
      create: this.#places.created.filter(({ id }) => used.has(id)),
      remove: this.#input.subnets
        .filter(({ id, removable }) => removable && emptied.has(id) && !used.has(id))
        .map(({ id }) => id),
    };
  }
}

/**
 * Plans the changes that follow from a discovery. Nothing that a user entered is changed, an address that has a holder
 * goes to another workload only with proof that the holder does not use it, and everything else that contradicts the
 * stored data becomes a conflict.
 */
export const planDiscovery = (input: DiscoveryInput): DiscoveryPlan => new Discovery(input).plan();
