import { addressBits, formatIp, type IpAddress, parseIp } from './ip-address';

/** An address with a prefix length. As parsed it may have host bits; `toNetwork` clears them. */
export type Cidr = { readonly address: IpAddress; readonly prefix: number };

const hostMask = ({ address, prefix }: Cidr): bigint => (1n << BigInt(addressBits(address.family) - prefix)) - 1n;

/** Parses `address/prefix`. A bare address gets the full prefix (/32, /128). Null when it is neither. */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/');
  const address = parseIp(slash < 0 ? text : text.slice(0, slash));
  if (!address) return null;
  if (slash < 0) return { address, prefix: addressBits(address.family) };
  const digits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(digits)) return null;
  const prefix = Number(digits);
  return prefix <= addressBits(address.family) ? { address, prefix } : null;
}

/** `address/prefix` with the canonical address; host bits are kept. */
export const formatCidr = (cidr: Cidr): string => `${formatIp(cidr.address)}/${cidr.prefix}`;

/** Whether bits behind the prefix are set (`10.0.0.5/24`); a packet filter refuses such a network. */
export const hasHostBits = (cidr: Cidr): boolean => (cidr.address.value & hostMask(cidr)) !== 0n;

/** The network of an address: host bits cleared. */
export function toNetwork(cidr: Cidr): Cidr {
  const { family, value } = cidr.address;
  return { address: { family, value: value - (value & hostMask(cidr)) }, prefix: cidr.prefix };
}

/** First and last address of the network. */
export function cidrBounds(cidr: Cidr): { first: IpAddress; last: IpAddress } {
  const first = toNetwork(cidr).address;
  return { first, last: { family: first.family, value: first.value + hostMask(cidr) } };
}

/** Whether the address is in the network. Addresses of the other family never are. */
export function cidrContains(cidr: Cidr, ip: IpAddress): boolean {
  return (
    cidr.address.family === ip.family &&
    toNetwork({ address: ip, prefix: cidr.prefix }).address.value === toNetwork(cidr).address.value
  );
}

/** Whether every address of `inner` is in `outer`. */
export const cidrCovers = (outer: Cidr, inner: Cidr): boolean =>
  outer.prefix <= inner.prefix && cidrContains(outer, inner.address);

/** Whether the two networks share an address. */
export const cidrsOverlap = (a: Cidr, b: Cidr): boolean => cidrCovers(a, b) || cidrCovers(b, a);

/** The fewest networks that together hold exactly the addresses `first` to `last`, in order. Empty when `first > last`. */
export function rangeToCidrs(first: IpAddress, last: IpAddress): Cidr[] {
  if (first.family !== last.family) return [];
  const bits = addressBits(first.family);
  const cidrs: Cidr[] = [];
  let value = first.value;
  while (value <= last.value) {
    let prefix = bits;
    // Widen while the block still starts at `value` and ends inside the range.
    while (prefix > 0) {
      const size = 1n << BigInt(bits - prefix + 1);
      if (value % size !== 0n || value + size - 1n > last.value) break;
      prefix--;
    }
    cidrs.push({ address: { family: first.family, value }, prefix });
    value += 1n << BigInt(bits - prefix);
  }
  return cidrs;
}
