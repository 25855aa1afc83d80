import type { FlowVerdict } from '@/domain/flow-verdict';
import type { SummedVerdict } from '@/domain/summed-verdict';
import { formatDateTime } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { ACTION_LABELS, rulesText, verdictDiffers, WOULD_LABELS } from './verdict-labels';

const NOT_OBSERVED = {
  flow: msg('No firewall log entry and no reply shows the outcome.'),
  sum: msg('No firewall log entry shows the outcome. Replies are known for single flows only.'),
};

/** The same three properties of a flow or of an aggregated row, as a list. */
export function flowVerdictProperties(t: Translate, verdict: FlowVerdict | SummedVerdict) {
  const { action, rules_say, audit_say } = verdict;
  const { label, tone } = ACTION_LABELS[action];
  return [
    {
      label: t('Action'),
      value: <Badge tone={tone}>{t(label)}</Badge>,
      hint: action === 'unknown' ? t('differs' in verdict ? NOT_OBSERVED.sum : NOT_OBSERVED.flow) : undefined,
    },
    {
      label: t('Rules say'),
      value: rulesText(t, rules_say),
      hint: rules_say
        ? `${rules_say.explanation} ${rules_say.read_at ? t('Last read {time}.', { time: formatDateTime(rules_say.read_at) }) : t('Never read.')}`
        : t('Neither end is a workload whose rules you may see.'),
    },
    ...(verdictDiffers(verdict)
      ? [
          {
            label: t('Difference'),
            value: <Badge tone="danger">{t('Differs')}</Badge>,
            hint: t(
              'The live rules give a different result. They changed since, or something else filters the traffic.',
            ),
          },
        ]
      : []),
    ...audit_say.map((say) => ({
      label: t('Audit mode'),
      value: <Badge tone={WOULD_LABELS[say.action].tone}>{t(WOULD_LABELS[say.action].label)}</Badge>,
      hint:
        'partly' in say && say.partly ? t('{policy}: some of the flows', { policy: say.policy_name }) : say.policy_name,
    })),
  ];
}
