import { toFact } from './pve/inventory/list-guests';
import type { GuestFact, GuestRef } from './types';

/** A guest as listed, of which nothing is known but what is given. */
export const guestFact = ({ kind, vmid, node, ...given }: GuestRef & Partial<GuestFact>): GuestFact => ({
  ...toFact({ type: kind, vmid, node }, true),
  ...given,
});
