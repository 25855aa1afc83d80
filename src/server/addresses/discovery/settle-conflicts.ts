import type { AddressState } from '@/domain/ipam/ip-address';
import type { AddressWrite, ConflictWrite, DiscoveryPlan, StoredConflict } from './discovery-plan';

type Found = {
  stored: readonly StoredConflict[];
  detected: ReadonlyMap<string, ConflictWrite>;
  /** Whether a conflict that was not seen is proved to be no more. */
  isOver: (conflict: StoredConflict) => boolean;
  /** Every address as it will be, by id. Their states follow: `conflict` while one is open, else as before it. */
  wanted: ReadonlyMap<string, AddressWrite>;
  /** Whether an address is static or not, as far as it was seen. */
  observedState: ReadonlyMap<string, AddressState>;
};

/** The states of addresses while conflicts are open, and what they become when none is any more. */
function settleStates(
  { wanted, observedState }: Found,
  open: ReadonlySet<string>,
  before: ReadonlyMap<string, string>,
) {
  for (const row of wanted.values()) {
    if (open.has(row.id)) {
      if (row.state !== 'stale') row.state = 'conflict';
    } else if (row.state === 'conflict') {
      const settled = before.get(row.id);
      const seenAs = row.source === 'manual' ? undefined : observedState.get(row.id);
      row.state = seenAs ?? (settled === 'reserved' || settled === 'dhcp' ? settled : 'active');
    }
  }
}

/** Compares the conflicts seen with those stored, and lets the states of the addresses follow. */
export function settleConflicts(found: Found): DiscoveryPlan['conflicts'] & { open: number } {
  const { stored, detected, wanted } = found;
  const plan = { create: [] as ConflictWrite[], reopen: [] as ConflictWrite[], gone: [] as StoredConflict[], open: 0 };
  const open = new Set<string>();
  const before = new Map<string, string>();
  for (const { ip_address_id, state_before } of stored)
    if (ip_address_id !== null && state_before !== null) before.set(ip_address_id, state_before);
  const markOpen = (addressId: string | null) => {
    plan.open += 1;
    if (addressId !== null) open.add(addressId);
  };
  const stateOf = (id: string | null) => {
    const state = id === null ? undefined : wanted.get(id)?.state;
    return state === undefined || state === 'conflict' ? (before.get(id ?? '') ?? null) : state;
  };
  const current = new Map(stored.map((conflict) => [`${conflict.kind} ${conflict.key}`, conflict]));
  for (const [name, conflict] of detected) {
    const known = current.get(name);
    const write = { ...conflict, state_before: stateOf(conflict.ip_address_id) };
    if (!known) plan.create.push(write);
    else if (known.status === 'gone') plan.reopen.push({ ...write, id: known.id });
    else if (known.status === 'resolved') continue;
    markOpen(conflict.ip_address_id);
  }
  for (const [name, conflict] of current) {
    if (detected.has(name) || conflict.status === 'gone') continue;
    if (found.isOver(conflict)) plan.gone.push(conflict);
    else if (conflict.status === 'open') markOpen(conflict.ip_address_id);
  }
  settleStates(found, open, before);
  return plan;
}
