/**
 * The IPv6 link-local address that a hardware address implies (RFC 4291, appendix A): the universal bit is flipped and
 * ff:fe put into the middle.
 * @param mac six hex pairs with colons
 */
export function linkLocalOf(mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac.split(':').map((pair) => Number.parseInt(pair, 16));
  const word = (high: number, low: number) => ((high << 8) | low).toString(16);
  return `fe80::${word(a ^ 2, b)}:${word(c, 0xff)}:${word(0xfe, d)}:${word(e, f)}`;
}
