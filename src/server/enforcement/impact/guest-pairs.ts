import { type GuestContext, prepareGuestContext } from '@/domain/flow-context/guest-context';
import type { ContextPair } from '@/domain/impact/replay';
import type { Reach } from '@/domain/permissions';
import { ruleNamer } from '../guest-firewall/named-rules';
import { liveStateOf } from '../policies/firewall-state/views';
import type { FirewallChange, Readable } from '../policies/planned-change';

/** A guest as it was read, without policies in audit mode: these decide nothing. @param reach leaves out rules that it does not open */
function contextIn({ inputs, snapshots }: Readable, id: string, reach: Reach = 'all'): GuestContext | null {
  const workload = inputs.workloads.get(id);
  const guest = snapshots.guests.get(id)?.state;
  if (!workload || !guest) return null;
  const cluster = snapshots.clusters.get(workload.cluster_id)?.state ?? null;
  const { isOpen } = ruleNamer(inputs, reach, workload);
  const rules = guest.rules?.filter(isOpen) ?? null;
  const state = liveStateOf(workload, { ...guest, rules }, cluster);
  return prepareGuestContext({ workload_id: id, state, nics: guest.nics, audit: [] });
}

const pairIn = ({ before, after, changed, unreadable }: FirewallChange, id: string, reach?: Reach): ContextPair => {
  const was = contextIn(before, id, reach);
  return { before: was, after: unreadable.has(id) ? null : changed.has(id) ? contextIn(after, id, reach) : was };
};

/** Guests before and after a change, each prepared once; the same object where nothing changes. */
export function contextsOf(found: FirewallChange): (id: string) => ContextPair {
  const known = new Map<string, ContextPair>();
  return (id) => {
    const pair = known.get(id) ?? pairIn(found, id);
    known.set(id, pair);
    return pair;
  };
}

/**
 * The same without rules of which the reader may not see what they match. What a change does to all packets would otherwise list
 * the addresses and ports of these.
 */
export const openContexts = (found: FirewallChange, id: string, reach: Reach): ContextPair => pairIn(found, id, reach);
