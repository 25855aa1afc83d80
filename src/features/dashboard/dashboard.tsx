'use client';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { type ReactNode, useEffect, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { FilterBar } from '@/ui/filter-bar';
import { Link } from '@/ui/link';
import { loadLater } from '@/ui/load-on-opening';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { QueryView } from '../shared/query-view';
import { useTenantsWithin } from '../shared/tenant-options';
import { TimeRangeControl } from '../shared/time-range-control';
import { usePermissions } from '../shared/use-permissions';
import { flowsHref, useDashboard, useDashboardView } from './dashboard-view';
import { FirstSteps, firstSteps, OwnWorkloadsHint } from './first-steps';
import { OutsidePanel } from './outside-panel';
import { PoliciesPanel } from './policies-panel';
import { PosturePanel } from './posture-panel';
import { SyncsPanel } from './syncs-panel';
import { TalkersPanel } from './talkers-panel';
import { TestsPanel } from './tests-panel';
import { TrafficPanel } from './traffic-panel';
import { TroublePanel } from './trouble-panel';

const loadSuspicious = () => import('./suspicious-panel').then((module) => module.SuspiciousPanel);
const SuspiciousPanel = loadLater(loadSuspicious, <Waiting lines={8} />);

/** Entries of suspicious traffic at first; all of them when asked for. */
const SHOWN = 8;

/** What is up: security, traffic and the installation itself, in the time and for the tenant chosen. */
export function Dashboard() {
  const t = useT();
  const { view, setView } = useDashboardView();
  const [all, setAll] = useState(false);
  // Below what is seen first; its code comes while its data does.
  useEffect(() => void loadSuspicious().catch(() => undefined), []);
  const { security, traffic, operations, reversed } = useDashboard(view, all ? undefined : SHOWN);
  const { can } = usePermissions();
  const tenants = useTenantsWithin('flow:read');
  const steps = operations.data && firstSteps(operations.data, operations.data.policies);
  const suspiciousHref = flowsHref(view, { source: 'external' });
  const trpc = useTRPC();
  const asksOwn = can('policy_test:protect') && !view.tenant_id;
  const own = useQuery({ ...trpc.policyTests.own.queryOptions(), enabled: asksOwn });
  // Hints come before the panels, so the panels wait until the hints are known: nothing moves while it is read.
  const isOpening = !view.tenant_id && (security.isLoading || operations.isLoading || own.isLoading);
  const total = security.data?.suspicious_summary.total ?? 0;
  return (
    <>
      <PageHeader
        title={t('Dashboard')}
        actions={
          <>
            {tenants.length > 1 && (
              <FilterBar
                fields={[
                  {
                    id: 'tenant_id',
                    label: t('Tenant'),
                    single: true,
                    options: tenants,
                    value: view.tenant_id ? [view.tenant_id] : [],
                    onValueChange: ([value]) => setView({ tenant_id: value ?? null }),
                  },
                ]}
                common={['tenant_id']}
              />
            )}
            <TimeRangeControl {...view} onChange={setView} />
          </>
        }
      />
      {reversed && (
        <Notice
          tone="warn"
          title={t('The time range ends before it begins')}
          action={
            <Button size="sm" onClick={() => setView({ since: null, until: null })}>
              {t('Show last hour')}
            </Button>
          }
        />
      )}
      {isOpening && <Opening />}
      {own.data !== undefined && own.data.open > 0 && !view.tenant_id && <OwnWorkloadsHint />}
      {steps && !isOpening && !view.tenant_id && <FirstSteps steps={steps} />}
      <div className={clsx('grid gap-4 xl:grid-cols-3', isOpening && 'hidden')}>
        {!reversed && (
          <>
            <Part title={t('Security posture')}>
              <QueryView query={security} skeleton={<Waiting lines={8} />}>
                {(data) => (
                  <PosturePanel security={data} suspiciousHref={suspiciousHref} canSeeAgents={can('agent:read')} />
                )}
              </QueryView>
            </Part>
            <Part
              wide
              title={t('Connections from outside')}
              actions={
                <Link
                  className="link"
                  href={paths.topology({ at: 'external', range: view.range, since: view.since, until: view.until })}
                >
                  {t('Show on map')}
                </Link>
              }
            >
              <QueryView query={traffic} skeleton={<Waiting lines={8} />}>
                {(data) => <OutsidePanel traffic={data} view={view} security={security.data} />}
              </QueryView>
            </Part>
            <Part
              wide
              title={t('Suspicious traffic')}
              actions={
                <>
                  {total > SHOWN && (
                    <Button size="sm" onClick={() => setAll(!all)}>
                      {all ? t('Show top {n, number}', { n: SHOWN }) : t('Show all {n, number}', { n: total })}
                    </Button>
                  )}
                  <Link className="link" href={suspiciousHref}>
                    {t('External flows')}
                  </Link>
                </>
              }
            >
              <QueryView query={security} skeleton={<Waiting lines={8} />}>
                {(data) => <SuspiciousPanel security={data} view={view} refreshing={security.isPlaceholderData} />}
              </QueryView>
            </Part>
            {can('policy:read') && (
              <Part
                title={t('Policies')}
                actions={
                  <Link className="link" href={paths.policies()}>
                    {t('All policies')}
                  </Link>
                }
              >
                <QueryView query={operations} skeleton={<Waiting lines={5} />}>
                  {(data) => data.policies && <PoliciesPanel policies={data.policies} mayWrite={can('policy:write')} />}
                </QueryView>
              </Part>
            )}
            <Part
              wide
              title={t('Traffic')}
              actions={
                <Link className="link" href={flowsHref(view)}>
                  {t('All flows')}
                </Link>
              }
            >
              <QueryView query={traffic} skeleton={<Waiting lines={9} />}>
                {(data) => (
                  <TrafficPanel
                    traffic={data.traffic}
                    security={security.data}
                    onSelect={(range) => setView({ ...range, range: null })}
                  />
                )}
              </QueryView>
            </Part>
            <Part
              title={t('Top talkers')}
              actions={
                <Link className="link" href={flowsHref(view, { group: 'workloads' })}>
                  {t('All pairs')}
                </Link>
              }
            >
              <QueryView query={traffic} skeleton={<Waiting lines={9} />}>
                {(data) => <TalkersPanel traffic={data} view={view} security={security.data} />}
              </QueryView>
            </Part>
          </>
        )}
        {can('cluster:read') && (
          <Part
            title={t('Clusters')}
            actions={
              <Link className="link" href={paths.clusters()}>
                {t('All clusters')}
              </Link>
            }
          >
            <QueryView query={operations} skeleton={<Waiting lines={5} />}>
              {(data) => data.last_syncs && <SyncsPanel syncs={data.last_syncs} />}
            </QueryView>
          </Part>
        )}
        {can('policy_test:read') && (
          <Part
            title={t('Policy tests')}
            actions={
              <Link className="link" href={paths.policyTests()}>
                {t('All policy tests')}
              </Link>
            }
          >
            <TestsPanel tenantId={view.tenant_id} />
          </Part>
        )}
        {(can('cluster:read') || can('agent:read') || can('ipam:read')) && (
          <Part
            title={t('Operations')}
            actions={
              can('cluster:read') && (
                <Link className="link" href={paths.nodes({ faulty: 'true' })}>
                  {t('Faulty nodes')}
                </Link>
              )
            }
          >
            <QueryView query={operations} skeleton={<Waiting lines={5} />}>
              {(data) => <TroublePanel operations={data} />}
            </QueryView>
          </Part>
        )}
      </div>
    </>
  );
}

type PartProps = { title: string; actions?: ReactNode; wide?: boolean; children: ReactNode };

/** A part of the page, as high as its neighbors; wide ones take two of three columns. */
function Part({ title, actions, wide = false, children }: PartProps) {
  return (
    <section className={clsx('flex min-w-0 flex-col gap-2', wide && 'xl:col-span-2')}>
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 className="text-base">{title}</h2>
        {actions && <div className="flex flex-wrap items-center gap-3">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** In place of the panels. */
function Opening() {
  return (
    <div className="grid gap-4 pt-8 xl:grid-cols-3">
      <Waiting lines={8} />
      <div className="flex min-w-0 flex-col xl:col-span-2">
        <Waiting lines={8} />
      </div>
    </div>
  );
}

const WIDTHS = ['w-2/3', 'w-full', 'w-5/6', 'w-3/4'];

function Waiting({ lines }: { lines: number }) {
  return (
    <div aria-busy="true" className="flex flex-1 flex-col gap-3 rounded-lg border bg-surface p-4">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines without meaning that never change places.
        <Skeleton key={line} className={`h-4 ${WIDTHS[line % WIDTHS.length]}`} />
      ))}
    </div>
  );
}
