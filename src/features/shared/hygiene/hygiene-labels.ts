import type { HygieneFinding, HygieneWitness } from '@/domain/hygiene/finding';
import type { Harm, HygieneKind, HygieneUnknown } from '@/domain/hygiene/kinds';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

export const KIND_LABELS: Record<HygieneKind, string> = {
  contradictory: msg('Contradictory'),
  shadowed: msg('Shadowed'),
  expired: msg('Expired'),
  unresolved: msg('Resolves to nothing'),
  broad: msg('Broader than its use'),
  unused: msg('Unused'),
  redundant: msg('Redundant'),
  denied: msg('Drops traffic'),
};

/** What a finding of each kind means. */
export const KIND_TEXTS: Record<HygieneKind, string> = {
  contradictory: msg('A rule that is evaluated before it does the opposite with some of the same packets.'),
  shadowed: msg('Rules that are evaluated before it match all of its packets, so it never decides.'),
  expired: msg('Its expiry has passed, and it still filters.'),
  unresolved: msg('An endpoint of the policy resolves to nothing, so it produces no rules.'),
  broad: msg('It allows ports or endpoints that no conversation used, while all of its workloads were monitored.'),
  unused: msg('It allows traffic that was never seen, while all of its workloads were monitored.'),
  redundant: msg('Without it the same packets would be allowed, dropped and rejected.'),
  denied: msg('It drops or rejects traffic that is seen. Check whether a client is misconfigured.'),
};

export const HARM_STATES: Record<Harm, { word: string; tone: Tone }> = {
  high: { word: msg('High'), tone: 'danger' },
  medium: { word: msg('Medium'), tone: 'warn' },
  low: { word: msg('Low'), tone: 'info' },
};

export const UNKNOWN_TEXTS: Record<HygieneUnknown, string> = {
  not_read: msg('Rules not read'),
  not_enforced: msg('Firewall off'),
  not_in_sync: msg('Policy not in sync'),
  undecided: msg('Something unreadable decides'),
  not_monitored: msg('Not monitored all the time'),
  too_much_traffic: msg('Too many kinds of conversations'),
};

/** Where the rule of a finding is: `Rule 2` of its policy, counted from 1; of an unmanaged rule `Position 4` at the workload, from 0. */
export function formatRule(
  t: Translate,
  { policy_id, rule_position }: Pick<HygieneFinding, 'policy_id' | 'rule_position'>,
): string | null {
  if (rule_position === null) return null;
  return policy_id === null
    ? t('Position {position}', { position: rule_position })
    : t('Rule {n}', { n: rule_position + 1 });
}

/** What decides in place of a rule, as far as the reader may see it. */
export function formatWitness(
  t: Translate,
  { kind, text, action, policy_name, rule_position, position }: HygieneWitness,
): string {
  if (kind === 'default') return t('Default policy {action}', { action: text ?? '' });
  if (kind === 'builtin') return t('Built-in rule {name}', { name: text ?? '' });
  const unmanaged = position === null ? t('Rule') : t('Position {position}', { position });
  const rule = rule_position === null ? unmanaged : t('Rule {n}', { n: rule_position + 1 });
  const where = policy_name === null ? rule : `${policy_name}, ${rule}`;
  return `${where}: ${text ?? action ?? t('not visible to you')}`;
}
