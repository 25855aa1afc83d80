import type { Cidr } from './cidr';
import { addressBits, type IpAddress } from './ip-address';

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
