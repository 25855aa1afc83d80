/**
 * The canonical text of a MAC address: six upper-case hex pairs with colons, as hypervisors print them.
 * Accepts `:` or `-` between the pairs, `aabb.ccdd.eeff`, or no separator; null for anything else.
 */
export function normalizeMac(text: string): string | null {
  const shape = /^([0-9a-f]{2}([:-])[0-9a-f]{2}(\2[0-9a-f]{2}){4}|[0-9a-f]{4}(\.[0-9a-f]{4}){2}|[0-9a-f]{12})$/i;
  if (!shape.test(text)) return null;
  const digits = text.replace(/[:.-]/g, '').toUpperCase();
  return digits.match(/../g)?.join(':') ?? null;
}

/** Whether the group bit is set (multicast, broadcast): never the address of one interface. */
export const isGroupMac = (mac: string): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;

/**
 * The IPv6 link-local address that a hardware address implies (RFC 4291, appendix A): the universal bit is flipped and
 * ff:fe put into the middle.
 * @param mac six hex pairs with colons
 */
export function toLinkLocal(mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac.split(':').map((pair) => Number.parseInt(pair, 16));
  const word = (high: number, low: number) => ((high << 8) | low).toString(16);
  return `fe80::${word(a ^ 2, b)}:${word(c, 0xff)}:${word(0xfe, d)}:${word(e, f)}`;
}
