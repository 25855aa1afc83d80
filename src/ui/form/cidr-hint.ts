import { formatCidr, hasHostBits, networkOf, parseCidr } from '@/domain/net/cidr';
import { addressBits, formatIp } from '@/domain/net/ip-address';
import type { Translate } from '@/lib/i18n/translator';

/** What can be said about a network while it is typed; null while it is incomplete. `suggestion` is the network meant. */
export function cidrHint(t: Translate, text: string): { text: string; suggestion?: string } | null {
  const trimmed = text.trim();
  if (!trimmed.includes('/')) return null;
  const cidr = parseCidr(trimmed);
  if (!cidr) return null;
  if (hasHostBits(cidr)) {
    return {
      text: t('{address} is an address inside the network.', { address: formatIp(cidr.address) }),
      suggestion: formatCidr(networkOf(cidr)),
    };
  }
  const bits = addressBits(cidr.address.family) - cidr.prefix;
  if (bits > 32) return { text: t('2^{bits} addresses', { bits }) };
  return { text: t('{n, plural, one {# address} other {# addresses}}', { n: 2 ** bits }) };
}
