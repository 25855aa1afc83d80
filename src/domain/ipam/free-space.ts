import { type Cidr, cidrBounds } from '../net/cidr';
import { addressBits, type IpAddress } from '../net/ip-address';

/** Addresses `first` to `last` of one family, both included. */
export type Interval = { readonly first: bigint; readonly last: bigint };

/** The parts of `whole` that none of `taken` holds, in order. `taken` may overlap and need not be sorted. */
export function freeParts(whole: Interval, taken: readonly Interval[]): Interval[] {
  const sorted = [...taken].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const free: Interval[] = [];
  let at = whole.first;
  for (const { first, last } of sorted) {
    if (last < at) continue;
    if (first > whole.last) break;
    if (first > at) free.push({ first: at, last: first - 1n });
    at = last + 1n;
  }
  if (at <= whole.last) free.push({ first: at, last: whole.last });
  return free;
}

/** The first `count` addresses of the parts. */
export function firstAddresses(parts: readonly Interval[], family: 4 | 6, count: number): IpAddress[] {
  const found: IpAddress[] = [];
  for (const { first, last } of parts) {
    for (let value = first; value <= last && found.length < count; value += 1n) found.push({ family, value });
    if (found.length >= count) break;
  }
  return found;
}

/** The first free block of this prefix length inside `cidr`, or null. */
export function firstPrefix(cidr: Cidr, prefix: number, taken: readonly Interval[]): Cidr | null {
  const bounds = cidrBounds(cidr);
  const { family } = bounds.first;
  const size = 1n << BigInt(addressBits(family) - prefix);
  for (const { first, last } of freeParts({ first: bounds.first.value, last: bounds.last.value }, taken)) {
    const value = ((first + size - 1n) / size) * size;
    if (value + size - 1n <= last) return { address: { family, value }, prefix };
  }
  return null;
}
