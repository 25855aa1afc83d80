import type { Flow } from '@fabric/agent-contract';
import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import { type Attribution, attributeEnds, type FlowEnd } from '@/domain/flow/attribute-ends';
import { judgeObserver, type ObserverVerdict } from '@/domain/flow/observer';
import type { AddressBook } from './address-book';

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

/** The workload at whose interface something was seen, and whether the node may speak for it. */
export function observerOf(
  book: AddressBook,
  { cluster_id, node_id, vmid, at }: Sighting,
): { verdict: ObserverVerdict; workload_id: string | null } {
  const workload_id = book.guest(cluster_id, vmid ?? undefined);
  return { verdict: judgeObserver(vmid, workload_id, (id) => book.wasOn(id, node_id, at)), workload_id };
}

/** The workload at whose interface something was seen; null when there is none, or the node may not speak for it. */
export function confirmedObserver(book: AddressBook, sighting: Sighting): string | null {
  const { verdict, workload_id } = observerOf(book, sighting);
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
