import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import {
  ACTION_LABELS,
  findAuditChange,
  rulesText,
  type ShownVerdict,
  verdictDiffers,
  WOULD_LABELS,
} from './verdict-labels';

type Props = { verdict: ShownVerdict };

/** The observed action and what the rules say now; shows where the two differ. */
export function FlowVerdictCell({ verdict }: Props) {
  const t = useT();
  const { label, tone } = ACTION_LABELS[verdict.action];
  const would = findAuditChange(verdict);
  return (
    <span className="flex min-w-0 items-center gap-1" title={verdict.rules_say?.explanation}>
      <Badge tone={tone}>{t(label)}</Badge>
      {verdictDiffers(verdict) && <Badge tone="danger">{t('Differs')}</Badge>}
      {would && <Badge tone={WOULD_LABELS[would].tone}>{t(WOULD_LABELS[would].label)}</Badge>}
      {verdict.rules_say !== undefined && (
        <span className="min-w-0 truncate text-muted">{rulesText(t, verdict.rules_say)}</span>
      )}
    </span>
  );
}
