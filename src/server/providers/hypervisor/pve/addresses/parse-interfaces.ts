import { formatIp, parseIp } from '@/domain/net/ip-address';
import { isGroupMac, normalizeMac } from '@/domain/net/mac-address';
import type { GuestInterface, GuestInterfaces } from '../../types';
import { stripControls } from '../answers/fields';

/** A container host has hundreds of interfaces; only those with the address of a card matter. */
const MAX_INTERFACES = 1024;
const MAX_ADDRESSES = 128;
const MAX_NAME = 64;

type Fields = Record<string, unknown>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One address as the guest says it; null when it is none. `%eth0` of Windows and BSD is cut off. */
export function addressFact(text: unknown, prefix: unknown): { address: string; prefix: number | null } | null {
  if (typeof text !== 'string' || text.length > 100) return null;
  const ip = parseIp(text.split('%', 1)[0] ?? '');
  if (!ip) return null;
  const length = typeof prefix === 'string' && /^\d{1,3}$/.test(prefix) ? Number(prefix) : prefix;
  const fits =
    typeof length === 'number' && Number.isInteger(length) && length >= 0 && length <= (ip.family === 4 ? 32 : 128);
  return { address: formatIp(ip), prefix: fits ? length : null };
}

/** A MAC address that one interface can have; null for nonsense, groups and all zeros. */
function macFact(text: unknown): string | null {
  const mac = typeof text === 'string' ? normalizeMac(text) : null;
  return mac === null || isGroupMac(mac) || mac === '00:00:00:00:00:00' ? null : mac;
}

/**
 * Reads a list of interfaces entry by entry; what makes no sense costs only itself and is counted.
 * @param addressesOf the addresses of one entry, null when it names none
 */
export function interfaceFacts(
  data: readonly unknown[],
  addressesOf: (entry: Fields) => readonly unknown[] | null,
): GuestInterfaces {
  const items: GuestInterface[] = [];
  let ignored = Math.max(0, data.length - MAX_INTERFACES);
  for (const entry of data.slice(0, MAX_INTERFACES)) {
    if (!isFields(entry) || typeof entry.name !== 'string') {
      ignored += 1;
      continue;
    }
    const listed = addressesOf(entry);
    const addresses: NonNullable<GuestInterface['addresses']> = [];
    for (const item of listed?.slice(0, MAX_ADDRESSES) ?? []) {
      const fact = isFields(item) ? addressFact(item['ip-address'], item.prefix) : null;
      if (!fact) ignored += 1;
      else if (!addresses.some(({ address }) => address === fact.address)) addresses.push(fact);
    }
    ignored += Math.max(0, (listed?.length ?? 0) - MAX_ADDRESSES);
    items.push({
      name: stripControls(entry.name.slice(0, 2 * MAX_NAME)).slice(0, MAX_NAME),
      mac: macFact(entry['hardware-address'] ?? entry.hwaddr),
      addresses: listed === null ? null : addresses,
    });
  }
  return { items, ignored };
}
