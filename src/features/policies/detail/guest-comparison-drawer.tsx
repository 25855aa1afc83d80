'use client';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import type { PolicyGuestComparison } from '@/domain/policy-guests';
import { paths } from '@/lib/paths';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { buttonClass } from '@/ui/button-class';
import { Drawer } from '@/ui/drawer';
import { ErrorState } from '@/ui/error-state';
import { RelativeTime } from '@/ui/relative-time';
import { Section } from '@/ui/section';
import { Skeleton } from '@/ui/skeleton';
import { DeploymentState } from '../../shared/deployment-state';
import { REASON_WORDS, STALE_RULE_WORDS } from '../../shared/deployment-words';
import { InterfaceEnforcementList } from '../../shared/interface-enforcement';
import { RuleList } from '../../shared/rule-list';
import { UnreadableNotice } from '../../shared/unreadable-notice';

type Props = { policyId: string; workloadId: string | null; onClose: () => void };

/** One guest read now, three ways: what the policy intends, what was last applied, and what is live. */
export function GuestComparisonDrawer({ policyId, workloadId, onClose }: Props) {
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
      title={guest ? `${guest.name} (${guest.vmid})` : 'Guest'}
      description={guest && `${guest.cluster_name}${guest.node_name ? `, ${guest.node_name}` : ''}`}
      footer={
        guest && (
          <Link className={buttonClass()} href={paths.workload({ workloadId: guest.workload_id, tab: 'firewall' })}>
            Show the whole firewall of the guest
          </Link>
        )
      }
    >
      {guest ? (
        <Content guest={guest} />
      ) : query.error ? (
        <ErrorState problem={failureOf(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Drawer>
  );
}

function Content({ guest }: { guest: PolicyGuestComparison }) {
  const { last_applied: applied, difference } = guest;
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <DeploymentState status={guest.status} reasons={guest.reasons} />
        <span className="text-muted">
          read <RelativeTime at={guest.read_at} none="never" />
        </span>
      </div>
      {guest.reasons.length > 0 && (
        <ul className="list-disc pl-4">
          {guest.reasons.map((reason) => (
            <li key={reason}>{REASON_WORDS[reason]}</li>
          ))}
        </ul>
      )}
      <UnreadableNotice notes={guest.unreadable} />
      {guest.interfaces && <InterfaceEnforcementList interfaces={guest.interfaces} />}
      <Section title="Difference" bare>
        {difference === null ? (
          <p className="text-muted">Unknown: what is live could not be read.</p>
        ) : difference.missing.length + difference.surplus.length + difference.misplaced.length === 0 ? (
          <p className="text-muted">None: the live rules are as the policy intends.</p>
        ) : (
          <RuleList
            label="Rules that differ"
            rows={[
              ...difference.missing.map((rule) => ({ rule, mark: <Badge tone="danger">Missing</Badge> })),
              ...difference.surplus.map((rule) => ({
                rule,
                mark: <Badge tone="warn">{STALE_RULE_WORDS[rule.reason]}</Badge>,
              })),
              ...difference.misplaced.map((rule) => ({
                rule,
                mark: (
                  <Badge tone="info">{rule.reason === 'order' ? 'Wrong order' : 'Behind a rule made elsewhere'}</Badge>
                ),
              })),
            ]}
          />
        )}
      </Section>
      <Rules
        title="Intended"
        description={`Version ${guest.policy_version}, as the inventory is now`}
        rules={guest.intended}
        none="Nothing is intended here."
      />
      <Rules
        title="Last applied"
        description={
          applied
            ? applied.applied_at
              ? `Version ${applied.policy_version}`
              : `Version ${applied.policy_version}; the apply is not known to have ended`
            : undefined
        }
        rules={applied?.rules ?? []}
        none="Nothing was applied here."
      />
      <Rules title="Live" rules={guest.live_rules} none="No rule of this policy is live here." />
    </div>
  );
}

function Rules({
  title,
  description,
  rules,
  none,
}: {
  title: string;
  description?: string;
  rules: readonly FirewallRuleView[] | null;
  none: string;
}) {
  return (
    <Section title={title} description={description} bare>
      {rules === null ? (
        <p className="text-muted">Unknown: it could not be read.</p>
      ) : rules.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <RuleList label={`${title} rules`} rows={rules.map((rule) => ({ rule }))} />
      )}
    </Section>
  );
}
