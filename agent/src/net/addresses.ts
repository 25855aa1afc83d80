/** Dotted text of an IPv4 address read as little endian 32 bit number from network order, as kernel maps hold it. */
export function ipv4FromWord(word: number): string {
  return `${word & 255}.${(word >>> 8) & 255}.${(word >>> 16) & 255}.${word >>> 24}`;
}

/** Inverse of `ipv4FromWord`; null when the text is not a dotted quad. */
export function ipv4ToWord(text: string): number | null {
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  let word = 0;
  for (let i = 0; i < 4; i += 1) {
    const part = parts[i] as string;
    if (!/^\d{1,3}$/.test(part) || (part.length > 1 && part.startsWith('0'))) return null;
    const value = Number(part);
    if (value > 255) return null;
    word |= value << (8 * i);
  }
  return word >>> 0;
}

/** Canonical text (RFC 5952) of 16 bytes. IPv4-mapped addresses stay hexadecimal. */
export function ipv6FromBytes(bytes: Uint8Array, offset = 0): string {
  const groups: number[] = [];
  for (let i = 0; i < 8; i += 1) {
    groups.push(((bytes[offset + 2 * i] as number) << 8) | (bytes[offset + 2 * i + 1] as number));
  }
  return joinGroups(groups);
}

/** Canonical text of an IPv6 address in any notation without zone; null when it is not one. */
export function canonicalIpv6(text: string): string | null {
  const groups = ipv6Groups(text);
  return groups && joinGroups(groups);
}

/** The third word of an IPv4-mapped address, as kernel maps hold it. */
export const MAPPED_WORD = 0xffff0000;
/** 32 bit words of an address in a key. */
export const ADDRESS_WORDS = 4;

/** Text of the address in four words of network order, as kernel maps hold it; IPv4-mapped ones are IPv4 addresses. */
export function addressFromWords(words: Uint32Array, at: number): string {
  if (words[at] === 0 && words[at + 1] === 0 && words[at + 2] === MAPPED_WORD) {
    return ipv4FromWord(words[at + 3] as number);
  }
  const groups: number[] = [];
  for (let i = 0; i < ADDRESS_WORDS; i += 1) {
    const word = words[at + i] as number;
    groups.push(((word & 255) << 8) | ((word >>> 8) & 255), (((word >>> 16) & 255) << 8) | (word >>> 24));
  }
  return joinGroups(groups);
}

/** Inverse of `addressFromWords`; null when the text is no address. */
export function addressToWords(text: string): Uint32Array | null {
  const ipv4 = ipv4ToWord(text);
  if (ipv4 !== null) return new Uint32Array([0, 0, MAPPED_WORD, ipv4]);
  const groups = text.includes(':') ? ipv6Groups(text) : null;
  if (!groups) return null;
  const swap = (group: number) => ((group & 255) << 8) | (group >> 8);
  return Uint32Array.from({ length: ADDRESS_WORDS }, (_, i) => {
    const [high = 0, low = 0] = [groups[2 * i], groups[2 * i + 1]];
    return (swap(high) | (swap(low) << 16)) >>> 0;
  });
}

function ipv6Groups(text: string): number[] | null {
  let source = text;
  const dot = source.lastIndexOf('.');
  if (dot >= 0) {
    const colon = source.lastIndexOf(':');
    const word = ipv4ToWord(source.slice(colon + 1));
    if (word === null || colon < 0) return null;
    const high = ((word & 255) << 8) | ((word >>> 8) & 255);
    const low = (((word >>> 16) & 255) << 8) | (word >>> 24);
    source = `${source.slice(0, colon + 1)}${high.toString(16)}:${low.toString(16)}`;
  }
  const halves = source.split('::');
  if (halves.length > 2) return null;
  const head = parseGroups(halves[0] as string);
  const tail = halves.length === 2 ? parseGroups(halves[1] as string) : [];
  if (!head || !tail) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  return [...head, ...Array<number>(missing).fill(0), ...tail];
}

/** Canonical text of an IPv4 or IPv6 address, null when it is neither. */
export function canonicalAddress(text: string): string | null {
  if (text.includes(':')) return canonicalIpv6(text);
  return ipv4ToWord(text) === null ? null : text;
}

function parseGroups(text: string): number[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  return parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part)) ? parts.map((part) => Number.parseInt(part, 16)) : null;
}

function joinGroups(groups: number[]): string {
  let best = -1;
  let bestLength = 1;
  for (let i = 0; i < 8; i += 1) {
    let end = i;
    while (end < 8 && groups[end] === 0) end += 1;
    if (end - i > bestLength) {
      best = i;
      bestLength = end - i;
    }
    if (end > i) i = end;
  }
  const hex = groups.map((group) => group.toString(16));
  if (best < 0) return hex.join(':');
  return `${hex.slice(0, best).join(':')}::${hex.slice(best + bestLength).join(':')}`;
}
