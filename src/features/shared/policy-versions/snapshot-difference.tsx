import type { SecurityRule, VersionComparison } from '@/domain/policies';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import type { Tone } from '@/ui/status';
import { securityRuleText } from '../security-rule-labels';
import { FIELD_LABELS, valueText } from './version-labels';

const CHANGES: Record<VersionComparison['rules'][number]['change'], { tone: Tone; word: string }> = {
  added: { tone: 'ok', word: msg('Added') },
  removed: { tone: 'danger', word: msg('Removed') },
  changed: { tone: 'warn', word: msg('Changed') },
  moved: { tone: 'info', word: msg('Moved') },
};

type Props = Pick<VersionComparison, 'rules'> & {
  fields: readonly { field: string; before?: unknown; after?: unknown }[];
};

/** What differs between two contents of a policy: fields with both values, then rules. */
export function SnapshotDifference({ fields, rules }: Props) {
  const t = useT();
  return (
    <div className="flex flex-col gap-4">
      {fields.length > 0 && (
        <ul aria-label={t('Changed fields')} className="divide-y rounded-md border">
          {fields.map(({ field, before, after }) => (
            <li key={field} className="grid gap-x-3 gap-y-1 px-3 py-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
              <span className="text-muted">{t(FIELD_LABELS[field] ?? field)}</span>
              <span className="flex min-w-0 flex-col [overflow-wrap:anywhere]">
                <del className="text-danger decoration-1">{valueText(t, field, before)}</del>
                <ins className="text-ok no-underline">{valueText(t, field, after)}</ins>
              </span>
            </li>
          ))}
        </ul>
      )}
      {rules.length > 0 && (
        <ul aria-label={t('Rules that differ')} className="divide-y rounded-md border">
          {rules.map((rule) => (
            <li key={rule.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2">
              <Badge tone={CHANGES[rule.change].tone}>{t(CHANGES[rule.change].word)}</Badge>
              <span className="flex min-w-0 flex-1 flex-col">
                <Line rule={rule.before} gone={rule.change !== 'moved'} />
                {rule.change !== 'moved' && <Line rule={rule.after} gone={false} />}
                {rule.change === 'moved' && rule.before && rule.after && (
                  <span className="text-muted">
                    {t('from position {from} to {to}', {
                      from: rule.before.position + 1,
                      to: rule.after.position + 1,
                    })}
                  </span>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Line({ rule, gone }: { rule: SecurityRule | null; gone: boolean }) {
  const t = useT();
  if (!rule) return null;
  const text = securityRuleText(t, rule);
  return gone ? (
    <del className="mono text-danger decoration-1 [overflow-wrap:anywhere]">{text}</del>
  ) : (
    <ins className="mono no-underline [overflow-wrap:anywhere]">{text}</ins>
  );
}
