import type { LiveNic, LiveState } from '../firewall/live-state';
import { type PreparedGuest, prepareGuest } from '../firewall/prepare-guest';
import { type AuditPolicy, droppingGuest } from './audit-policy';

/** One interface of a guest, ready for `evaluate`. */
export type GuestInterface = {
  /** `net0` … */
  readonly name: string;
  readonly live: PreparedGuest;
  /** The same with a default that drops; made when first needed. */
  readonly dropping: () => PreparedGuest;
};

/** Everything that is needed to evaluate flows at one guest. */
export type GuestContext = {
  readonly workload_id: string;
  /** What was prepared: places of verdicts are found in it by `ruleAt`. */
  readonly state: LiveState;
  /** Interfaces on a bridge; null: could not be read. */
  readonly interfaces: readonly GuestInterface[] | null;
  /** An interface by name, when `interfaces` is null. Only its name is known. */
  readonly assumed: (name: string) => GuestInterface;
  /** Whether the guest's rules or sets tell interfaces apart. */
  readonly interfaces_differ: boolean;
  readonly audit: readonly AuditPolicy[];
};

function prepareInterface(state: LiveState, nic: LiveNic): GuestInterface {
  let dropping: PreparedGuest | undefined;
  return {
    name: nic.name,
    live: prepareGuest(state, nic),
    dropping: () => {
      dropping ??= droppingGuest(state, nic);
      return dropping;
    },
  };
}

/**
 * Prepares a guest for the evaluation of any number of its flows.
 * @param nics as they were read; null: could not be read
 * @param audit policies in audit mode that apply to this guest, in the order in which they would be placed there
 */
export function prepareGuestContext(read: {
  workload_id: string;
  state: LiveState;
  nics: readonly LiveNic[] | null;
  audit: readonly AuditPolicy[];
}): GuestContext {
  const { workload_id, state, nics, audit } = read;
  const { rules, ipsets } = state.guest;
  const assumed = new Map<string, GuestInterface>();
  return {
    workload_id,
    state,
    interfaces: nics?.map((nic) => prepareInterface(state, nic)) ?? null,
    assumed(name) {
      const known = assumed.get(name) ?? prepareInterface(state, { name, firewall: null, mac: null });
      assumed.set(name, known);
      return known;
    },
    interfaces_differ:
      rules === null ||
      ipsets === null ||
      rules.some(({ iface }) => iface !== undefined && iface !== '') ||
      Object.keys(ipsets).some((name) => name.startsWith('ipfilter-')),
    audit,
  };
}
