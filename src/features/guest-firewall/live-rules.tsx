import { useMemo } from 'react';
import type { GuestFirewall } from '@/domain/guest-firewall';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';
import { Mono } from '@/ui/values';
import { commentText, matchText } from '../shared/firewall-rule';
import { FirewallRuleTable, type Placed, ruleKindColumns } from '../shared/firewall-rule-table';
import { TIER_LABELS } from '../shared/tier-labels';
import { RuleOwner } from './rule-owner';

type Rule = NonNullable<GuestFirewall['rules']>[number];
type Row = Placed<Rule>;

const make = createColumnHelper<Row>();

/** A group has its own rules, shown below; where it is referenced, only the interface matters. */
function placeText(t: Translate, rule: Rule): string {
  if (rule.type !== 'group') return matchText(t, rule);
  return rule.interface ? t('its rules, on {card}', { card: rule.interface }) : t('its rules, on all interfaces');
}

const columnsFor = (t: Translate) => [
  make.text('position', t('Position'), (rule) => String(rule.position ?? ''), {
    width: 84,
    render: (rule) => <Mono>{rule.position}</Mono>,
  }),
  make.custom(
    'state',
    t('State'),
    (rule) => {
      if (rule.errors) return <Status tone="danger">{t('Invalid, skipped')}</Status>;
      return rule.enabled ? <Status tone="ok">{t('On')}</Status> : <Status tone="off">{t('Off')}</Status>;
    },
    { width: 120, csv: (rule) => (rule.errors ? 'invalid' : rule.enabled ? 'on' : 'off') },
  ),
  ...ruleKindColumns<Row>(t),
  make.text('match', t('Matches'), (rule) => placeText(t, rule), {
    width: 300,
    grow: true,
    render: (rule) => <span className="mono">{placeText(t, rule)}</span>,
  }),
  make.custom('owner', t('Managed by'), (rule) => <RuleOwner rule={rule} />, {
    width: 200,
    csv: (rule) => rule.policy_name ?? rule.owner,
  }),
  make.text('tier', t('Evaluation'), (rule) => rule.tier && t(TIER_LABELS[rule.tier].label), { width: 120 }),
  make.text('log', t('Log'), (rule) => (rule.log === 'nolog' ? null : rule.log), { width: 80 }),
  make.text('comment', t('Comment'), (rule) => commentText(rule.comment), { width: 170, grow: true }),
];

/** All live rules of a guest in the order in which they are evaluated. */
export function LiveRules({
  firewall: { rules, options, cluster_firewall_enabled: cluster },
}: {
  firewall: GuestFirewall;
}) {
  const t = useT();
  const columns = useMemo(() => columnsFor(t), [t]);
  return (
    <FirewallRuleTable
      id="live-rules"
      label={t('Live rules')}
      columns={columns}
      rules={rules}
      none={
        options?.enable === false || cluster === false
          ? t('No rules filter while the firewall is off.')
          : t("All traffic gets the workload's default policy.")
      }
    />
  );
}
