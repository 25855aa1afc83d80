import { cidrBounds, parseCidr } from '../net/cidr';
import { type IpAddress, parseIp } from '../net/ip-address';
import type { FilterImplementation } from './live-state';
import { joinSpans } from './space/spans';

/** Inclusive range of addresses of one family, as numbers. */
export type AddressSpan = { readonly first: bigint; readonly last: bigint };

/**
 * Addresses in three values: those in `spans` match, all others do not, or (`rest: 'unknown'`) may or may not. Spans
 * are sorted and apart from each other.
 */
export type AddressSet = {
  readonly 4: readonly AddressSpan[];
  readonly 6: readonly AddressSpan[];
  readonly rest: 'no' | 'unknown';
};

export const UNKNOWN_ADDRESSES: AddressSet = { 4: [], 6: [], rest: 'unknown' };

export function addressSet(spans: readonly (AddressSpan & { family: 4 | 6 })[], rest: 'no' | 'unknown'): AddressSet {
  const of = (family: 4 | 6) =>
    joinSpans(spans.filter((span) => span.family === family).map(({ first, last }) => ({ first, last })));
  return { 4: of(4), 6: of(6), rest };
}

/** Prefix length of a dotted mask such as 255.255.255.0; null when it is none. */
function maskPrefix(text: string): number | null {
  const mask = parseIp(text);
  if (mask?.family !== 4) return null;
  const inverted = 0xffffffffn ^ mask.value;
  return (inverted & (inverted + 1n)) === 0n ? 32 - (inverted === 0n ? 0 : inverted.toString(2).length) : null;
}

/** The span of an address, a network (host bits are ignored, a dotted mask is understood) or `first-last`; null for anything else. */
export function parseSpan(text: string): (AddressSpan & { family: 4 | 6 }) | null {
  const dash = text.indexOf('-');
  if (dash > 0) {
    const first = parseIp(text.slice(0, dash));
    const last = parseIp(text.slice(dash + 1));
    if (!first || first.family !== last?.family || first.value > last.value) return null;
    return { family: first.family, first: first.value, last: last.value };
  }
  const slash = text.indexOf('/');
  const prefix = slash > 0 && text.includes('.', slash) ? maskPrefix(text.slice(slash + 1)) : null;
  const cidr = parseCidr(prefix === null ? text : `${text.slice(0, slash)}/${prefix}`);
  if (!cidr) return null;
  const { first, last } = cidrBounds(cidr);
  return { family: first.family, first: first.value, last: last.value };
}

/** Whether the address matches: yes, no, or not known. */
export function addressSetHas(set: AddressSet, ip: IpAddress): 'yes' | 'no' | 'unknown' {
  const spans = set[ip.family];
  let low = 0;
  let high = spans.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle];
    if (!span) break;
    if (ip.value < span.first) high = middle - 1;
    else if (ip.value > span.last) low = middle + 1;
    else return 'yes';
  }
  return set.rest;
}

type PrefixEntry = { readonly cidr: string; readonly nomatch: boolean };

/** Removes `hole` from every span. */
function subtract(spans: readonly AddressSpan[], hole: AddressSpan): AddressSpan[] {
  return spans.flatMap((span) => {
    if (hole.last < span.first || hole.first > span.last) return [span];
    const parts: AddressSpan[] = [];
    if (span.first < hole.first) parts.push({ first: span.first, last: hole.first - 1n });
    if (span.last > hole.last) parts.push({ first: hole.last + 1n, last: span.last });
    return parts;
  });
}

/**
 * The addresses of a kernel set of networks; a `nomatch` entry takes addresses out. With iptables the most specific entry
 * decides, with nftables a `nomatch` one always. An entry that cannot be understood makes the rest unknown, and
 * everything when it would take addresses out.
 */
export function prefixEntries(
  entries: readonly PrefixEntry[],
  rest: 'no' | 'unknown' = 'no',
  implementation: FilterImplementation = 'iptables',
): AddressSet {
  const parsed = entries.map(({ cidr, nomatch }) => ({ span: parseSpan(cidr), nomatch }));
  if (parsed.some(({ span, nomatch }) => !span && nomatch)) return UNKNOWN_ADDRESSES;
  const known = parsed.flatMap(({ span, nomatch }) => (span ? [{ ...span, nomatch }] : []));
  const complete = known.length === parsed.length ? rest : 'unknown';
  if (!known.some((entry) => entry.nomatch)) return addressSet(known, complete);
  // A hole that something unknown may fill again is unknown too; `rest` says so, as a hole is no part of the spans.
  const widest = [...known].sort((a, b) => {
    if (implementation === 'nftables') return Number(a.nomatch) - Number(b.nomatch);
    const difference = b.last - b.first - (a.last - a.first);
    return difference > 0n ? 1 : difference < 0n ? -1 : 0;
  });
  const result: Record<4 | 6, AddressSpan[]> = { 4: [], 6: [] };
  for (const { family, first, last, nomatch } of widest) {
    if (nomatch) result[family] = subtract(result[family], { first, last });
    else result[family].push({ first, last });
  }
  return { 4: joinSpans(result[4]), 6: joinSpans(result[6]), rest: complete };
}
