import { type EffectiveOptions, effectiveOptions } from '../../firewall/guest-options';
import type {
  LiveCluster,
  LiveGuestOptions,
  LiveNic,
  LiveNode,
  LiveObjects,
  LiveRule,
  LiveState,
} from '../../firewall/live-state';
import { possibleImplementations } from '../../firewall/node-options';
import { chainRules, type PreparedGuest, prepareGuest } from '../../firewall/prepare-guest';
import { getWrittenContent } from '../temporary-log';
import { describeOption, describeRule, describeSet } from './describe-dormant';
import { checkSenders, ruleEffect, type SenderCheck, worstEffect } from './dormant-effects';
import type { GuestFilter, GuestIntent } from './guest-filter';
import { computeLayout, type Layout } from './layout';
import { planGuest } from './plan-guest';

export const DORMANT_KINDS = ['rule', 'set', 'option'] as const;
/**
 * What becomes of traffic once the item takes effect: `cuts` blocks what passes today, `allows` lets through what the
 * policy alone would block, `none` changes no verdict, `unknown` could not be determined.
 */
export const DORMANT_EFFECTS = ['cuts', 'allows', 'none', 'unknown'] as const;
export type DormantEffect = (typeof DORMANT_EFFECTS)[number];
export const DORMANT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type DormantSeverity = (typeof DORMANT_SEVERITIES)[number];

/** A rule, set or option that is stored at a guest, filters nothing today, and takes effect because a switch is turned on. */
export type DormantItem = {
  readonly kind: (typeof DORMANT_KINDS)[number];
  /** Name of the set or option; for a rule, its action and direction as text. */
  readonly name: string;
  /** The rule as it is stored now; null for sets and options. */
  readonly rule: LiveRule | null;
  /** Value of the option, or entries of the set. */
  readonly value: string | null;
  /** False: nothing is stored, the hypervisor's default takes effect. */
  readonly stored: boolean;
  /** Interfaces at which it takes effect. */
  readonly interfaces: readonly string[];
  readonly effect: DormantEffect;
  readonly severity: DormantSeverity;
  readonly message: string;
};

/** A guest's live state, and what is required of it. */
export type DormantSubject = {
  readonly filter: GuestFilter;
  readonly intent: GuestIntent;
  readonly cluster: LiveCluster;
  readonly aliases: LiveObjects['aliases'];
  readonly nics: readonly LiveNic[];
  /** The node that the guest is on; null: nothing is known about it. */
  readonly node: LiveNode | null;
  /** Addresses that the workload is known to use. */
  readonly addresses: readonly string[];
};

/** The rule list after the apply. */
export function settledRules({ slots }: Layout): LiveRule[] {
  return slots.map((slot, pos) => {
    if (slot.kind === 'anchor') return { ...slot.rule, pos };
    // What is kept stays as it is, with the version that its marker names.
    if (slot.live) return { ...slot.live, pos, enable: 1 };
    return { pos, ...getWrittenContent(slot.desired), enable: 1, comment: slot.desired.comment };
  });
}

/** What remains to be planned once rules and sets are in the desired state: defaults and switches. */
export function settle(filter: GuestFilter, intent: GuestIntent, layout: Layout): GuestFilter {
  const sets = Object.fromEntries(intent.sets.map(({ name, cidrs }) => [name, cidrs.map((cidr) => ({ cidr }))]));
  return { ...filter, rules: settledRules(layout), sets: { ...filter.sets, ...sets } };
}

/** The guest after the apply, and after the same apply to a guest on which nothing else was stored. */
export function statesAfter(filter: GuestFilter, intent: GuestIntent, layout = computeLayout(filter.rules, intent)) {
  const { after } = planGuest(settle(filter, intent, layout), intent);
  const nics = filter.nics.map((nic) => ({ ...nic, firewall: false }));
  const empty = planGuest({ rules: [], options: {}, sets: {}, nics }, intent).after;
  return { after, empty: { ...empty, nics: after.nics } };
}

const isFiltered = ({ options, nics }: GuestFilter, name: string): boolean =>
  effectiveOptions(options).enable && nics.some((nic) => nic.name === name && nic.firewall);

/** Interfaces that the apply puts a filter on. */
export const newlyFiltered = (before: GuestFilter, after: GuestFilter): string[] =>
  after.nics.map(({ name }) => name).filter((name) => isFiltered(after, name) && !isFiltered(before, name));

/** The filter of one interface, as if the cluster's firewall was on: what is dormant must not hide behind that switch. */
export function prepareAfter(subject: DormantSubject, state: GuestFilter, nic: LiveNic): PreparedGuest {
  const { cluster, aliases, node } = subject;
  const live: LiveState = {
    cluster: { ...cluster, firewall_enabled: true },
    guest: { rules: state.rules, options: state.options, ipsets: state.sets, aliases },
    node,
  };
  return prepareGuest(live, { ...nic, firewall: true });
}

type Sight = { nic: string; after: PreparedGuest; empty: PreparedGuest };

const matchesEverything = ({ type, source, dest, proto, sport, dport, macro }: LiveRule) =>
  type !== 'group' && !source && !dest && !proto && !sport && !dport && !macro;

function dormantRules(layout: Layout, sights: readonly Sight[]): DormantItem[] {
  return layout.slots.flatMap((slot, position): DormantItem[] => {
    if (slot.kind !== 'anchor') return [];
    const { rule } = slot;
    const isLive = Boolean(rule.enable) && rule.errors === undefined && ['in', 'out', 'group'].includes(rule.type);
    const concerned = isLive ? sights.filter(({ nic }) => !rule.iface || rule.iface === nic) : [];
    if (concerned.length === 0) return [];
    const effect = worstEffect(concerned.map(({ after, empty }) => ruleEffect(rule, position, after, empty)));
    const severity = effect === 'none' ? 'info' : effect === 'cuts' && matchesEverything(rule) ? 'critical' : 'warning';
    const interfaces = concerned.map(({ nic }) => nic);
    const { name, message } = describeRule(rule, interfaces, effect);
    return [{ kind: 'rule', name, rule, value: null, stored: true, interfaces, effect, severity, message }];
  });
}

const senderSeverity = ({ blocked, unknown, passing }: SenderCheck, nics: number): DormantSeverity => {
  if (blocked.length > 0) return passing.length === 0 || nics === 1 ? 'critical' : 'warning';
  return unknown.length > 0 || passing.length === 0 ? 'warning' : 'info';
};

function dormantSets(subject: DormantSubject, after: GuestFilter, sights: readonly Sight[]): DormantItem[] {
  // With iptables a stored set filters by its existence, with nftables only where the option says so.
  const { ipfilter } = effectiveOptions(after.options);
  const effect = mergeEffects(
    possibleImplementations(subject.node).map((one) => (one === 'iptables' || ipfilter ? 'cuts' : 'none')),
  );
  return sights.flatMap((sight): DormantItem[] => {
    const name = `ipfilter-${sight.nic}`;
    if (!Object.hasOwn(after.sets, name)) return [];
    const entries = (after.sets[name] ?? []).map(({ cidr, nomatch }) => (nomatch ? `!${cidr}` : cidr));
    const senders = checkSenders(sight.after, addressesAt(subject, sight.nic));
    const severity = effect === 'none' ? 'info' : senderSeverity(senders, subject.nics.length);
    const message = describeSet(name, sight.nic, entries, senders, effect);
    const value = entries.join(', ');
    const interfaces = [sight.nic];
    return [{ kind: 'set', name, rule: null, value, stored: true, interfaces, effect, severity, message }];
  });
}

const addressesAt = ({ addresses, nics }: DormantSubject, name: string): string[] => [
  ...addresses,
  ...(nics.find((nic) => nic.name === name)?.static_addresses ?? []),
];

type OptionName = Exclude<keyof EffectiveOptions & keyof LiveGuestOptions, 'enable'>;
const OPTION_NAMES: readonly OptionName[] = [
  'policy_in',
  'policy_out',
  'dhcp',
  'ndp',
  'radv',
  'macfilter',
  'ipfilter',
  'ips',
];

/** What holds with each implementation that the node may use holds; what holds with one of them only is not known. */
const mergeEffects = (effects: readonly DormantEffect[]): DormantEffect =>
  new Set(effects).size > 1 ? 'unknown' : (effects[0] ?? 'none');

const deniesByRules = (prepared: PreparedGuest): boolean =>
  [prepared.options?.policy_in, prepared.options?.policy_out].some((policy) => policy !== 'ACCEPT') ||
  (['in', 'out'] as const).some((direction) =>
    ([4, 6] as const).some((family) =>
      chainRules(prepared, direction, family).some(({ action }) => action !== 'accept'),
    ),
  );

/** What the value of an option does, compared with a guest on which it was never set. */
function optionEffect(
  name: OptionName,
  now: EffectiveOptions,
  empty: EffectiveOptions,
  sights: readonly Sight[],
): DormantEffect {
  if (name === 'policy_in' || name === 'policy_out') {
    if (now[name] === empty[name]) return 'none';
    return now[name] === 'ACCEPT' ? 'allows' : 'cuts';
  }
  if (name === 'macfilter') return now.macfilter ? 'cuts' : 'allows';
  if (now[name] === empty[name]) return 'none';
  if (name === 'ips') return 'unknown';
  if (name === 'ipfilter') return 'cuts';
  if (name === 'radv') return 'allows';
  // Without its exception such traffic is left to rules and defaults; nftables drops it then.
  return worstEffect(
    sights.map(({ after }) =>
      mergeEffects(
        after.filters.map(({ implementation }) =>
          implementation === 'nftables' || deniesByRules(after) ? 'cuts' : 'none',
        ),
      ),
    ),
  );
}

function dormantOptions(
  subject: DormantSubject,
  after: GuestFilter,
  empty: GuestFilter,
  sights: readonly Sight[],
): DormantItem[] {
  const { filter } = subject;
  const [now, otherwise] = [effectiveOptions(after.options), effectiveOptions(empty.options)];
  return OPTION_NAMES.flatMap((name): DormantItem[] => {
    const stored = filter.options[name] !== undefined;
    // What the apply itself sets is shown as a switch that it turns.
    if (filter.options[name] !== after.options[name]) return [];
    const effect = optionEffect(name, now, otherwise, sights);
    if (!stored && effect !== 'cuts') return [];
    // A stored set takes the place of the one that the option implies.
    const concerned =
      name === 'ipfilter' ? sights.filter(({ nic }) => !Object.hasOwn(after.sets, `ipfilter-${nic}`)) : sights;
    if (concerned.length === 0) return [];
    const senders = concerned.map(({ nic, after: prepared }) => checkSenders(prepared, addressesAt(subject, nic)));
    const isSerious =
      name === 'ipfilter'
        ? senders.some(({ passing }) => passing.length === 0)
        : name === 'policy_in' || name === 'policy_out';
    const severity =
      effect === 'none' || (name === 'macfilter' && effect === 'cuts')
        ? 'info'
        : effect === 'cuts' && isSerious
          ? 'critical'
          : 'warning';
    const value = String(typeof now[name] === 'boolean' ? Number(now[name]) : now[name]);
    const interfaces = concerned.map(({ nic }) => nic);
    const message = describeOption(name, value, stored, interfaces, effect);
    return [{ kind: 'option', name, rule: null, value, stored, interfaces, effect, severity, message }];
  });
}

/**
 * Everything stored at a guest that filters nothing today and takes effect because applying turns on the guest's
 * firewall or the flag of an interface. Each result that then differs from what the managed rules alone would decide
 * is explained by an item whose effect is not `none`.
 */
export function findDormantContent(subject: DormantSubject): DormantItem[] {
  const { filter, intent, nics } = subject;
  if (!intent.switch_on) return [];
  const layout = computeLayout(filter.rules, intent);
  const { after, empty } = statesAfter(filter, intent, layout);
  const names = newlyFiltered(filter, after);
  const sights = names.map((name): Sight => {
    const nic = nics.find((candidate) => candidate.name === name) ?? { name, firewall: true, mac: null };
    return { nic: name, after: prepareAfter(subject, after, nic), empty: prepareAfter(subject, empty, nic) };
  });
  if (sights.length === 0) return [];
  return [
    ...dormantRules(layout, sights),
    ...dormantSets(subject, after, sights),
    ...dormantOptions(subject, after, empty, sights),
  ];
}
