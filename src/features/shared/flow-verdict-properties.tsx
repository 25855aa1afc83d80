import type { FlowVerdict } from '@/domain/flow-verdict';
import { formatDateTime } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { ACTION_LABELS, rulesText, verdictDiffers, WOULD_LABELS } from './verdict-labels';

/** The same three of a flow, one by one. */
export function flowVerdictProperties(t: Translate, verdict: FlowVerdict) {
  const { action, rules_say, audit_say } = verdict;
  const { label, tone } = ACTION_LABELS[action];
  return [
    {
      label: t('Action'),
      value: <Badge tone={tone}>{t(label)}</Badge>,
      hint:
        action === 'unknown'
          ? t('No line of the firewall log and no reply says what became of it.')
          : verdictDiffers(verdict)
            ? t('The rules say otherwise. They changed since, or something else filters.')
            : undefined,
    },
    {
      label: t('Rules say'),
      value: rulesText(t, rules_say),
      hint: rules_say
        ? `${rules_say.explanation} ${rules_say.read_at ? t('Read {time}.', { time: formatDateTime(rules_say.read_at) }) : t('Never read.')}`
        : t('No workload whose rules you may see is at either end.'),
    },
    ...audit_say.map((say) => ({
      label: t('Audit mode'),
      value: <Badge tone={WOULD_LABELS[say.action].tone}>{t(WOULD_LABELS[say.action].label)}</Badge>,
      hint: say.policy_name,
    })),
  ];
}
