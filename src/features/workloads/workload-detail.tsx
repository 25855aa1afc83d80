'use client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { type ReactNode, useMemo, useState } from 'react';
import type { WorkloadDetail as Detail } from '@/domain/inventory';
import { formatBytes, formatCount } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Tabs } from '@/ui/tabs';
import { Missing, Mono, RelativeTime } from '@/ui/values';
import { DetailSkeleton, useDocumentTitle } from '../shared/detail-page';
import { ClusterLink, NodeLink } from '../shared/entity-links';
import { KIND_LABELS, MissingSince, WorkloadState } from '../shared/inventory-states';
import { AsOfButton, PastNotice, usePastTime } from '../shared/past/as-of';
import { QueryView } from '../shared/query-view';
import { SuggestLink } from '../shared/suggest-link';
import { DriftLink, FlowsLink, ReachLink, TopologyLink } from '../shared/traffic-links';
import { usePermissions } from '../shared/use-permissions';
import { useUrlTab } from '../shared/use-url-state';
import { FormerWorkload } from './former-workload';
import { addressColumns, interfaceColumns } from './interface-columns';
import { AssignProjectDialog, useAssignProject } from './use-assign-project';
import { FirewallShare, ProtectionReasons, Tags } from './workload-cells';

const TABS = ['overview', 'traffic', 'firewall', 'timeline'] as const;

type Props = {
  workloadId: string;
  /** What it says to whom, what filters its packets, and what happened to it: loaded when they are opened. */
  traffic: ReactNode;
  firewall: ReactNode;
  timeline: ReactNode;
};

/**
 * One virtual machine or container: its interfaces and addresses, its traffic and its firewall; for a workload that
 * moved to another tenant, its past.
 */
export function WorkloadDetail({ workloadId, ...parts }: Props) {
  const trpc = useTRPC();
  const [asOf, showTime] = usePastTime();
  const query = useQuery(trpc.workloads.get.queryOptions({ id: workloadId, as_of: asOf ?? undefined }));
  const isGone = query.error !== null && toFailure(query.error).status === 404;
  const isFormer = isGone && asOf === null;
  const former = useQuery({
    ...trpc.workloads.former.queryOptions({ id: workloadId }),
    enabled: isFormer,
    retry: false,
  });
  useDocumentTitle(isFormer ? (former.data?.name ?? undefined) : query.data?.name);
  if (isFormer && former.data) return <FormerWorkload former={former.data} />;
  if (isFormer && former.isPending) return <DetailSkeleton />;
  return (
    <>
      <PastNotice at={asOf} onChange={showTime} />
      <QueryView query={query} skeleton={<DetailSkeleton />}>
        {(workload) => <Content workload={workload} {...parts} />}
      </QueryView>
    </>
  );
}

function Content({ workload, traffic, firewall, timeline }: { workload: Detail } & Omit<Props, 'workloadId'>) {
  const t = useT();
  const { can } = usePermissions();
  const assigning = useAssignProject();
  const [assign, setAssign] = useState(false);
  const [asOf, showTime] = usePastTime();
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.workload({ workloadId: workload.id, tab, as_of: asOf }));
  return (
    <>
      <PageTrail crumbs={[{ label: workload.name }]} />
      <PageHeader
        title={workload.name}
        badge={
          <>
            <WorkloadState status={workload.status} />
            {workload.template && <Badge>{t('Template')}</Badge>}
            {workload.lock && <Badge tone="warn">{t('Locked: {lock}', { lock: workload.lock })}</Badge>}
            <MissingSince at={workload.missing_since} />
          </>
        }
        actions={
          <>
            {can('policy:read') && (
              <Link className={buttonClass()} href={paths.changes({ workload_id: workload.id })}>
                {t('Changes')}
              </Link>
            )}
            <DriftLink filter={{ workload_id: workload.id }} />
            {!workload.template && <SuggestLink scope={{ workload_id: workload.id }} />}
            {!workload.template && <ReachLink to={[`vmid:${workload.cluster_name}/${workload.vmid}`]} />}
            <FlowsLink filter={{ workload_id: workload.id }} />
            {!workload.template && !workload.missing_since && <TopologyLink workloadId={workload.id} />}
            <AsOfButton at={asOf} onChange={showTime} />
            {asOf === null && assigning.possible && (
              <Button onClick={() => setAssign(true)}>{t('Assign to project')}</Button>
            )}
          </>
        }
      />
      <Tabs
        label={t('Workload sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          { value: 'overview', label: t('Overview'), content: <Overview workload={workload} /> },
          ...(asOf === null && can('flow:read') ? [{ value: 'traffic', label: t('Traffic'), content: traffic }] : []),
          { value: 'firewall', label: t('Firewall'), content: firewall },
          { value: 'timeline', label: t('Timeline'), content: timeline },
        ]}
      />
      {assign && (
        <AssignProjectDialog
          what={workload.name}
          workloadIds={[workload.id]}
          mayClear={assigning.mayClear}
          onClose={() => setAssign(false)}
        />
      )}
    </>
  );
}

function Overview({ workload }: { workload: Detail }) {
  const t = useT();
  const router = useRouter();
  const { interfaces, ip_addresses, config_read_at } = workload;
  const columns = useMemo(() => ({ cards: interfaceColumns(t), addresses: addressColumns(t) }), [t]);
  return (
    <>
      <Section>
        <Properties columns={2} items={listProperties(t, workload)} />
      </Section>
      {config_read_at === null && (
        <Notice tone="warn" title={t('Interfaces not read yet')}>
          {t(
            'Interface settings and firewall flags are unknown. See the problems of the last sync run for the reason.',
          )}
        </Notice>
      )}
      <Section
        title={t('Interfaces')}
        description={config_read_at && t.rich('Last read {when}.', { when: <RelativeTime at={config_read_at} /> })}
        bare
      >
        <DataTable
          id="workload-interfaces"
          label={t('Interfaces')}
          noun={{ one: t('interface'), many: t('interfaces') }}
          columns={columns.cards}
          rows={interfaces}
          rowId={(nic) => nic.id}
          total={interfaces.length}
          loading={false}
          error={null}
          height="auto"
          empty={
            <EmptyState title={config_read_at === null ? t('Unknown') : t('No interfaces')}>
              {config_read_at === null
                ? t('The interfaces were never read.')
                : t('This workload has no network interface.')}
            </EmptyState>
          }
        />
      </Section>
      <Section title={t('IP addresses')} bare>
        <DataTable
          id="workload-addresses"
          label={t('IP addresses')}
          noun={{ one: t('IP address'), many: t('IP addresses') }}
          columns={columns.addresses}
          rows={ip_addresses}
          rowId={(address) => address.id}
          onRowOpen={(address) => router.push(paths.address({ addressId: address.id }))}
          total={ip_addresses.length}
          loading={false}
          error={null}
          height="auto"
          empty={
            <EmptyState title={t('No addresses known')}>
              {t('Address discovery reads addresses from the guest agent, containers, cloud-init and SDN.')}
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}

/** The project, and who decided on it. */
function WorkloadProject({ workload: { project_name, project_assigned_by } }: { workload: Detail }) {
  const t = useT();
  const by =
    project_assigned_by === 'rule'
      ? t('assigned by mapping rule')
      : project_assigned_by === 'hand'
        ? t('assigned manually')
        : null;
  if (project_name === null && by === null) return <Missing />;
  return (
    <>
      {project_name ?? t('None')} {by && <span className="text-faint">{by}</span>}
    </>
  );
}

function listProperties(t: Translate, workload: Detail) {
  return [
    { label: t('Kind'), value: t(KIND_LABELS[workload.kind]) },
    { label: t('Cluster'), value: <ClusterLink id={workload.cluster_id} name={workload.cluster_name} /> },
    { label: 'VMID', value: <Mono>{workload.vmid}</Mono> },
    { label: t('Node'), value: <NodeLink id={workload.node_id} name={workload.node_name} /> },
    { label: t('CPUs'), value: workload.cpu_count === null ? null : formatCount(workload.cpu_count) },
    { label: t('Pool'), value: workload.pool },
    { label: t('Memory'), value: workload.memory_bytes === null ? null : formatBytes(workload.memory_bytes) },
    { label: t('Project'), value: <WorkloadProject workload={workload} /> },
    { label: t('Started'), value: <RelativeTime at={workload.started_at} /> },
    { label: t('High availability'), value: workload.ha_state },
    { label: t('Protection'), value: <ProtectionReasons workload={workload} /> },
    { label: t('Firewall flag'), value: <FirewallShare workload={workload} /> },
    { label: t('Tags'), value: workload.tags.length > 0 ? <Tags tags={workload.tags} /> : null },
  ];
}
