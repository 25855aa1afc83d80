import type { LiveCluster, LiveNic, LiveObjects, LiveRule, LiveSetEntry } from '../../firewall/live-state';
import { formatCidr, parseCidr } from '../../net/cidr';
import { parseMarker } from '../marker';
import { applyInOrder } from './apply-step';
import type { GuestFilter, GuestIntent, PlanStep } from './guest-filter';
import { planGuest } from './plan-guest';
import { collectReferencedObjects } from './referenced-objects';

/** What affects a guest's packets besides its own rules, options, sets and flags. */
export type PlanContext = {
  readonly aliases: LiveObjects['aliases'];
  readonly nics: readonly LiveNic[];
  readonly cluster: LiveCluster;
  /** Node that the guest is on; null: not known. */
  readonly node: string | null;
};

const RULE_FIELDS = [
  'type',
  'action',
  'iface',
  'macro',
  'source',
  'dest',
  'proto',
  'sport',
  'dport',
  'icmp-type',
  'comment',
] as const satisfies readonly (keyof LiveRule)[];

/** The same for every way in which the API may give the same rule; its position is that in the list. */
const canonicalRule = (rule: LiveRule): unknown[] => [
  rule.enable ? 1 : 0,
  ...RULE_FIELDS.map((field) => rule[field] || ''),
  rule.log || 'nolog',
  rule.errors ? Object.keys(rule.errors).sort() : [],
];

const sorted = <T>(record: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));

function canonicalEntry({ cidr, nomatch, errors }: LiveSetEntry): string {
  const parsed = parseCidr(cidr);
  return `${nomatch ? '!' : ''}${parsed ? formatCidr(parsed) : cidr}${errors ? ' (errors)' : ''}`;
}

const canonicalEntries = (entries: readonly LiveSetEntry[], toText = canonicalEntry): string[] =>
  entries.map(toText).sort();

/** The filter without what opaque policies match: their rules by what they do alone, and no set that only they refer to. */
function withoutOpaque({ rules, sets, ...filter }: GuestFilter, { opaque, instance }: GuestIntent): GuestFilter {
  const isOpaque = ({ comment }: LiveRule) => {
    const marker = parseMarker(comment);
    return marker?.instance === instance && opaque?.has(marker.policy_id) === true;
  };
  const collectReferences = (list: readonly LiveRule[]) => new Set(list.flatMap(({ source, dest }) => [source, dest]));
  const withheld = collectReferences(rules.filter(isOpaque));
  const open = collectReferences(rules.filter((rule) => !isOpaque(rule)));
  return {
    ...filter,
    rules: rules.map((rule) => {
      if (!isOpaque(rule)) return rule;
      const { pos, type, action, enable } = rule;
      return { pos, type, action, enable, comment: 'platform rule' };
    }),
    sets: Object.fromEntries(
      Object.entries(sets).filter(([name]) => !withheld.has(`+guest/${name}`) || open.has(`+guest/${name}`)),
    ),
  };
}

type Content = Pick<GuestFilter, 'rules' | 'options' | 'sets'>;

/** Rules, options and sets of a guest in one text; equal exactly when they are. */
function canonicalContent(
  { rules, options, sets }: Content,
  toRule: (rule: LiveRule) => unknown = canonicalRule,
  toEntry = canonicalEntry,
): string {
  return JSON.stringify([
    rules.map(toRule),
    sorted(options).filter(([, value]) => value !== undefined),
    sorted(sets).map(([name, entries]) => [name, canonicalEntries(entries, toEntry)]),
  ]);
}

/** The result of a function for each object, computed once. */
function remember<T extends object, R>(compute: (item: T) => R): (item: T) => R {
  const known = new WeakMap<T, { readonly result: R }>();
  return (item) => {
    const found = known.get(item) ?? { result: compute(item) };
    known.set(item, found);
    return found.result;
  };
}

/** A short text of each content, equal exactly when the contents are; only texts of the same function can be compared. */
function createContentPrint(): (content: Content) => string {
  const numbers = new Map<string, number>();
  const toNumber = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const toRule = remember((rule: LiveRule) => toNumber(JSON.stringify(canonicalRule(rule))));
  const toEntry = remember(canonicalEntry);
  return (content) => canonicalContent(content, toRule, toEntry);
}

/**
 * Everything that a preview of a guest was made of, in one text whose hash is the preview's fingerprint: the guest's own
 * filter, what it refers to in the cluster, and the writes that were planned for it.
 */
export function fingerprintText(
  whole: GuestFilter,
  intent: GuestIntent,
  context: PlanContext,
  { steps } = planGuest(whole, intent),
): string {
  const filter = intent.opaque?.size ? withoutOpaque(whole, intent) : whole;
  const { cluster, aliases, nics, node } = context;
  const flags = new Map(filter.nics.map((nic) => [nic.name, nic]));
  const cards = [...nics]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, mac, static_addresses }) => {
      const flag = flags.get(name);
      return [name, mac, static_addresses ?? [], flag?.firewall ?? null, flag?.editable ?? null];
    });
  const { groups, ipsets, aliases: named } = collectReferencedObjects(filter, cluster);
  return JSON.stringify([
    canonicalContent(filter),
    aliases && sorted(aliases),
    cards,
    [
      cluster.firewall_enabled,
      // What could not be read is another thing than what does not exist.
      [cluster.groups, cluster.ipsets, cluster.aliases].map((part) => part === null),
      groups.map(([name, rules]) => [name, rules && [...rules].sort((a, b) => a.pos - b.pos).map(canonicalRule)]),
      ipsets.map(([name, entries]) => [name, entries && canonicalEntries(entries)]),
      named,
      (node && cluster.nodes?.[node]?.options && sorted(cluster.nodes[node].options)) ?? null,
    ],
    steps,
  ]);
}

/** Whether a step turns a filter on: what is stored takes effect with it. */
export const isSwitch = (step: PlanStep): boolean =>
  step.kind === 'set_nic_flag' || (step.kind === 'set_options' && step.changes.enable !== undefined);

/**
 * The states that a guest goes through while a plan is carried out and no one else writes. A worker that finds the
 * guest in another state, or in an earlier one than before, must stop: no one was shown what it would write.
 * @returns how many writes of the plan are done in a state; -1 for a state that does not occur
 */
export function approvedStates(
  before: GuestFilter,
  intent: GuestIntent,
  { steps } = planGuest(before, intent),
): (now: GuestFilter) => number {
  const print = createContentPrint();
  const done = new Map<string, number>([[print(before), 0]]);
  let state = before;
  for (const [at, step] of steps.entries()) {
    state = applyInOrder(state, [step]);
    const content = print(state);
    // Flags are no part of it: while they are set, the number stays.
    if (!done.has(content)) done.set(content, at + 1);
  }
  const flags = new Map(before.nics.map(({ name, firewall }) => [name, firewall]));
  const planned = new Map(
    steps.flatMap((step) => (step.kind === 'set_nic_flag' ? [[step.nic, step.enabled] as const] : [])),
  );
  // Flags are compared one by one: one that could not be set now does not keep the others from being set.
  return ({ nics, ...content }) => {
    const isOurs = nics.every(({ name, firewall }) => flags.get(name) === firewall || planned.get(name) === firewall);
    return nics.length === flags.size && isOurs ? (done.get(print(content)) ?? -1) : -1;
  };
}
