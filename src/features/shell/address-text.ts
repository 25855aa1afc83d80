import { parseCidr } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import { normalizeMac } from '@/domain/net/mac-address';

/** Whether a text is an address, a network or a MAC address, or surely the beginning of an IPv4 address. */
export function looksLikeAddress(text: string): boolean {
  const trimmed = text.trim();
  if (parseIp(trimmed) || normalizeMac(trimmed)) return true;
  if (trimmed.includes('/')) return parseCidr(trimmed) !== null;
  return /^\d{1,3}\.\d{1,3}(\.\d{0,3}){0,2}$/.test(trimmed) || /^[0-9a-f]{1,4}:[0-9a-f:]*$/i.test(trimmed);
}
