'use client';
import { useQuery } from '@tanstack/react-query';
import { DAY_MS } from '@/domain/durations';
import type { FormerWorkload as Former } from '@/domain/inventory';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import { DEPLOYMENT_RUN_LABELS, KIND_LABELS } from '../shared/deployment-run-labels';
import { QueryView } from '../shared/query-view';
import { usePermissions } from '../shared/use-permissions';

/** Deployments that are named one by one. */
const NAMED = 10;

/** A workload that now belongs to another tenant: its name, when it was the reader's, and what happened then. */
export function FormerWorkload({ former }: { former: Former }) {
  const t = useT();
  const { can } = usePermissions();
  const name = former.name ?? t('Former workload');
  const several = new Set(former.periods.map(({ tenant_id }) => tenant_id)).size > 1;
  return (
    <>
      <PageTrail crumbs={[{ label: name }]} />
      <PageHeader title={name} badge={<Badge tone="off">{t('No longer assigned')}</Badge>} />
      <Notice tone="info" title={t('Workload no longer yours')}>
        {t('Records from before the reassignment stay here, under the former workload name.')}
      </Notice>
      {former.periods.map((period) => (
        <Section
          key={period.to_at}
          title={periodText(t, period)}
          description={several ? period.tenant_name : undefined}
        >
          <div className="flex flex-wrap items-center gap-2">
            {period.name !== null && period.name !== name && (
              <span className="text-muted">{t('Former name: {name}.', { name: period.name })}</span>
            )}
            {can('flow:read') && (
              <Link className={buttonClass()} href={paths.flows(toFlowFilter(former, period))}>
                {t('Flows of the last day')}
              </Link>
            )}
          </div>
        </Section>
      ))}
      {can('policy:read') && <Deployments workloadId={former.workload_id} />}
      {can('audit:read') && (
        <Section title={t('Audit')}>
          <Link className="link" href={paths.audit({ object_id: former.workload_id })}>
            {t('Audit records of this workload')}
          </Link>
        </Section>
      )}
    </>
  );
}

type Period = Former['periods'][number];

const periodText = (t: ReturnType<typeof useT>, { from_at, to_at }: Period): string =>
  from_at === null
    ? t('Assigned to you until {until}', { until: formatDateTime(to_at) })
    : t('Assigned to you {since} to {until}', { since: formatDateTime(from_at), until: formatDateTime(to_at) });

/** The last day of a time, or all of a shorter one: the page of flows goes further back from there. */
function toFlowFilter({ workload_id }: Former, { from_at, to_at }: Period) {
  const dayBefore = new Date(Date.parse(to_at) - DAY_MS).toISOString();
  return { workload_id, since: from_at !== null && from_at > dayBefore ? from_at : dayBefore, until: to_at };
}

/** What policies of the reader's tenants wrote to the workload. */
function Deployments({ workloadId }: { workloadId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery(
    trpc.deployments.list.queryOptions({ workload_id: workloadId, sort: '-created_at', limit: NAMED }),
  );
  return (
    <Section title={t('Deployments')}>
      <QueryView query={query} skeleton={<Skeleton className="h-16" />}>
        {({ items, total }) =>
          items.length === 0 ? (
            <p className="text-muted">{t('Your policies placed no rules on this workload.')}</p>
          ) : (
            <>
              <ul aria-label={t('Deployments')} className="divide-y">
                {items.map(({ id, policy_id, policy_name, kind, status, created_at }) => (
                  <li key={id} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
                    <Link
                      className="link"
                      href={paths.policy({ policyId: policy_id, tab: 'deployments', deployment: id })}
                    >
                      {policy_name}
                    </Link>
                    <span>{t(KIND_LABELS[kind])}</span>
                    <Status tone={DEPLOYMENT_RUN_LABELS[status].tone}>{t(DEPLOYMENT_RUN_LABELS[status].word)}</Status>
                    <span className="text-muted">
                      <RelativeTime at={created_at} />
                    </span>
                  </li>
                ))}
              </ul>
              {total > NAMED && <p className="text-muted">{t('The first {n} are shown.', { n: NAMED })}</p>}
            </>
          )
        }
      </QueryView>
    </Section>
  );
}
