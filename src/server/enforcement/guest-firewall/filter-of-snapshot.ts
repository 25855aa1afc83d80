import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import type { GuestFilter } from '@/domain/policy/plan/guest-filter';

/** A reading as planning needs it: complete, or null. */
export function filterOf({ rules, options, ipsets, aliases, nics, pending_nics }: GuestSnapshot): GuestFilter | null {
  if (!rules || !options || !ipsets || !nics) return null;
  return {
    rules,
    options,
    sets: ipsets,
    ...(aliases && { aliases }),
    nics: nics.map(({ name, firewall, mac }) => ({
      name,
      firewall: firewall === true,
      editable: firewall !== null && mac !== null && !pending_nics.includes(name),
    })),
  };
}
