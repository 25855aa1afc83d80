import { believedNetwork } from '@/domain/ipam/host-address';
import { cidrContains, formatCidr, networkOf, parseCidr } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { PrefixTable } from '@/domain/net/prefix-table';
import type { Observation } from './observe';

export type Place = { network_id: string; subnet_id: string };
export type StoredSubnet = { id: string; network_id: string; cidr: string };
export type NewSubnet = { id: string; cidr: string; gateway: string | null };

/**
 * Finds where addresses belong. The network of the card comes first, because other networks of the cluster may use the
 * same address space; then the longest prefix of all others; what lies in none makes a prefix of the discovery's network.
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
    const network = networkOf(believedNetwork(observation.ip, observation.prefix));
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
