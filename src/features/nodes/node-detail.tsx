'use client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Node } from '@/domain/inventory';
import { formatBytes, formatCount } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { Tabs } from '@/ui/tabs';
import { Mono, RelativeTime } from '@/ui/values';
import { AgentState } from '../shared/agents/agent-state';
import { DetailPage } from '../shared/detail-page';
import { ClusterLink } from '../shared/entity-links';
import { MissingSince, NodeState } from '../shared/inventory-states';
import { FlowsLink } from '../shared/traffic-links';
import { usePermissions } from '../shared/use-permissions';
import { useUrlTab } from '../shared/use-url-state';
import { CompileFailureNotice } from './compile-failure-notice';

const TABS = ['workloads', 'firewall'] as const;

type Parts = {
  /** The table of what runs on it, and what filters its own traffic; other features make them. */
  workloads: ReactNode;
  firewall: ReactNode;
};

/** One node: its state, what runs on it, and its firewall. */
export function NodeDetail({ nodeId, ...parts }: Parts & { nodeId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.nodes.get.queryOptions({ id: nodeId }));
  return (
    <DetailPage query={query} title={(item) => item.name}>
      {(node) => <Content node={node} {...parts} />}
    </DetailPage>
  );
}

function Content({ node, workloads, firewall }: Parts & { node: Node }) {
  const t = useT();
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.node({ nodeId: node.id, tab }));
  return (
    <>
      <PageTrail crumbs={[{ label: node.name }]} />
      <PageHeader
        title={node.name}
        badge={
          <>
            <NodeState status={node.status} />
            <MissingSince at={node.missing_since} />
          </>
        }
        actions={<FlowsLink filter={{ node_id: node.id }} />}
      />
      {node.fault && (
        <Notice tone="danger" title={t('Node fault')}>
          {node.fault}
        </Notice>
      )}
      <CompileFailureNotice node={node} />
      <Section>
        <Properties columns={2} items={listProperties(t, node)} />
      </Section>
      <Tabs
        label={t('Node sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          {
            value: 'workloads',
            label: t('Workloads'),
            count: node.workloads_total,
            content: (
              <>
                <h2 className="text-base">{t('Workloads on this node')}</h2>
                {workloads}
              </>
            ),
          },
          { value: 'firewall', label: t('Firewall'), content: firewall },
        ]}
      />
    </>
  );
}

/** The state of the node's agent; for those who may see agents it leads there. */
function AgentLink({ node }: { node: Node }) {
  const t = useT();
  const { can } = usePermissions();
  const state = node.agent_status === null ? t('None') : <AgentState status={node.agent_status} />;
  if (!can('agent:read')) return state;
  return (
    <Link className="link" href={paths.agent({ nodeId: node.id })}>
      {node.agent_status === null ? t('Install agent') : state}
    </Link>
  );
}

function listProperties(t: Translate, node: Node) {
  return [
    { label: t('Cluster'), value: <ClusterLink id={node.cluster_id} name={node.cluster_name} /> },
    { label: t('CPUs'), value: node.cpu_count === null ? null : formatCount(node.cpu_count) },
    { label: t('Address'), value: node.address && <Mono>{node.address}</Mono> },
    { label: t('Memory'), value: node.memory_bytes === null ? null : formatBytes(node.memory_bytes) },
    { label: 'Proxmox VE', value: node.provider_version && <Mono>{node.provider_version}</Mono> },
    { label: t('Started'), value: <RelativeTime at={node.started_at} /> },
    {
      label: t('Node firewall'),
      value:
        node.nftables === null ? (
          <Status tone="unknown">{t('Unknown')}</Status>
        ) : node.nftables ? (
          'nftables (proxmox-firewall)'
        ) : (
          'iptables (pve-firewall)'
        ),
    },
    { label: t('Agent'), value: <AgentLink node={node} /> },
    {
      label: t('Workloads'),
      value: t('{running, number} running of {total, number}', {
        running: node.workloads_running,
        total: node.workloads_total,
      }),
    },
    { label: t('Last heartbeat'), value: <RelativeTime at={node.last_heartbeat_at} none={t('Never')} /> },
  ];
}
