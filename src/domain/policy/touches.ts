import type { IpAddress } from '../net/ip-address';
import { getOwnerId } from './acts-on';
import type { CompilablePolicy } from './desired';
import type { InventoryIndex } from './inventory-index';
import { resolvePeers, resolveWorkloads } from './resolve';

export const TOUCHED_BY = ['workload', 'address', 'any'] as const;

/** An endpoint that resolves to an address: to the workload that has it, to addresses that include it, or to all. */
export type Touch = {
  readonly side: 'source' | 'target';
  readonly endpoint: string;
  readonly by: (typeof TOUCHED_BY)[number];
};

/**
 * The endpoints of a policy that resolve to an address, sources first. Rules name addresses, not clusters: the same
 * address on another cluster is included. An endpoint that resolves to nothing touches nothing.
 */
export function listTouches(
  policy: Pick<CompilablePolicy, 'tenant_id' | 'project_id' | 'definition'>,
  subject: { readonly address: IpAddress; readonly workload_id: string | null },
  index: InventoryIndex,
): Touch[] {
  const { address, workload_id } = subject;
  const touch = (endpoint: string): Touch['by'] | null => {
    const workloads = resolveWorkloads(endpoint, index, getOwnerId(policy));
    if (!('reason' in workloads) && workloads.some(({ id }) => id === workload_id)) return 'workload';
    const peers = resolvePeers(endpoint, index, getOwnerId(policy));
    if (peers === 'any') return 'any';
    if ('reason' in peers) return null;
    const holds = peers[address.family].some(({ first, last }) => first <= address.value && address.value <= last);
    return holds ? 'address' : null;
  };
  const { sources, targets } = policy.definition;
  return [
    ...sources.map((endpoint) => ({ side: 'source' as const, endpoint })),
    ...targets.map((endpoint) => ({ side: 'target' as const, endpoint })),
  ].flatMap((item) => {
    const by = touch(item.endpoint);
    return by === null ? [] : [{ ...item, by }];
  });
}
