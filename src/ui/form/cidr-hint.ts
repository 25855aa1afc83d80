import { formatCidr, hasHostBits, networkOf, parseCidr } from '@/domain/net/cidr';
import { addressBits, formatIp } from '@/domain/net/ip-address';
import { formatCount } from '@/lib/format';

/** What can be said about a network while it is typed; null while it is incomplete. `suggestion` is the network meant. */
export function cidrHint(text: string): { text: string; suggestion?: string } | null {
  const trimmed = text.trim();
  if (!trimmed.includes('/')) return null;
  const cidr = parseCidr(trimmed);
  if (!cidr) return null;
  if (hasHostBits(cidr)) {
    return {
      text: `${formatIp(cidr.address)} is an address inside the network.`,
      suggestion: formatCidr(networkOf(cidr)),
    };
  }
  const bits = addressBits(cidr.address.family) - cidr.prefix;
  const size = bits > 32 ? `2^${bits}` : formatCount(2 ** bits);
  return { text: `${size} ${bits === 0 ? 'address' : 'addresses'}` };
}
