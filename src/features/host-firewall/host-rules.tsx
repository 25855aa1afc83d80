import { useMemo } from 'react';
import type { HostFirewallRule } from '@/domain/host-firewall';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Mono } from '@/ui/values';
import { commentText, matchText } from '../shared/firewall-rule';
import { HostRuleState } from '../shared/host-rule-state';

type Row = HostFirewallRule & { key: string };

const make = columnsOf<Row>();
const TONES: Record<string, 'ok' | 'danger' | 'warn'> = { ACCEPT: 'ok', DROP: 'danger', REJECT: 'warn' };

const columnsFor = (t: Translate) => [
  make.text('position', t('Place'), (rule) => String(rule.position ?? ''), {
    width: 64,
    render: (rule) => <Mono>{rule.position}</Mono>,
  }),
  make.text('type', t('Type'), (rule) => rule.type, { width: 84, render: (rule) => <Mono>{rule.type}</Mono> }),
  make.custom(
    'action',
    t('Action'),
    (rule) =>
      rule.type === 'group' ? <Mono>{rule.action}</Mono> : <Badge tone={TONES[rule.action]}>{rule.action}</Badge>,
    { width: 110, csv: (rule) => rule.action },
  ),
  make.text('match', t('Matches'), (rule) => (rule.type === 'group' ? '' : matchText(t, rule)), {
    width: 260,
    grow: true,
    render: (rule) => (
      <span className="mono" title={matchText(t, rule)}>
        {rule.type === 'group' && !rule.interface ? t('its rules') : matchText(t, rule)}
      </span>
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
  const rows = (rules ?? []).map((rule, index) => ({ ...rule, key: String(index) }));
  return (
    <DataTable
      id={id}
      label={label}
      noun={{ one: t('rule'), many: t('rules') }}
      columns={columns}
      rows={rows}
      rowId={(rule) => rule.key}
      total={rules === null ? undefined : rows.length}
      loading={false}
      error={null}
      height="auto"
      empty={
        rules === null ? (
          <EmptyState title={t('Unknown')}>
            {t('The rules could not be read. That does not mean that there are none.')}
          </EmptyState>
        ) : (
          <EmptyState title={t('No rules')}>{none}</EmptyState>
        )
      }
    />
  );
}
