import type { PolicyCoverage, RuleCoverage } from '@/domain/coverage';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

/** `word` is to be said. */
export type HitState = { tone: Tone; word: string; since: string | null };

type Hits = Pick<RuleCoverage, 'enabled' | 'hits' | 'audit_hits' | 'last_hit_at' | 'never_hit_since'>;

/**
 * Whether real traffic hits a rule. Never hit is reported only where traffic was monitored, and since when.
 * @param from the first day of the period
 */
export function hitState(rule: Hits, from: string): HitState {
  if (rule.hits + rule.audit_hits > 0) return { tone: 'ok', word: msg('Has hits'), since: null };
  // Conversations that began earlier go on.
  if (rule.last_hit_at !== null && rule.last_hit_at >= from) return { tone: 'ok', word: msg('Ongoing'), since: null };
  if (rule.last_hit_at !== null) return { tone: 'neutral', word: msg('No hits in this period'), since: null };
  if (!rule.enabled) return { tone: 'off', word: msg('Rule disabled'), since: null };
  if (rule.never_hit_since !== null) return { tone: 'warn', word: msg('No hits'), since: rule.never_hit_since };
  return { tone: 'unknown', word: msg('Unknown'), since: null };
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
      text: t('None of its rules should be live, so no hits are expected. The hits shown are from earlier.'),
      agents: false,
    };
  }
  if (guests.total === 0) {
    return {
      tone: 'warn',
      title: t('The policy has no workloads'),
      text: t('Its sources and targets resolve to no workload visible to you, so none of its rules can match.'),
      agents: false,
    };
  }
  if (guests.looked_at === 0) {
    return {
      tone: 'warn',
      title: t('Its workloads are not monitored'),
      text: t(
        'Hits are counted from flows. No node with a workload of this policy has an agent that reports flows, or the first count is pending.',
      ),
      agents: true,
    };
  }
  if (guests.looked_at < guests.total) {
    return {
      tone: 'warn',
      title: t('{n, plural, one {# workload} other {# workloads}} not monitored', {
        n: guests.total - guests.looked_at,
      }),
      text: t(
        '{n, number} of {total, number} workloads are on nodes whose agent reports. Hits on the others are unknown.',
        { n: guests.looked_at, total: guests.total },
      ),
      agents: true,
    };
  }
  if (enforcement_mode === 'audit') {
    return {
      tone: 'info',
      title: t('Audit mode: nothing is enforced'),
      text: t('Hits show what each policy on its own would have matched in real traffic.'),
      agents: false,
    };
  }
  return null;
}
