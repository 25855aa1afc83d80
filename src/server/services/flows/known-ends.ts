import type { FlowEnd } from '@/domain/flow/attribute-ends';
import { formatCidr, networkOf } from '@/domain/net/cidr';
import { formatIp, parseIp, unmapIp } from '@/domain/net/ip-address';
import type { AddressBook } from './address-book';

/** Prefix lengths to which external addresses are summed up. */
const EXTERNAL_PREFIX = { 4: 24, 6: 48 } as const;

/** An address of a flow in its one spelling, with what is known of it. */
export type KnownEnd = FlowEnd & { address: string; prefix: string };

/** Looks addresses up, each text once. Null for what is no address. */
export function endLookup(book: AddressBook, clusterId: string): (text: string) => KnownEnd | null {
  const known = new Map<string, KnownEnd | null>();
  const find = (text: string): KnownEnd | null => {
    const parsed = parseIp(text);
    if (!parsed) return null;
    const ip = unmapIp(parsed);
    const end = book.endOf(clusterId, ip);
    const prefix = end.cidr ?? formatCidr(networkOf({ address: ip, prefix: EXTERNAL_PREFIX[ip.family] }));
    return { ...end, address: formatIp(ip), prefix };
  };
  return (text) => {
    let end = known.get(text);
    if (end === undefined) {
      end = find(text);
      known.set(text, end);
    }
    return end;
  };
}
