import type { PolicyCoverage, RuleCoverage } from '@/domain/coverage';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

/** `word` is to be said. */
export type HitState = { tone: Tone; word: string; since: string | null };

type Hits = Pick<RuleCoverage, 'enabled' | 'hits' | 'audit_hits' | 'last_hit_at' | 'never_hit_since'>;

/**
 * Whether a rule is hit by real traffic. Never hit is said only where somebody looked, and since when.
 * @param from the first day that is looked at
 */
export function hitState(rule: Hits, from: string): HitState {
  if (rule.hits + rule.audit_hits > 0) return { tone: 'ok', word: msg('Hit'), since: null };
  // Conversations that began earlier go on.
  if (rule.last_hit_at !== null && rule.last_hit_at >= from) return { tone: 'ok', word: msg('Goes on'), since: null };
  if (rule.last_hit_at !== null) return { tone: 'neutral', word: msg('Not in this time'), since: null };
  if (!rule.enabled) return { tone: 'off', word: msg('Rule disabled'), since: null };
  if (rule.never_hit_since !== null) return { tone: 'warn', word: msg('No hit'), since: rule.never_hit_since };
  return { tone: 'unknown', word: msg('Not known'), since: null };
}

export type CoverageNotice = { tone: 'info' | 'warn'; title: string; text: string; agents: boolean };

/** What a reader has to know before believing the figures; null when nothing. */
export function coverageNotice(
  t: Translate,
  { enabled, enforcement_mode, guests }: PolicyCoverage,
): CoverageNotice | null {
  if (!enabled) {
    return {
      tone: 'info',
      title: t('The policy is disabled'),
      text: t('None of its rules is to be live, so nothing is expected to hit them. What is shown is from before.'),
      agents: false,
    };
  }
  if (guests.total === 0) {
    return {
      tone: 'warn',
      title: t('The policy has no guest'),
      text: t('Its sources and targets stand for no guest of yours, so no rule of it can be hit.'),
      agents: false,
    };
  }
  if (guests.looked_at === 0) {
    return {
      tone: 'warn',
      title: t('Nobody looks at its guests'),
      text: t(
        'Hits are counted from flows. No node with a guest of this policy has an agent that reports any, or the first count is still to come.',
      ),
      agents: true,
    };
  }
  if (guests.looked_at < guests.total) {
    return {
      tone: 'warn',
      title: t('{n, plural, one {# guest} other {# guests}} not looked at', { n: guests.total - guests.looked_at }),
      text: t(
        '{n, plural, one {# guest} other {# guests}} of {total, number} are on nodes with an agent that reports. Hits at the others are not known.',
        { n: guests.looked_at, total: guests.total },
      ),
      agents: true,
    };
  }
  if (enforcement_mode === 'audit') {
    return {
      tone: 'info',
      title: t('In audit mode nothing is decided'),
      text: t('Counted is what the rules would have decided about real traffic, each policy by itself.'),
      agents: false,
    };
  }
  return null;
}
