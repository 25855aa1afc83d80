import { parseCidr } from '../../net/cidr';
import { type IpAddress, parseIp } from '../../net/ip-address';
import { PrefixTable } from '../../net/prefix-table';
import { type AddressEvidence, getSegment, isClaim, type KnownPrefix } from './address-evidence';

/**
 * Which prefixes are on which layer-2 segments: a router sends packets of other segments, which are no addresses of its own.
 * A prefix is on the segments of the interfaces that have addresses in it, and on the one that its network and VLAN name.
 */
export class OnLink {
  readonly #ofNetwork = new Map<string, PrefixTable<KnownPrefix>>();
  readonly #all = new PrefixTable<KnownPrefix[]>();
  readonly #byCidr = new Map<string, KnownPrefix[]>();
  /** Segments of claims, by CIDR. */
  readonly #claimed = new Map<string, Set<string>>();

  constructor({ prefixes, sightings }: Pick<AddressEvidence, 'prefixes' | 'sightings'>) {
    for (const prefix of prefixes) this.#add(prefix);
    for (const sighting of sightings) {
      const segment = getSegment(sighting);
      const ip = parseIp(sighting.address);
      if (!isClaim(sighting) || segment === null || !ip) continue;
      for (const { cidr } of this.#around(ip, sighting.network_id)) {
        const known = this.#claimed.get(cidr);
        if (known) known.add(segment);
        else this.#claimed.set(cidr, new Set([segment]));
      }
    }
  }

  #add(prefix: KnownPrefix): void {
    const cidr = parseCidr(prefix.cidr);
    if (!cidr) return;
    const own = this.#ofNetwork.get(prefix.network_id) ?? new PrefixTable<KnownPrefix>();
    own.set(cidr, prefix);
    this.#ofNetwork.set(prefix.network_id, own);
    const same = this.#byCidr.get(prefix.cidr) ?? [];
    same.push(prefix);
    this.#byCidr.set(prefix.cidr, same);
    this.#all.set(cidr, same);
  }

  /** The longest prefix of the network that holds the address, and the longest ones of the cluster. */
  #around(ip: IpAddress, networkId: string | null): KnownPrefix[] {
    const own = networkId === null ? undefined : this.#ofNetwork.get(networkId)?.match(ip);
    const longest = this.#all.match(ip) ?? [];
    return own && !longest.includes(own) ? [own, ...longest] : longest;
  }

  /** The prefixes on the segment of an interface that hold an address. */
  prefixesOf(address: string, at: { network_id: string | null; vlan_tag: number | null }): KnownPrefix[] {
    const segment = getSegment(at);
    const ip = parseIp(address);
    if (segment === null || !ip) return [];
    return this.#around(ip, at.network_id).filter((prefix) => {
      const claimed = this.#claimed.get(prefix.cidr);
      if (claimed?.has(segment)) return true;
      if (prefix.network_id !== at.network_id) return false;
      // Without a tag of its own and without addresses in it, the prefix is that of the whole network.
      return prefix.vlan_tag === null ? claimed === undefined : prefix.vlan_tag === (at.vlan_tag ?? 0);
    });
  }
}
