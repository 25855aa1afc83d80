import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import type { Column } from '@/ui/table/column';
import { Mono } from '@/ui/values';

const TONES: Record<string, 'ok' | 'danger' | 'warn'> = { ACCEPT: 'ok', DROP: 'danger', REJECT: 'warn' };

/** Type and action of a rule; a reference to a group has its name in place of an action. */
export function ruleKindColumns<Rule extends Pick<FirewallRuleView, 'type' | 'action'>>(t: Translate) {
  const make = createColumnHelper<Rule>();
  return [
    make.text('type', t('Type'), (rule) => rule.type, { width: 84, render: (rule) => <Mono>{rule.type}</Mono> }),
    make.custom(
      'action',
      t('Action'),
      (rule) =>
        rule.type === 'group' ? <Mono>{rule.action}</Mono> : <Badge tone={TONES[rule.action]}>{rule.action}</Badge>,
      { width: 110, csv: (rule) => rule.action },
    ),
  ];
}

/** A rule may be there twice: its place in the list is its only identity. */
export type Placed<Rule> = Rule & { key: string };

type Props<Rule> = {
  /** Of the table, for stored columns. */
  id: string;
  label: string;
  columns: readonly Column<Placed<Rule>>[];
  /** Null: could not be read. */
  rules: readonly Rule[] | null;
  /** What decides while there is no rule. */
  none: string;
};

/** Rules in the order in which they are evaluated. */
export function FirewallRuleTable<Rule extends object>({ id, label, columns, rules, none }: Props<Rule>) {
  const t = useT();
  const rows = (rules ?? []).map((rule, index): Placed<Rule> => ({ ...rule, key: String(index) }));
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
          <EmptyState title={t('Unknown')}>{t('The rules could not be read. There may still be rules.')}</EmptyState>
        ) : (
          <EmptyState title={t('No rules')}>{none}</EmptyState>
        )
      }
    />
  );
}
