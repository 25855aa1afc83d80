import { useMemo } from 'react';
import type { ActiveRule, InsightsOverview } from '@/domain/insights';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { Mono, RelativeTime } from '@/ui/values';
import { PolicyLink } from '../shared/entity-links';
import { commentText, matchText } from '../shared/firewall-rule';
import { FirewallRuleTable, type Placed, ruleKindColumns } from '../shared/firewall-rule-table';
import { TIER_LABELS } from '../shared/tier-labels';
import { UnreadableNotice } from '../shared/unreadable-notice';

type Row = Placed<ActiveRule>;
const make = createColumnHelper<Row>();

const managedText = (t: Translate, rule: ActiveRule) =>
  rule.residual
    ? t('Former tenant or project')
    : rule.managed
      ? (rule.policy_name ?? (rule.visibility && rule.tier ? t('Platform rule') : t('Deleted policy')))
      : t('Unmanaged');

const columnsFor = (t: Translate) => [
  make.text('position', t('Position'), (rule) => String(rule.position ?? ''), {
    width: 110,
    render: (rule) => <Mono>{rule.group === null ? rule.position : `${rule.group} ${rule.position}`}</Mono>,
  }),
  ...ruleKindColumns<Row>(t),
  make.mono('protocol', t('Protocol'), (rule) => rule.protocol ?? rule.macro, { width: 96 }),
  make.mono('port', t('Port'), (rule) => rule.port, { width: 120 }),
  make.text('match', t('Matches'), (rule) => (rule.type === 'group' ? null : matchText(t, rule)), {
    width: 240,
    grow: true,
  }),
  make.custom(
    'enabled',
    t('State'),
    (rule) => (rule.enabled ? <Status tone="ok">{t('On')}</Status> : <Status tone="off">{t('Off')}</Status>),
    { width: 84, csv: (rule) => rule.enabled },
  ),
  make.custom(
    'managed',
    t('Managed by'),
    (rule) =>
      rule.managed && rule.policy_id && rule.policy_name && !rule.visibility ? (
        <PolicyLink id={rule.policy_id} name={rule.policy_name} />
      ) : (
        <span className={rule.residual ? 'text-warn' : 'text-muted'}>{managedText(t, rule)}</span>
      ),
    { width: 170, csv: (rule) => managedText(t, rule) },
  ),
  make.text('tier', t('Evaluation'), (rule) => rule.tier && t(TIER_LABELS[rule.tier].label), { width: 120 }),
  make.text('comment', t('Comment'), (rule) => commentText(rule.comment), { width: 160, grow: true }),
];

/** The rules that filter the workload, those of groups behind their reference, and policies that only watch it. */
export function ActiveRules({ overview }: { overview: InsightsOverview }) {
  const t = useT();
  const columns = useMemo(() => columnsFor(t), [t]);
  const { active_firewall_rules: rules, rules_read_at, audit_policies: audited, unreadable } = overview;
  return (
    <Section
      title={t('Live rules')}
      description={
        rules_read_at && t.rich('Last read from the cluster {when}.', { when: <RelativeTime at={rules_read_at} /> })
      }
      bare
    >
      <UnreadableNotice notes={unreadable} />
      <FirewallRuleTable
        id="active-rules"
        label={t('Live rules')}
        columns={columns}
        rules={rules}
        none={t('No rules. If the guest firewall filters, all traffic gets the default policy.')}
      />
      {audited.length > 0 && (
        <p className="text-pretty text-muted">
          {t.rich('Policies in audit mode for this workload: {policies}. None of their rules are enforced.', {
            policies: audited.map((policy, index) => (
              <span key={policy.policy_id}>
                {index > 0 && ', '}
                <AuditedPolicy policy={policy} />
              </span>
            )),
          })}
        </p>
      )}
    </Section>
  );
}

/** `web (3 rules, drops IN by default)`. */
function AuditedPolicy({ policy }: { policy: InsightsOverview['audit_policies'][number] }) {
  const t = useT();
  const { rules: n, default_drop } = policy;
  const link = <PolicyLink id={policy.policy_id} name={policy.name} />;
  if (default_drop.length === 0) return t.rich('{link} ({n, plural, one {# rule} other {# rules}})', { link, n });
  const directions = new Intl.ListFormat(t.locale).format(default_drop);
  return t.rich('{link} ({n, plural, one {# rule} other {# rules}}, drops {directions} by default)', {
    link,
    n,
    directions,
  });
}
