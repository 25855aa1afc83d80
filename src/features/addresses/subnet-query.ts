import { formatCidr, networkOf, parseCidr } from '@/domain/net/cidr';
import { formatIp, parseIp } from '@/domain/net/ip-address';

/**
 * What a text in the search of prefixes asks for: the prefixes around an address, those inside a network, or those with the
 * text in their name. Host bits of a network are ignored, as people paste `10.0.0.5/24`.
 */
export function subnetQuery(text: string): { contains: string } | { within: string } | { q: string } | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const ip = parseIp(trimmed);
  if (ip) return { contains: formatIp(ip) };
  const cidr = trimmed.includes('/') ? parseCidr(trimmed) : null;
  return cidr ? { within: formatCidr(networkOf(cidr)) } : { q: trimmed.slice(0, 200) };
}
