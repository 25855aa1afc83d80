import { type Cidr, networkOf } from './cidr';
import { addressBits, type IpAddress } from './ip-address';

/** Longest-prefix lookup: at most one probe for each prefix length in use, whatever the number of networks. */
export class PrefixTable<T> {
  readonly #byPrefix: Record<4 | 6, Map<number, Map<bigint, T>>> = { 4: new Map(), 6: new Map() };
  /** Prefix lengths in use, longest first. */
  #lengths: Record<4 | 6, number[]> = { 4: [], 6: [] };

  constructor(entries: Iterable<readonly [Cidr, T]> = []) {
    for (const [cidr, value] of entries) this.set(cidr, value);
  }

  /** Adds a network; the last value for the same network stays. Host bits are ignored. */
  set(cidr: Cidr, value: T): void {
    const { family } = cidr.address;
    const byPrefix = this.#byPrefix[family];
    let networks = byPrefix.get(cidr.prefix);
    if (!networks) {
      networks = new Map();
      byPrefix.set(cidr.prefix, networks);
      this.#lengths[family] = [...byPrefix.keys()].sort((a, b) => b - a);
    }
    networks.set(networkOf(cidr).address.value, value);
  }

  /** The value of the longest network that holds the address. */
  match(ip: IpAddress): T | undefined {
    const bits = addressBits(ip.family);
    for (const prefix of this.#lengths[ip.family]) {
      const shift = BigInt(bits - prefix);
      const networks = this.#byPrefix[ip.family].get(prefix);
      const key = (ip.value >> shift) << shift;
      if (networks?.has(key)) return networks.get(key);
    }
    return undefined;
  }
}
