import type { ActiveRule, InsightsOverview } from '@/domain/insights';
import { english } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Mono } from '@/ui/mono';
import { RelativeTime } from '@/ui/relative-time';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { commentText, matchText } from '../shared/firewall-rule-text';
import { PolicyLink } from '../shared/security-links';
import { UnreadableNotice } from '../shared/unreadable-notice';

type Row = ActiveRule & { key: string };
const make = columnsOf<Row>();
const TONES: Record<string, 'ok' | 'danger' | 'warn'> = { ACCEPT: 'ok', DROP: 'danger', REJECT: 'warn' };

const managedText = (rule: ActiveRule) =>
  rule.managed ? (rule.policy_name ?? 'A policy that is gone') : 'Made elsewhere';

const COLUMNS = [
  make.text('position', 'Place', (rule) => String(rule.position ?? ''), {
    width: 110,
    render: (rule) => <Mono>{rule.group === null ? rule.position : `${rule.group} ${rule.position}`}</Mono>,
  }),
  make.text('type', 'Type', (rule) => rule.type, { width: 72, render: (rule) => <Mono>{rule.type}</Mono> }),
  make.custom(
    'action',
    'Action',
    (rule) =>
      rule.type === 'group' ? <Mono>{rule.action}</Mono> : <Badge tone={TONES[rule.action]}>{rule.action}</Badge>,
    { width: 110, csv: (rule) => rule.action },
  ),
  make.mono('protocol', 'Protocol', (rule) => rule.protocol ?? rule.macro, { width: 96 }),
  make.mono('port', 'Port', (rule) => rule.port, { width: 120 }),
  make.text('match', 'Matches', (rule) => (rule.type === 'group' ? null : matchText(english, rule)), {
    width: 240,
    grow: true,
  }),
  make.custom(
    'enabled',
    'State',
    (rule) => (rule.enabled ? <Status tone="ok">On</Status> : <Status tone="off">Off</Status>),
    { width: 84, csv: (rule) => rule.enabled },
  ),
  make.custom(
    'managed',
    'Made by',
    (rule) =>
      rule.managed && rule.policy_id && rule.policy_name ? (
        <PolicyLink id={rule.policy_id} name={rule.policy_name} />
      ) : (
        <span className="text-muted">{managedText(rule)}</span>
      ),
    { width: 170, csv: managedText },
  ),
  make.text('comment', 'Comment', (rule) => commentText(rule.comment), { width: 160, grow: true }),
];

/** The rules that filter the workload, those of groups behind their reference, and policies that only watch it. */
export function ActiveRules({ overview }: { overview: InsightsOverview }) {
  const { active_firewall_rules: rules, rules_read_at, audit_policies: audited, unreadable } = overview;
  const rows = (rules ?? []).map((rule, index) => ({ ...rule, key: String(index) }));
  return (
    <Section
      title="Active rules"
      description={
        rules_read_at && (
          <>
            As read from the cluster <RelativeTime at={rules_read_at} />.
          </>
        )
      }
      bare
    >
      <UnreadableNotice notes={unreadable} />
      <DataTable
        id="active-rules"
        label="Active rules"
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
            <EmptyState title="Unknown">
              The rules could not be read. That does not mean that there are none.
            </EmptyState>
          ) : (
            <EmptyState title="No rules">
              The default of the guest decides about everything, if it filters at all.
            </EmptyState>
          )
        }
      />
      {audited.length > 0 && (
        <p className="text-pretty text-muted">
          Policies in audit mode that mean this workload:{' '}
          {audited.map((policy, index) => (
            <span key={policy.policy_id}>
              {index > 0 && ', '}
              <PolicyLink id={policy.policy_id} name={policy.name} /> ({policy.rules}{' '}
              {policy.rules === 1 ? 'rule' : 'rules'}
              {policy.default_drop.length > 0 && `, drops ${policy.default_drop.join(' and ')} by default`})
            </span>
          ))}
          . Nothing of them is in force.
        </p>
      )}
    </Section>
  );
}
