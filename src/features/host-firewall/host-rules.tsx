import { useMemo } from 'react';
import type { HostFirewallRule } from '@/domain/host-firewall';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { Mono } from '@/ui/values';
import { commentText, matchText } from '../shared/firewall-rule';
import { FirewallRuleTable, type Placed, ruleKindColumns } from '../shared/firewall-rule-table';
import { HostRuleState } from '../shared/host-rule-state';

type Row = Placed<HostFirewallRule>;

const make = createColumnHelper<Row>();

const columnsFor = (t: Translate) => [
  make.text('position', t('Position'), (rule) => String(rule.position ?? ''), {
    width: 84,
    render: (rule) => <Mono>{rule.position}</Mono>,
  }),
  ...ruleKindColumns<Row>(t),
  make.text('match', t('Matches'), (rule) => (rule.type === 'group' ? '' : matchText(t, rule)), {
    width: 260,
    grow: true,
    render: (rule) => (
      <span className="mono">{rule.type === 'group' && !rule.interface ? t('its rules') : matchText(t, rule)}</span>
    ),
  }),
  make.custom('status', t('State'), (rule) => <HostRuleState rule={rule} />, {
    width: 280,
    grow: true,
    csv: (rule) => rule.status,
  }),
  make.text('log', t('Log'), (rule) => (rule.log === 'nolog' ? null : rule.log), { width: 80 }),
  make.text('comment', t('Comment'), (rule) => commentText(rule.comment), { width: 170, grow: true }),
];

type Props = {
  /** Of the table, for stored columns. */
  id: string;
  label: string;
  /** Null: could not be read. */
  rules: readonly HostFirewallRule[] | null;
  /** What decides while there is no rule. */
  none: string;
};

/** Rules of a data center, node, VNet or group in the order in which they are evaluated. */
export function HostRules({ id, label, rules, none }: Props) {
  const t = useT();
  const columns = useMemo(() => columnsFor(t), [t]);
  return <FirewallRuleTable id={id} label={label} columns={columns} rules={rules} none={none} />;
}
