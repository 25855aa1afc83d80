/** An IP address as a number. IPv4-mapped IPv6 addresses stay IPv6; see `unmapIp`. */
export type IpAddress = { readonly family: 4 | 6; readonly value: bigint };

/** Number of bits of an address of this family. */
export const addressBits = (family: 4 | 6): 32 | 128 => (family === 4 ? 32 : 128);

const MAPPED_PREFIX = 0xffffn << 32n;
/** The dot, counted from the digit 0. */
const DOT = '.'.charCodeAt(0) - '0'.charCodeAt(0);

function parseIpv4(text: string): bigint | null {
  let value = 0;
  let octet = -1;
  let dots = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) {
      // Leading zeros are refused: some parsers read them as octal, so the text would mean two addresses.
      if (octet === 0) return null;
      octet = octet < 0 ? digit : octet * 10 + digit;
      if (octet > 255) return null;
    } else {
      if (digit !== DOT || octet < 0) return null;
      value = value * 256 + octet;
      octet = -1;
      dots += 1;
    }
  }
  return dots === 3 && octet >= 0 ? BigInt(value * 256 + octet) : null;
}

/** The 16-bit groups of one side of `::`, or null. Only the last group may be a dotted quad, and only at the end. */
function parseGroups(text: string, allowQuad: boolean): bigint[] | null {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (allowQuad && index === parts.length - 1 && part.includes('.')) {
      const quad = parseIpv4(part);
      if (quad === null) return null;
      groups.push(quad >> 16n, quad & 0xffffn);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return null;
  }
  return groups;
}

function parseIpv6(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '', true) : [];
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  return [...head, ...Array<bigint>(missing).fill(0n), ...tail].reduce((value, group) => (value << 16n) | group, 0n);
}

/** Parses one address. No blanks, no leading zeros in IPv4, no zone suffix; null when it is not an address. */
export function parseIp(text: string): IpAddress | null {
  if (text.length > 45) return null;
  const family = text.includes(':') ? 6 : 4;
  const value = family === 6 ? parseIpv6(text) : parseIpv4(text);
  return value === null ? null : { family, value };
}

function formatIpv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i)) & 0xffffn);
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0n) length++;
    if (length > best.length) best = { start, length };
  }
  const text = (from: number, to?: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  return best.start < 0 ? text(0) : `${text(0, best.start)}::${text(best.start + best.length)}`;
}

/** The one canonical text of an address: dotted quad, or RFC 5952 without the dotted tail. */
export function formatIp(ip: IpAddress): string {
  if (ip.family === 6) return formatIpv6(ip.value);
  const value = Number(ip.value);
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

/** `::ffff:a.b.c.d` as IPv4, which is what a socket connects to; every other address as it is. */
export function unmapIp(ip: IpAddress): IpAddress {
  return ip.family === 6 && ip.value >> 32n === MAPPED_PREFIX >> 32n
    ? { family: 4, value: ip.value & 0xffffffffn }
    : ip;
}

/** IPv4 before IPv6, then by number. */
export function compareIp(a: IpAddress, b: IpAddress): number {
  if (a.family !== b.family) return a.family - b.family;
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

/** Surely the start of an address: digits with a dot, or with a colon in between. */
export const ADDRESS_PART = /^(\d{1,3}\.[\d.]*|[0-9a-f]{0,4}:[0-9a-f:.]*)$/i;
