'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Activity, Download, RadioTower, Server } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { AGENT_SORTS, AGENT_STATUSES } from '@/domain/agent';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { PageHeader } from '@/ui/page-header';
import { AGENT_STATES } from '../shared/agents/agent-words';
import { InstallAgentDialog, type InstallTarget } from '../shared/agents/install-agent-dialog';
import { useListState } from '../shared/list-state';
import { useClusterOptions } from '../shared/use-cluster-options';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { agentColumns } from './agent-columns';
import { AgentCounts } from './agent-counts';

const STATUSES = [...AGENT_STATUSES, 'none'] as const;
const LIST = {
  sorts: AGENT_SORTS,
  defaultSort: 'node_name',
  filters: { status: STATUSES, cluster_id: 'id', lacking: 'flag', outdated: 'flag' },
} as const;

/** Heartbeats bring no events of their own. */
const REFRESH_MS = 15_000;

/** Every node with its agent: who reports, and what is wrong with those that do not. */
export function AgentList() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const { reason } = usePermissions();
  const installReason = reason('agent:install');
  const [target, setTarget] = useState<InstallTarget | null>(null);
  const columns = useMemo(() => agentColumns(t, { onInstall: setTarget, reason: installReason }), [t, installReason]);
  const summary = useQuery({
    ...trpc.agents.summary.queryOptions({ cluster_id: filters.cluster_id ?? undefined }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const list = useServerList({
    name: 'agents',
    columns,
    state,
    pathKey: trpc.agents.list.pathKey(),
    refetchMs: REFRESH_MS,
    fetchPage: (page, signal) => client.agents.list.query({ ...state.input, ...page }, { signal }),
  });
  const offered = summary.data?.agent_version;
  return (
    <>
      <PageHeader
        title={t('Agents')}
        description={
          <>
            {t('One program on each node reports its traffic and the state of its firewall.')}{' '}
            {offered && t('This service installs version {version}.', { version: offered })}
          </>
        }
      />
      {summary.data && summary.data.nodes > 0 && (
        <AgentCounts
          summary={summary.data}
          filter={{ status: filters.status, outdated: filters.outdated, lacking: filters.lacking }}
          onFilter={state.setFilters}
        />
      )}
      <FilterBar
        search={{ label: t('Search nodes'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: t('Status'),
            single: true,
            options: STATUSES.map((value) => ({ value, label: t(AGENT_STATES[value].word) })),
            value: filters.status ? [filters.status] : [],
            onValueChange: ([value]) => state.setFilter('status', STATUSES.find((status) => status === value) ?? null),
          },
          {
            id: 'lacking',
            label: t('Collectors'),
            single: true,
            options: [
              { value: 'true', label: t('Something is lacking') },
              { value: 'false', label: t('All work') },
            ],
            value: filters.lacking === null ? [] : [String(filters.lacking)],
            onValueChange: ([value]) => state.setFilter('lacking', value === undefined ? null : value === 'true'),
          },
          {
            id: 'outdated',
            label: t('Version'),
            single: true,
            options: [
              { value: 'true', label: t('Outdated') },
              { value: 'false', label: t('Current') },
            ],
            value: filters.outdated === null ? [] : [String(filters.outdated)],
            onValueChange: ([value]) => state.setFilter('outdated', value === undefined ? null : value === 'true'),
          },
          {
            id: 'cluster_id',
            label: t('Cluster'),
            single: true,
            options: clusters,
            value: filters.cluster_id ? [filters.cluster_id] : [],
            onValueChange: ([value]) => state.setFilter('cluster_id', value ?? null),
          },
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="agents"
        label={t('Agents')}
        noun={{ one: t('node'), many: t('nodes') }}
        rowId={(agent) => agent.id}
        onRowOpen={(agent) => router.push(paths.agent({ nodeId: agent.node_id }))}
        rowActions={(agent) => ({
          name: agent.node_name,
          entries: [
            {
              id: 'install',
              label: agent.status === null ? t('Install agent') : t('Update or install again'),
              icon: <Download />,
              onSelect: () => setTarget(agent),
              disabledReason: installReason,
            },
            {
              kind: 'link',
              id: 'agent',
              label: t('Open the agent'),
              icon: <RadioTower />,
              render: <Link href={paths.agent({ nodeId: agent.node_id })} />,
            },
            {
              kind: 'link',
              id: 'node',
              label: t('Open the node'),
              icon: <Server />,
              render: <Link href={paths.node({ nodeId: agent.node_id })} />,
            },
            {
              kind: 'link',
              id: 'flows',
              label: t('Flows of this node'),
              icon: <Activity />,
              render: <Link href={paths.flows({ node_id: agent.node_id })} />,
            },
          ],
        })}
        empty={
          <EmptyState
            icon={<RadioTower />}
            title={t('No nodes yet')}
            action={
              <Link className={buttonClass()} href={paths.clusters()}>
                {t('Go to clusters')}
              </Link>
            }
          >
            {t('Agents run on nodes, and nodes appear with the first successful sync of a cluster.')}
          </EmptyState>
        }
      />
      <InstallAgentDialog target={target} onClose={() => setTarget(null)} />
    </>
  );
}
