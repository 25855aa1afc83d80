import { type GuestContext, prepareGuestContext } from '@/domain/flow-context/guest-context';
import { liveStateOf } from '../policies/firewall-state/views';
import type { FirewallChange, Readable } from '../policies/planned-change';
import type { ContextPair } from './describe-difference';

/** A guest as it was read, without policies in audit mode: these decide nothing. */
function contextIn({ inputs, snapshots }: Readable, id: string): GuestContext | null {
  const workload = inputs.workloads.get(id);
  const guest = snapshots.guests.get(id)?.state;
  if (!workload || !guest) return null;
  const cluster = snapshots.clusters.get(workload.cluster_id)?.state ?? null;
  const state = liveStateOf(workload, guest, cluster);
  return prepareGuestContext({ workload_id: id, state, nics: guest.nics, audit: [] });
}

/** Guests before and after a change, each prepared once; the same object where nothing changes. */
export function contextsOf({ before, after, changed, unreadable }: FirewallChange): (id: string) => ContextPair {
  const known = new Map<string, ContextPair>();
  return (id) => {
    let pair = known.get(id);
    if (!pair) {
      const was = contextIn(before, id);
      pair = { before: was, after: unreadable.has(id) ? null : changed.has(id) ? contextIn(after, id) : was };
      known.set(id, pair);
    }
    return pair;
  };
}
