import type { GuestFirewall } from '@/domain/guest-firewall';
import { english } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Mono } from '@/ui/mono';
import { Status } from '@/ui/status';
import { commentText, matchText } from '../shared/firewall-rule-text';
import { RuleOwner } from './rule-owner';

type Rule = NonNullable<GuestFirewall['rules']>[number];
type Row = Rule & { key: string };

const make = columnsOf<Row>();
const TONES: Record<string, 'ok' | 'danger' | 'warn'> = { ACCEPT: 'ok', DROP: 'danger', REJECT: 'warn' };

/** A group has rules of its own, shown below; where it is named, only the network card matters. */
function placeText(rule: Rule): string {
  if (rule.type !== 'group') return matchText(english, rule);
  return rule.interface ? `its rules, on ${rule.interface}` : 'its rules, on every network card';
}

const COLUMNS = [
  make.text('position', 'Place', (rule) => String(rule.position ?? ''), {
    width: 64,
    render: (rule) => <Mono>{rule.position}</Mono>,
  }),
  make.custom(
    'state',
    'State',
    (rule) => {
      if (rule.errors) return <Status tone="danger">Invalid, skipped</Status>;
      return rule.enabled ? <Status tone="ok">On</Status> : <Status tone="off">Off</Status>;
    },
    { width: 120, csv: (rule) => (rule.errors ? 'invalid' : rule.enabled ? 'on' : 'off') },
  ),
  make.text('type', 'Type', (rule) => rule.type, { width: 72, render: (rule) => <Mono>{rule.type}</Mono> }),
  make.custom(
    'action',
    'Action',
    (rule) =>
      rule.type === 'group' ? <Mono>{rule.action}</Mono> : <Badge tone={TONES[rule.action]}>{rule.action}</Badge>,
    { width: 100, csv: (rule) => rule.action },
  ),
  make.text('match', 'Matches', placeText, {
    width: 300,
    grow: true,
    render: (rule) => (
      <span className="mono" title={placeText(rule)}>
        {placeText(rule)}
      </span>
    ),
  }),
  make.custom('owner', 'Made by', (rule) => <RuleOwner rule={rule} />, {
    width: 200,
    csv: (rule) => rule.policy_name ?? rule.owner,
  }),
  make.text('log', 'Log', (rule) => (rule.log === 'nolog' ? null : rule.log), { width: 80 }),
  make.text('comment', 'Comment', (rule) => commentText(rule.comment), { width: 170, grow: true }),
];

/** All live rules of a guest in the order in which they are evaluated. */
export function LiveRules({
  firewall: { rules, options, cluster_firewall_enabled: cluster },
}: {
  firewall: GuestFirewall;
}) {
  const rows = (rules ?? []).map((rule, index) => ({ ...rule, key: String(index) }));
  return (
    <DataTable
      id="live-rules"
      label="Live rules"
      noun={{ one: 'rule', many: 'rules' }}
      columns={COLUMNS}
      rows={rows}
      rowId={(rule) => rule.key}
      total={rules === null ? undefined : rows.length}
      loading={false}
      error={null}
      height="auto"
      empty={
        rules === null ? (
          <EmptyState title="Unknown">The rules could not be read. That does not mean that there are none.</EmptyState>
        ) : (
          <EmptyState title="No rules">
            {options?.enable === false || cluster === false
              ? 'Everything passes while the firewall is off.'
              : 'The default of the guest decides about everything.'}
          </EmptyState>
        )
      }
    />
  );
}
