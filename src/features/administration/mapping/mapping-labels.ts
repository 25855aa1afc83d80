import type { MappingSource } from '@/domain/mapping-rule';
import { msg, type Translate } from '@/lib/i18n/translator';

export const SOURCE_LABELS: Record<MappingSource, string> = { pool: msg('Pool'), tag: msg('Tag') };

/** `Pool production`, as a rule is called in a sentence. */
export function ruleName(t: Translate, { source, value }: { source: MappingSource; value: string }): string {
  return `${t(SOURCE_LABELS[source])} ${value}`;
}

/** Why a rule does not decide on all that it matches; null when it does. */
export function leftOutText(
  t: Translate,
  { kept_by_hand, overruled }: { kept_by_hand: number; overruled: number },
): string | null {
  const parts = [
    kept_by_hand > 0
      ? t('{n, plural, one {# workload assigned manually} other {# workloads assigned manually}}', { n: kept_by_hand })
      : null,
    overruled > 0
      ? t(
          '{n, plural, one {# workload assigned by a rule with precedence} other {# workloads assigned by rules with precedence}}',
          { n: overruled },
        )
      : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? t('Not moved: {what}.', { what: parts.join(', ') }) : null;
}
