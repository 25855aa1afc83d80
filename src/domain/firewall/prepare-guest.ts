import { normalizeMac } from '../net/mac-address';
import { type AddressSet, UNKNOWN_ADDRESSES } from './address-set';
import { type CompiledRule, compileRule, unknownRule } from './compile-rule';
import { type Enforcement, enforcementOf } from './enforcement';
import { type EffectiveOptions, effectiveOptions } from './guest-options';
import { linkLocalOf } from './link-local';
import type { LiveNic, LiveRule, LiveState } from './live-state';
import { resolveAddress, type Scopes, setAddresses } from './resolve-address';
import { buildRuleIndex, type RuleIndex } from './rule-index';
import type { UnknownReason } from './verdict';

/** One interface of one guest, ready for `evaluate`. Immutable towards callers; indexes are built when first needed. */
export type PreparedGuest = {
  readonly enforcement: Enforcement;
  /** Null: could not be read. */
  readonly options: EffectiveOptions | null;
  /** What an undecided rule without a known reason is undecided by. */
  readonly rules_reason: UnknownReason;
  readonly mac: string | null;
  readonly nftables: boolean;
  readonly blacklist: AddressSet | null;
  readonly ip_filter: AddressSet | null;
  readonly index: (direction: 'in' | 'out', family: 4 | 6) => RuleIndex;
};

type Direction = 'in' | 'out';

const isLive = (rule: LiveRule) => Boolean(rule.enable) && rule.errors === undefined;

function compileGroup(rule: LiveRule, direction: Direction, family: 4 | 6, state: LiveState): CompiledRule[] {
  const { groups } = state.cluster;
  const place = { position: rule.pos, group: rule.action };
  if (!groups) return [unknownRule(place)];
  // A group that does not exist is an empty chain. Rules of groups see the cluster's objects only.
  const members = Object.hasOwn(groups, rule.action) ? (groups[rule.action] ?? []) : [];
  const scopes: Scopes = { cluster: state.cluster, guest: null };
  return [...members]
    .sort((a, b) => a.pos - b.pos)
    .filter((member) => isLive(member) && member.type === direction)
    .flatMap((member) => compileRule(member, { ...place, group_position: member.pos }, family, scopes));
}

/** The rules of one direction and family that hold at the interface, in the order in which they are evaluated. */
export function compileChain(state: LiveState, nic: LiveNic, direction: Direction, family: 4 | 6): CompiledRule[] {
  const { rules } = state.guest;
  if (!rules) return [unknownRule({ position: 0 })];
  const scopes: Scopes = { cluster: state.cluster, guest: state.guest };
  return [...rules]
    .sort((a, b) => a.pos - b.pos)
    .filter((rule) => isLive(rule) && (!rule.iface || rule.iface === nic.name))
    .flatMap((rule) => {
      if (rule.type === 'group') return compileGroup(rule, direction, family, state);
      return rule.type === direction ? compileRule(rule, { position: rule.pos }, family, scopes) : [];
    });
}

/**
 * Addresses that the interface may send from, or null when they are not filtered. A set named after the interface
 * filters by its mere existence; the option adds an empty one. Both hold the link-local address made from the MAC.
 */
function ipFilterOf(state: LiveState, nic: LiveNic, options: EffectiveOptions | null): AddressSet | null {
  if (!options) return null;
  const name = `ipfilter-${nic.name}`;
  const { ipsets } = state.guest;
  if (!ipsets) return UNKNOWN_ADDRESSES;
  const stored = Object.hasOwn(ipsets, name) ? ipsets[name] : undefined;
  if (!stored && !options.ipfilter) return null;
  const scopes: Scopes = { cluster: state.cluster, guest: state.guest };
  const mac = nic.mac === null ? null : normalizeMac(nic.mac);
  const implied = [
    { cidr: 'fe80::/10', nomatch: 1 },
    ...(mac ? [{ cidr: linkLocalOf(mac) }] : []),
    ...(stored ? [] : (nic.static_addresses ?? []).map((text) => ({ cidr: text.split('/')[0] ?? text }))),
  ];
  return setAddresses([...implied, ...(stored ?? [])], scopes, mac ? 'no' : 'unknown');
}

/** Compiles what was read about a guest for one of its interfaces. Nothing of `state` is kept but its values. */
export function prepareGuest(state: LiveState, nic: LiveNic): PreparedGuest {
  const options = state.guest.options && effectiveOptions(state.guest.options);
  const indexes: (RuleIndex | undefined)[] = [];
  const { ipsets } = state.cluster;
  const blacklisted = !ipsets || Object.hasOwn(ipsets, 'blacklist');
  return {
    enforcement: enforcementOf(state, nic),
    options,
    rules_reason: state.guest.rules ? 'unknown_group' : 'unknown_guest_rules',
    mac: nic.mac === null ? null : normalizeMac(nic.mac),
    nftables: state.implementation === 'nftables',
    blacklist: blacklisted ? resolveAddress('+dc/blacklist', { cluster: state.cluster, guest: null }) : null,
    ip_filter: ipFilterOf(state, nic, options),
    index(direction, family) {
      const key = (direction === 'in' ? 0 : 1) + family;
      const known = indexes[key] ?? buildRuleIndex(compileChain(state, nic, direction, family), family);
      indexes[key] = known;
      return known;
    },
  };
}
