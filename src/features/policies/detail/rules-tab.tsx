import { useMemo } from 'react';
import type { Policy, SecurityRule } from '@/domain/policies';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { MaybeLink } from '@/ui/values';
import { ACTION_LABELS, logText, PROTOCOL_LABELS } from '../../shared/security-rule-labels';

const make = createColumnHelper<SecurityRule>();
const TONES = { accept: 'ok', drop: 'danger', reject: 'warn' } as const;

const columnsFor = (t: Translate) => [
  make.text('position', t('No.'), (rule) => String(rule.position + 1), { width: 56 }),
  make.custom(
    'action',
    t('Action'),
    (rule) => <Badge tone={TONES[rule.action]}>{t(ACTION_LABELS[rule.action])}</Badge>,
    {
      width: 90,
      csv: (rule) => rule.action,
    },
  ),
  make.text('protocol', t('Protocol'), (rule) => t(PROTOCOL_LABELS[rule.protocol]), { width: 120 }),
  make.mono('destination_ports', t('Destination port'), (rule) => rule.destination_ports.join(', ') || rule.icmp_type, {
    width: 170,
    grow: true,
  }),
  make.mono('source_ports', t('Source port'), (rule) => rule.source_ports.join(', '), { width: 120 }),
  make.text('log', t('Log'), (rule) => (rule.log === 'nolog' ? null : logText(t, rule.log)), { width: 110 }),
  make.custom(
    'enabled',
    t('State'),
    (rule) => (rule.enabled ? t('Enabled') : <Badge tone="off">{t('Disabled')}</Badge>),
    {
      width: 96,
      csv: (rule) => rule.enabled,
    },
  ),
  make.text('comment', t('Comment'), (rule) => rule.comment, { width: 180, grow: true }),
  make.text('owner', t('Owner'), (rule) => rule.owner, { hidden: true, width: 160 }),
  make.text('ticket', t('Ticket'), (rule) => rule.ticket, {
    hidden: true,
    width: 110,
    render: (rule) => <MaybeLink text={rule.ticket} />,
  }),
  make.time('expires_at', t('Expires'), (rule) => rule.expires_at),
];

/** The rules of a policy in their order. */
export function RulesTab({ policy }: { policy: Policy }) {
  const t = useT();
  const columns = useMemo(() => columnsFor(t), [t]);
  return (
    <DataTable
      id="policy-rules"
      label={t('Rules of the policy')}
      noun={{ one: t('rule'), many: t('rules') }}
      columns={columns}
      rows={policy.rules}
      rowId={(rule) => rule.id}
      total={policy.rules.length}
      loading={false}
      error={null}
      height="auto"
      empty={
        <EmptyState title={t('No rules')}>
          {t('A policy without rules filters no traffic. Edit the policy to add rules.')}
        </EmptyState>
      }
    />
  );
}
