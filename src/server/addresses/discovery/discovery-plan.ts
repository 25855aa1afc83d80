import type { ConflictKind } from '@/domain/ipam/conflict';
import { toPlausibleNetwork } from '@/domain/ipam/host-address';
import type { AddressSource, AddressState } from '@/domain/ipam/ip-address';
import { cidrContains, formatCidr, parseCidr, toNetwork } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { PrefixTable } from '@/domain/net/prefix-table';
import type { SdnLease } from '../../providers/hypervisor/types';
import type { OpenSighting, SightingPlan } from '../queries/sightings';
import type { GuestReading, Observation } from './observe';

export type Place = { network_id: string; subnet_id: string };
export type StoredSubnet = { id: string; network_id: string; cidr: string };
export type NewSubnet = { id: string; cidr: string; gateway: string | null };

/**
 * Finds where addresses belong. The network of the interface comes first, because other networks of the cluster may
 * use overlapping prefixes; then the longest prefix of all others; an address in no prefix creates one in the
 * discovery's network.
 */
export class Places {
  readonly #ofNetwork = new Map<string, PrefixTable<Place>>();
  /** Families for which a network has prefixes, `<network> <family>`. */
  readonly #families = new Set<string>();
  readonly #all = new PrefixTable<Place>();
  readonly #discovered: { network_id: string; newId: () => string };
  readonly created: NewSubnet[] = [];

  constructor(subnets: readonly StoredSubnet[], discovered: { network_id: string; newId: () => string }) {
    this.#discovered = discovered;
    // Where two networks have the same prefix, the discovery's own one gives way and then the order of the ids decides.
    const rank = ({ network_id, id }: StoredSubnet) => `${network_id === discovered.network_id ? 0 : 1} ${id}`;
    for (const subnet of [...subnets].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))) this.#add(subnet);
  }

  #add({ id, network_id, cidr }: StoredSubnet): void {
    const parsed = parseCidr(cidr);
    if (!parsed) return;
    const place = { network_id, subnet_id: id };
    let own = this.#ofNetwork.get(network_id);
    if (!own) {
      own = new PrefixTable();
      this.#ofNetwork.set(network_id, own);
    }
    own.set(parsed, place);
    this.#all.set(parsed, place);
    this.#families.add(`${network_id} ${parsed.address.family}`);
  }

  /** Where an address of a card on this network belongs; a new prefix is made when nothing holds it. */
  of(observation: Observation, networkId: string | null): Place {
    const own = networkId === null ? undefined : this.#ofNetwork.get(networkId)?.match(observation.ip);
    const known = own ?? this.#all.match(observation.ip);
    if (known) return known;
    const network = toNetwork(toPlausibleNetwork(observation.ip, observation.prefix));
    const gateway = observation.gateway === null ? null : parseIp(observation.gateway);
    const subnet = {
      id: this.#discovered.newId(),
      cidr: formatCidr(network),
      gateway: gateway && cidrContains(network, gateway) ? formatIp(gateway) : null,
    };
    this.created.push(subnet);
    this.#add({ ...subnet, network_id: this.#discovered.network_id });
    return { network_id: this.#discovered.network_id, subnet_id: subnet.id };
  }

  /** Where an address that is stored in a network belongs now, or null when no prefix of it holds it. */
  within(networkId: string, address: string): Place | null {
    const ip = parseIp(address);
    return (ip && this.#ofNetwork.get(networkId)?.match(ip)) ?? null;
  }

  /** Whether the network has prefixes of this family and none of them holds the address. */
  isOutside(observation: Observation, networkId: string | null): boolean {
    if (networkId === null || !this.#families.has(`${networkId} ${observation.ip.family}`)) return false;
    return this.#ofNetwork.get(networkId)?.match(observation.ip) === undefined;
  }
}

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
/** A subnet as the plan needs it; `removable` when the discovery created it and no user changed it. */
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
  sightings: readonly OpenSighting[];
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
  sightings: SightingPlan;
  /** Conflicts that are open after the run. */
  open: number;
  seen: number;
  ignored: number;
};

/** Changes in the order in which they can be stored: a row comes to another place only after the row that had it left. */
export function orderChanges(changes: readonly AddressWrite[], stored: readonly StoredAddress[]): AddressWrite[][] {
  const networkOf = new Map(stored.map((row) => [row.id, row.network_id]));
  const ordered: AddressWrite[][] = [];
  for (let waiting = changes; waiting.length > 0; ) {
    const held = new Set(waiting.map(({ id, address }) => `${networkOf.get(id)} ${address}`));
    const isBlocked = ({ id, network_id, address }: AddressWrite) =>
      network_id !== networkOf.get(id) && held.has(`${network_id} ${address}`);
    const free = waiting.filter((row) => !isBlocked(row));
    if (free.length === 0) throw new Error('expected no two addresses to exchange their places');
    ordered.push(free);
    waiting = waiting.filter(isBlocked);
  }
  return ordered;
}
