import type { Flow } from '@fabric/agent-contract';
import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import { type Attribution, attributeEnds, type FlowEnd } from '@/domain/flow/attribute-ends';
import { evaluateObserver, hasVmid, type ObserverVerdict } from '@/domain/flow/observer';
import { isPrivateAddress } from '@/domain/ipam/host-address';
import { formatCidr, toNetwork } from '@/domain/net/cidr';
import { formatIp, parseIp, unmapIp } from '@/domain/net/ip-address';
import type { AddressBook } from './address-book';

/** Prefix lengths to which external addresses are summed up. */
const EXTERNAL_PREFIX = { 4: 24, 6: 48 } as const;

/** A normalized address of a flow, with what is known about it. */
export type KnownEnd = FlowEnd & {
  address: string;
  prefix: string;
  /** Whether a workload may have it: it is in a known subnet or in private address space. */
  is_local: boolean;
};

/**
 * Whether an unknown end of a flow may turn out to be a workload: it is local, or the flow was seen at an interface
 * whose guest is neither end. Other hosts on the internet stay as they are.
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
    const prefix = end.cidr ?? formatCidr(toNetwork({ address: ip, prefix: EXTERNAL_PREFIX[ip.family] }));
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

/** Where and when something was seen: `vmid` is that of the interface, `at` in milliseconds since 1970. */
export type Sighting = { cluster_id: string; node_id: string; vmid: number | null; at: number };

/** The guest whose interface saw a flow, null for none; `contradiction` when the name of the interface says another one. */
export function observingVmid({
  interface: name,
  vmid,
}: Pick<Flow, 'interface' | 'vmid'>): number | null | 'contradiction' {
  const named = name === undefined ? null : (parseGuestInterface(name)?.vmid ?? null);
  if (named !== null && vmid !== undefined && named !== vmid) return 'contradiction';
  return vmid ?? named;
}

/** The workload at whose interface something was seen, and whether the node may report for it. */
export function resolveObserver(
  book: AddressBook,
  { cluster_id, node_id, vmid, at }: Sighting,
): { verdict: ObserverVerdict; workload_id: string | null } {
  const known = book.guest(cluster_id, vmid ?? undefined);
  const place = known === null ? null : book.placeOf(known);
  const workload_id = place && hasVmid(place, at) ? known : null;
  return { verdict: evaluateObserver(vmid, workload_id, (id) => book.wasOn(id, node_id, at)), workload_id };
}

/** The workload at whose interface something was seen; null when there is none, or the node may not report for it. */
export function confirmedObserver(book: AddressBook, sighting: Sighting): string | null {
  const { verdict, workload_id } = resolveObserver(book, sighting);
  return verdict === 'confirmed' ? workload_id : null;
}

/** The workloads at the ends of a flow, as far as the node that saw it may say. */
export const attributeFlow = (
  book: AddressBook,
  { node_id, at }: Pick<Sighting, 'node_id' | 'at'>,
  source: FlowEnd,
  destination: FlowEnd,
  observer: string | null,
): Attribution => attributeEnds(source, destination, observer, (id) => book.wasOn(id, node_id, at));
