import { type GuestContext, prepareGuestContext } from '@/domain/flow-context/guest-context';
import type { ContextPair } from '@/domain/impact/replay';
import type { Reach } from '@/domain/permissions';
import { ruleNamer } from '../guest-firewall/named-rules';
import { toLiveState } from '../policies/firewall-state/views';
import type { FirewallChange, Readable } from '../policies/planned-change';

/** A guest as it was read, without policies in audit mode: these decide nothing. @param reach leaves out rules that it does not open */
function contextIn({ inputs, snapshots }: Readable, id: string, reach: Reach = 'all'): GuestContext | null {
  const workload = inputs.workloads.get(id);
  const guest = snapshots.guests.get(id)?.state;
  if (!workload || !guest) return null;
  const cluster = snapshots.clusters.get(workload.cluster_id)?.state ?? null;
  const { isOpen } = ruleNamer(inputs, reach, workload);
  const rules = guest.rules?.filter(isOpen) ?? null;
  const state = toLiveState(workload, { ...guest, rules }, cluster);
  return prepareGuestContext({ workload_id: id, state, nics: guest.nics, audit: [] });
}

const pairIn = ({ before, after, changed, unreadable }: FirewallChange, id: string, reach?: Reach): ContextPair => {
  const was = contextIn(before, id, reach);
  return { before: was, after: unreadable.has(id) ? null : changed.has(id) ? contextIn(after, id, reach) : was };
};

/** Rules of prepared guests that are kept, before and after. Each takes about half a kilobyte. */
const MOST_RULES = 400_000;

/** Rules of a group count at each guest that names it: that is where they are compiled. */
const countGuestRules = ({ state }: GuestContext): number =>
  (state.guest.rules ?? []).reduce(
    (sum, { type, action }) => sum + (type === 'group' ? (state.cluster.groups?.[action]?.length ?? 0) : 0) + 1,
    1,
  );

const countRules = ({ before, after }: ContextPair): number =>
  (before ? countGuestRules(before) : 1) + (after && after !== before ? countGuestRules(after) : 0);

type Kept = { readonly pair: ContextPair; readonly rules: number };

/**
 * Guests before and after a change; the same object where nothing changes. Those that were used last are kept, so that memory does not
 * grow with the number of guests.
 */
export class GuestPairs {
  readonly #kept = new Map<string, Kept>();
  #rules = 0;

  constructor(
    readonly found: FirewallChange,
    readonly most = MOST_RULES,
  ) {}

  of(id: string): ContextPair {
    const known = this.#remove(id);
    const pair = known?.pair ?? pairIn(this.found, id);
    this.#keep(id, known ?? { pair, rules: countRules(pair) });
    for (const oldest of this.#kept.keys()) {
      if (this.#rules <= this.most || oldest === id) break;
      this.#remove(oldest);
    }
    return pair;
  }

  /** The pair, which is no longer kept here. */
  take(id: string): ContextPair {
    return this.#remove(id)?.pair ?? pairIn(this.found, id);
  }

  #keep(id: string, kept: Kept): void {
    this.#kept.set(id, kept);
    this.#rules += kept.rules;
  }

  #remove(id: string): Kept | null {
    const kept = this.#kept.get(id);
    if (!kept) return null;
    this.#kept.delete(id);
    this.#rules -= kept.rules;
    return kept;
  }
}

/**
 * The same without rules of which the reader may not see what they match. What a change does to all packets would otherwise list
 * the addresses and ports of these.
 */
export const redactContexts = (found: FirewallChange, id: string, reach: Reach): ContextPair =>
  pairIn(found, id, reach);
