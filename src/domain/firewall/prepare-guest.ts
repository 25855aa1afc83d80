import { normalizeMac, toLinkLocal } from '../net/mac-address';
import { type AddressSet, UNKNOWN_ADDRESSES } from './address-set';
import { type AskedRules, compileChain } from './compile-chain';
import type { CompiledRule } from './compiled-rule';
import { type Enforcement, evaluateEnforcement } from './enforcement';
import { type EffectiveOptions, effectiveOptions } from './guest-options';
import type { FilterImplementation, LiveCluster, LiveNic, LiveState } from './live-state';
import { possibleImplementations } from './node-options';
import { type PreparedNode, prepareNode } from './prepare-node';
import { findRefusedGroup } from './refused-group';
import { resolveAddress, type Scopes, setAddresses } from './resolve-address';
import { buildRuleIndex, type RuleIndex } from './rule-index';
import type { RulePlace, UnknownReason } from './verdict';
import { type GuestCrossing, guestCrossing } from './vnet-crossing';

/** The filter as one implementation makes it. */
export type PreparedFilter = {
  readonly implementation: FilterImplementation;
  readonly node: PreparedNode;
  readonly blacklist: AddressSet | null;
  readonly ip_filter: AddressSet | null;
  readonly index: (direction: 'in' | 'out', family: 4 | 6) => RuleIndex;
  /** The same filter with those of its rules only that may match a packet in question. */
  readonly narrow: (isAsked: AskedRules) => PreparedFilter;
  /** The rule because of which the interface may have no chains; null: it has them. */
  readonly refused: Readonly<Record<4 | 6, RulePlace | null>>;
  /** What filters between the interface and the other end of the packet; null: nothing. */
  readonly crossing: GuestCrossing | null;
};

/** One interface of one guest, ready for `evaluate`. Immutable towards callers; indexes are built when first needed. */
export type PreparedGuest = {
  readonly enforcement: Enforcement;
  /** The three switches; null: could not be read. */
  readonly switches: { readonly cluster: boolean | null; readonly guest: boolean | null; readonly nic: boolean | null };
  /** Null: could not be read. */
  readonly options: EffectiveOptions | null;
  /** What an undecided rule without a known reason is undecided by. */
  readonly rules_reason: UnknownReason;
  readonly mac: string | null;
  /** One, or one of each implementation when it is not known which of them filters. */
  readonly filters: readonly [PreparedFilter, ...PreparedFilter[]];
};

/** The rules of one direction and family that hold at the interface, in the order in which they are evaluated. */
export function compileGuestChain(
  state: LiveState,
  nic: LiveNic,
  implementation: FilterImplementation,
  direction: 'in' | 'out',
  family: 4 | 6,
  scopes: Scopes = { cluster: state.cluster, guest: state.guest, implementation },
  isAsked?: AskedRules,
): CompiledRule[] {
  const { cluster, guest } = state;
  const hasInterface = (iface: string) => iface === nic.name;
  const view = { direction, family, scopes, groups: cluster.groups, hasInterface };
  return compileChain(guest.rules, isAsked ? { ...view, isAsked } : view);
}

/**
 * Addresses that the interface may send from, or null when they are not filtered. With iptables a set named after the
 * interface filters by its mere existence, and the option adds an empty one; to both are added the link-local address made
 * from the MAC and a container's static addresses, which win over an entry for the same network. With nftables only the
 * option filters, and a stored set is taken as it is.
 */
function compileIpFilter({ guest }: LiveState, nic: LiveNic, options: EffectiveOptions | null, scopes: Scopes) {
  if (!options) return null;
  const name = `ipfilter-${nic.name}`;
  const nftables = scopes.implementation === 'nftables';
  if (nftables && !options.ipfilter) return null;
  if (!guest.ipsets) return UNKNOWN_ADDRESSES;
  const stored = Object.hasOwn(guest.ipsets, name) ? guest.ipsets[name] : undefined;
  if (nftables && stored) return setAddresses(stored, scopes);
  if (!stored && !options.ipfilter) return null;
  const mac = nic.mac === null ? null : normalizeMac(nic.mac);
  const implied = [
    ...(mac ? [{ cidr: toLinkLocal(mac) }] : []),
    ...(nftables ? [] : [{ cidr: 'fe80::/10', nomatch: 1 }]),
    ...(nic.static_addresses ?? []).map((text) => ({ cidr: text.split('/')[0] ?? text })),
  ];
  return setAddresses([...(stored ?? []), ...implied], scopes, mac ? 'no' : 'unknown');
}

/** Rules of one direction and family, of every implementation that may be the one that filters. */
export const chainRules = ({ filters }: PreparedGuest, direction: 'in' | 'out', family: 4 | 6): CompiledRule[] =>
  filters.flatMap(({ index }) => index(direction, family).rules);

/** Addresses that the cluster has blacklisted, or null when it has no such set. */
export const resolveBlacklist = (cluster: LiveCluster): AddressSet | null =>
  !cluster.ipsets || Object.hasOwn(cluster.ipsets, 'blacklist')
    ? resolveAddress('+dc/blacklist', { cluster, guest: null })
    : null;

/** A guest with those of its rules only that may match a packet in question. */
export function narrowGuest(guest: PreparedGuest, isAsked: AskedRules): PreparedGuest {
  const [first, ...others] = guest.filters;
  return { ...guest, filters: [first.narrow(isAsked), ...others.map((filter) => filter.narrow(isAsked))] };
}

/** Compiles what was read about a guest for one of its interfaces. Nothing of `state` is kept but its values. */
export function prepareGuest(state: LiveState, nic: LiveNic): PreparedGuest {
  const options = state.guest.options && effectiveOptions(state.guest.options);
  const prepareFilter = (implementation: FilterImplementation): PreparedFilter => {
    const scopes: Scopes = { cluster: state.cluster, guest: state.guest, implementation };
    const indexRules = (isAsked?: AskedRules): PreparedFilter['index'] => {
      const indexes: (RuleIndex | undefined)[] = [];
      return (direction, family) => {
        const key = (direction === 'in' ? 0 : 1) + family;
        const known =
          indexes[key] ??
          buildRuleIndex(compileGuestChain(state, nic, implementation, direction, family, scopes, isAsked), family);
        indexes[key] = known;
        return known;
      };
    };
    const findRefused = (family: 4 | 6) =>
      implementation === 'iptables' ? findRefusedGroup(state.guest, state.cluster, nic.name, family) : null;
    const refused = { 4: findRefused(4), 6: findRefused(6) };
    const filter: PreparedFilter = {
      implementation,
      node: prepareNode(state.node, implementation),
      blacklist: resolveBlacklist(state.cluster),
      ip_filter: compileIpFilter(state, nic, options, scopes),
      crossing: implementation === 'nftables' ? guestCrossing(state, nic) : null,
      refused,
      index: indexRules(),
      narrow: (isAsked) => ({ ...filter, index: indexRules(isAsked) }),
    };
    return filter;
  };
  const [implementation, ...others] = possibleImplementations(state.node);
  return {
    enforcement: evaluateEnforcement(state, nic),
    switches: {
      cluster: state.cluster.firewall_enabled,
      guest: options?.enable ?? null,
      nic: nic.firewall,
    },
    options,
    rules_reason: state.guest.rules ? 'unknown_group' : 'unknown_guest_rules',
    mac: nic.mac === null ? null : normalizeMac(nic.mac),
    filters: [prepareFilter(implementation), ...others.map(prepareFilter)],
  };
}
