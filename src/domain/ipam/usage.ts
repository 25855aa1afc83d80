import type { Cidr } from '../net/cidr';
import { capacityOf } from './capacity';
import type { AddressState } from './ip-address';
import type { Usage } from './subnet';

/** Number of addresses by state. */
export type StateCounts = Record<AddressState, number>;

export const noAddresses = (): StateCounts => ({ active: 0, reserved: 0, dhcp: 0, stale: 0, conflict: 0 });

/** How full a prefix with these addresses is. */
export function usageOf(cidr: Cidr, counts: StateCounts): Usage {
  const capacity = capacityOf(cidr);
  const used = counts.active + counts.reserved + counts.dhcp + counts.conflict;
  return { ...counts, used, capacity: capacity.toString(), utilisation: Math.min(1, used / Number(capacity)) };
}
