import type { LiveRule } from '../firewall/live-state';
import type { CompilableRule, DesiredRule, DesiredSet, RuleContent } from './desired';
import { formatMarker } from './marker';
import type { GuestFilter, GuestIntent } from './plan/guest-filter';
import { computeLayout } from './plan/layout';
import { splitRule } from './split-rule';
import { getWrittenContent } from './temporary-log';

/** The hypervisor refuses a file of more than 1 MiB. The rest is for options, and for comments of sets and aliases, which are not read. */
const MAX_BYTES = 1024 * 1024 - 32 * 1024;
/** `|`, ` # ` and the line break. */
const LINE = 5;
const UUID = '00000000-0000-7000-8000-000000000000';
const MARKER = formatMarker({ instance: UUID, policy_id: UUID, version: 1, rule_hash: '0'.repeat(16), vmid: 100 });

type Line = RuleContent | Omit<LiveRule, 'pos' | 'enable'>;

/** How long the line of a rule is, as `IN ACCEPT -source 10.0.0.1 -p tcp # comment`; a few bytes more than exactly. */
function measureRule({ type, action, ...rule }: Line, comment: string): number {
  const fields = [rule.proto, rule.source, rule.dest, rule.sport, rule.dport, rule['icmp-type'], rule.log];
  const more = 'macro' in rule || 'iface' in rule ? [rule.macro, rule.iface] : [];
  const options = [...fields, ...more].filter((value) => value !== undefined);
  const length = options.reduce((total, value) => total + ' -icmp-type '.length + value.length, 0);
  return LINE + type.length + 1 + action.length + length + new TextEncoder().encode(comment).length;
}

const measureDesired = (rule: DesiredRule): number => measureRule(getWrittenContent(rule), rule.comment);

const measureEntries = (texts: readonly string[]): number =>
  texts.reduce((total, text) => total + LINE + text.length, 0);

const NAME = 100;

/** What would make the file of a guest too large: the rule of a policy that takes the most of it, and how many live rules that is. */
export type Oversize = { readonly position: number; readonly live_rules: number };

/** The rule with the most bytes if together with the present bytes they are too many; else null. */
function findLargest(measured: Iterable<{ position: number; bytes: number }>, present: number): Oversize | null {
  const rules = new Map<number, { bytes: number; live_rules: number }>();
  let total = present;
  for (const { position, bytes } of measured) {
    total += bytes;
    const known = rules.get(position) ?? { bytes: 0, live_rules: 0 };
    rules.set(position, { bytes: known.bytes + bytes, live_rules: known.live_rules + 1 });
  }
  if (total <= MAX_BYTES) return null;
  const [largest] = [...rules].sort(([, a], [, b]) => b.bytes - a.bytes);
  return largest ? { position: largest[0], live_rules: largest[1].live_rules } : null;
}

const measureDesiredRules = (rules: readonly DesiredRule[]) =>
  rules.map((rule) => ({ position: rule.rule_position, bytes: measureDesired(rule) }));

/** Whether the rules of a policy fit nowhere, whatever its endpoints are: for addresses there are at least as many live rules. */
export function findRuleThatFitsNowhere(rules: readonly CompilableRule[]): Oversize | null {
  const measured: { position: number; bytes: number }[] = [];
  let total = 0;
  for (const [position, rule] of rules.entries()) {
    // Enough is known: all rules together may be a hundred thousand.
    if (!rule.enabled || total > MAX_BYTES) continue;
    for (const content of splitRule(rule, 'in', { family: null, cidrs: 'any' }).contents) {
      const bytes = measureRule(content, MARKER);
      total += bytes;
      measured.push({ position, bytes });
    }
  }
  return findLargest(measured, 0);
}

/** Whether the rules and sets of a policy do not fit into the file of a guest, even if nothing else is in it. */
export const findOversizeAlone = (rules: readonly DesiredRule[], sets: readonly DesiredSet[]): Oversize | null =>
  findLargest(
    measureDesiredRules(rules),
    sets.reduce((total, { cidrs }) => total + NAME + measureEntries(cidrs), 0),
  );

/**
 * Whether writing what an intent wants would make the file of a guest too large. New rules and sets are added before old ones are
 * removed, so both count.
 */
export function findOversize({ rules, sets, aliases }: GuestFilter, intent: GuestIntent): Oversize | null {
  const missing = computeLayout(rules, intent).slots.flatMap((slot) =>
    slot.kind === 'desired' && !slot.live ? [slot.desired] : [],
  );
  const live = rules.reduce((total, rule) => total + measureRule(rule, rule.comment ?? ''), 0);
  const stored = Object.values(sets).map((entries) => entries.map(({ cidr }) => cidr));
  const added = intent.sets.filter(({ name }) => !Object.hasOwn(sets, name)).map(({ cidrs }) => cidrs);
  const lists = [...stored, ...added, Object.entries(aliases ?? {}).flat()];
  const present = lists.reduce((total, texts) => total + NAME + measureEntries(texts), live);
  return findLargest(measureDesiredRules(missing), present);
}

/** What is too large, and what to do. @param place the workload, where one is known */
export function describeOversize({ position, live_rules }: Oversize, place?: string): string {
  const where = place === undefined ? 'any workload' : place;
  return `Rule ${position + 1} becomes ${live_rules} live ${live_rules === 1 ? 'rule' : 'rules'}, for which the firewall file of ${where} has no room: Proxmox VE limits it to 1 MiB. Use port ranges instead of long lists of ports, or fewer rules.`;
}
