'use client';
import { useQuery } from '@tanstack/react-query';
import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import type { PolicyGuestComparison } from '@/domain/policy-guests';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { buttonClass } from '@/ui/button-class';
import { Drawer } from '@/ui/drawer';
import { ErrorState } from '@/ui/error-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Section } from '@/ui/section';
import { RelativeTime } from '@/ui/values';
import { REASON_LABELS, STALE_RULE_LABELS } from '../../shared/deployment-labels';
import { DeploymentState } from '../../shared/deployment-state';
import { RuleList } from '../../shared/firewall-rule';
import { InterfaceEnforcementList } from '../../shared/interface-enforcement';
import { UnreadableNotice } from '../../shared/unreadable-notice';

type Props = { policyId: string; workloadId: string | null; onClose: () => void };

/** One guest read now, three ways: what the policy intends, what was last applied, and what is live. */
export function GuestComparisonDrawer({ policyId, workloadId, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.policies.guest.queryOptions({ id: policyId, workload_id: workloadId ?? '' }),
    enabled: workloadId !== null,
  });
  const guest = workloadId === null ? undefined : query.data;
  return (
    <Drawer
      open={workloadId !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={guest ? `${guest.name} (${guest.vmid})` : t('Workload')}
      description={guest && `${guest.cluster_name}${guest.node_name ? `, ${guest.node_name}` : ''}`}
      footer={
        guest && (
          <Link className={buttonClass()} href={paths.workload({ workloadId: guest.workload_id, tab: 'firewall' })}>
            {t("Show the workload's firewall")}
          </Link>
        )
      }
    >
      {guest ? (
        <Content guest={guest} />
      ) : query.error ? (
        <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Drawer>
  );
}

function Content({ guest }: { guest: PolicyGuestComparison }) {
  const t = useT();
  const { last_applied: applied, difference } = guest;
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <DeploymentState status={guest.status} reasons={guest.reasons} />
        <span className="text-muted">
          {guest.read_at === null
            ? t('never read')
            : t.rich('last read {at}', { at: <RelativeTime at={guest.read_at} /> })}
        </span>
      </div>
      {guest.reasons.length > 0 && (
        <ul className="list-disc pl-4">
          {guest.reasons.map((reason) => (
            <li key={reason}>{t(REASON_LABELS[reason])}</li>
          ))}
        </ul>
      )}
      <UnreadableNotice notes={guest.unreadable} />
      {guest.interfaces && <InterfaceEnforcementList interfaces={guest.interfaces} />}
      <Section title={t('Difference')} bare>
        {difference === null ? (
          <p className="text-muted">{t('Unknown: the live rules could not be read.')}</p>
        ) : difference.missing.length + difference.surplus.length + difference.misplaced.length === 0 ? (
          <p className="text-muted">{t('None: the live rules match the desired rules.')}</p>
        ) : (
          <RuleList
            label={t('Rules that differ')}
            rows={[
              ...difference.missing.map((rule) => ({ rule, mark: <Badge tone="danger">{t('Missing')}</Badge> })),
              ...difference.surplus.map((rule) => ({
                rule,
                mark: <Badge tone="warn">{t(STALE_RULE_LABELS[rule.reason])}</Badge>,
              })),
              ...difference.misplaced.map((rule) => ({
                rule,
                mark: (
                  <Badge tone="info">{rule.reason === 'order' ? t('Wrong order') : t('After an unmanaged rule')}</Badge>
                ),
              })),
            ]}
          />
        )}
      </Section>
      <Rules
        title={t('Desired state')}
        label={t('Desired rules')}
        description={t('Version {version}, based on the current inventory', { version: guest.policy_version })}
        rules={guest.intended}
        none={t('No rules are desired here.')}
      />
      <Rules
        title={t('Last applied')}
        label={t('Last applied rules')}
        description={
          applied
            ? applied.applied_at
              ? t('Version {version}', { version: applied.policy_version })
              : t('Version {version}; not confirmed that the apply finished', { version: applied.policy_version })
            : undefined
        }
        rules={applied?.rules ?? []}
        none={t('No rules were applied here.')}
      />
      <Rules
        title={t('Live')}
        label={t('Live rules')}
        rules={guest.live_rules}
        none={t('No rule of this policy is live here.')}
      />
    </div>
  );
}

function Rules({
  title,
  label,
  description,
  rules,
  none,
}: {
  title: string;
  label: string;
  description?: string;
  rules: readonly FirewallRuleView[] | null;
  none: string;
}) {
  const t = useT();
  return (
    <Section title={title} description={description} bare>
      {rules === null ? (
        <p className="text-muted">{t('Unknown: could not be read.')}</p>
      ) : rules.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <RuleList label={label} rows={rules.map((rule) => ({ rule }))} />
      )}
    </Section>
  );
}
