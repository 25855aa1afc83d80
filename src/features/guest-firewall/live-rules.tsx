import { useMemo } from 'react';
import type { GuestFirewall } from '@/domain/guest-firewall';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Status } from '@/ui/status';
import { Mono } from '@/ui/values';
import { commentText, matchText } from '../shared/firewall-rule';
import { TIER_LABELS } from '../shared/tier-labels';
import { RuleOwner } from './rule-owner';

type Rule = NonNullable<GuestFirewall['rules']>[number];
type Row = Rule & { key: string };

const make = columnsOf<Row>();
const TONES: Record<string, 'ok' | 'danger' | 'warn'> = { ACCEPT: 'ok', DROP: 'danger', REJECT: 'warn' };

/** A group has rules of its own, shown below; where it is named, only the network card matters. */
function placeText(t: Translate, rule: Rule): string {
  if (rule.type !== 'group') return matchText(t, rule);
  return rule.interface ? t('its rules, on {card}', { card: rule.interface }) : t('its rules, on every network card');
}

const columnsFor = (t: Translate) => [
  make.text('position', t('Place'), (rule) => String(rule.position ?? ''), {
    width: 64,
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
  make.text('type', t('Type'), (rule) => rule.type, { width: 72, render: (rule) => <Mono>{rule.type}</Mono> }),
  make.custom(
    'action',
    t('Action'),
    (rule) =>
      rule.type === 'group' ? <Mono>{rule.action}</Mono> : <Badge tone={TONES[rule.action]}>{rule.action}</Badge>,
    { width: 100, csv: (rule) => rule.action },
  ),
  make.text('match', t('Matches'), (rule) => placeText(t, rule), {
    width: 300,
    grow: true,
    render: (rule) => (
      <span className="mono" title={placeText(t, rule)}>
        {placeText(t, rule)}
      </span>
    ),
  }),
  make.custom('owner', t('Made by'), (rule) => <RuleOwner rule={rule} />, {
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
  const rows = (rules ?? []).map((rule, index) => ({ ...rule, key: String(index) }));
  return (
    <DataTable
      id="live-rules"
      label={t('Live rules')}
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
          <EmptyState title={t('No rules')}>
            {options?.enable === false || cluster === false
              ? t('While the firewall is off, no rule of the workload filters.')
              : t('The default of the guest decides about everything.')}
          </EmptyState>
        )
      }
    />
  );
}
