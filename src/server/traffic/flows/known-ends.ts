import type { Attribution, FlowEnd } from '@/domain/flow/attribute-ends';
import { isPrivateAddress } from '@/domain/ipam/host-address';
import { formatCidr, networkOf } from '@/domain/net/cidr';
import { formatIp, parseIp, unmapIp } from '@/domain/net/ip-address';
import type { AddressBook } from './address-book';

/** Prefix lengths to which external addresses are summed up. */
const EXTERNAL_PREFIX = { 4: 24, 6: 48 } as const;

/** An address of a flow in its one spelling, with what is known of it. */
export type KnownEnd = FlowEnd & {
  address: string;
  prefix: string;
  /** Whether a workload may have it: it lies in a known subnet or in private space. */
  is_local: boolean;
};

/**
 * Whether an unknown end of a flow may turn out to be a workload: it is local, or the flow was seen at an interface whose
 * guest stands at no end. Other hosts on the internet stay what they are.
 */
export function isResolvable(
  [source, destination]: readonly [KnownEnd, KnownEnd],
  ends: Attribution,
  seenBy: { vmid: number | null; workload_id: string | null },
): boolean {
  const { source_workload_id, destination_workload_id } = ends;
  const isPlaced =
    seenBy.workload_id !== null && [source_workload_id, destination_workload_id].includes(seenBy.workload_id);
  const isGuests = seenBy.vmid !== null && !isPlaced;
  return (
    (source_workload_id === null && (source.is_local || isGuests)) ||
    (destination_workload_id === null && (destination.is_local || isGuests))
  );
}

/** Looks addresses up, each text once. Null for what is no address. */
export function endLookup(book: AddressBook, clusterId: string): (text: string) => KnownEnd | null {
  const known = new Map<string, KnownEnd | null>();
  const find = (text: string): KnownEnd | null => {
    const parsed = parseIp(text);
    if (!parsed) return null;
    const ip = unmapIp(parsed);
    const end = book.endOf(clusterId, ip);
    const prefix = end.cidr ?? formatCidr(networkOf({ address: ip, prefix: EXTERNAL_PREFIX[ip.family] }));
    return { ...end, address: formatIp(ip), prefix, is_local: end.cidr !== null || isPrivateAddress(ip) };
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
