'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Activity, Download, RadioTower, Server } from 'lucide-react';
import { useMemo, useState } from 'react';
import { AGENT_SORTS, AGENT_STATUSES } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { AGENT_STATES } from '../shared/agents/agent-state';
import { InstallAgentDialog, type InstallTarget } from '../shared/agents/install-agent-dialog';
import { InstallAgents } from '../shared/agents/install-agents';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice, flag } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList } from '../shared/list/use-list';
import { usePermissions } from '../shared/use-permissions';
import { agentColumns } from './agent-columns';
import { AgentCounts } from './agent-counts';

const STATUSES = [...AGENT_STATUSES, 'none'] as const;
const AGENTS = declareList({
  from: 'agents.list',
  name: 'agents',
  title: msg('Agents'),
  label: msg('Agents'),
  noun: { one: msg('node'), many: msg('nodes') },
  search: msg('Search nodes'),
  sorts: AGENT_SORTS,
  defaultSort: 'node_name',
  filters: {
    status: choice(msg('Status'), STATUSES, (one) => AGENT_STATES[one].word),
    lacking: flag(msg('Collectors'), [
      [true, msg('Collector missing')],
      [false, msg('All collectors working')],
    ]),
    outdated: flag(msg('Version'), [
      [true, msg('Outdated')],
      [false, msg('Current')],
    ]),
    cluster_id: CLUSTER,
  },
  common: ['status'],
  rowId: (agent) => agent.id,
  rowPath: (agent) => paths.agent({ nodeId: agent.node_id }),
  empty: {
    icon: <RadioTower />,
    title: msg('No nodes yet'),
    text: msg('Nodes and their agents appear with the first successful sync of a cluster.'),
    link: { label: msg('Go to clusters'), href: paths.clusters() },
  },
});

/** Heartbeats bring no events of their own. */
const REFRESH_MS = 15_000;

/** Every node with its agent: who reports, and what is wrong with those that do not. */
export function AgentList() {
  const t = useT();
  const trpc = useTRPC();
  const { reason } = usePermissions();
  const installReason = reason('agent:install');
  const [target, setTarget] = useState<InstallTarget | null>(null);
  const columns = useMemo(() => agentColumns(t, { onInstall: setTarget, reason: installReason }), [t, installReason]);
  const list = useList(AGENTS, { columns, refetchMs: REFRESH_MS });
  const { filters } = list.state;
  const summary = useQuery({
    ...trpc.agents.summary.queryOptions({ cluster_id: filters.cluster_id ?? undefined }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const offered = summary.data?.agent_version;
  return (
    <>
      <ListView
        of={list}
        actions={
          <>
            <Link className={buttonClass()} href={paths.flowExporters()}>
              {t('Flow exporters')}
            </Link>
            <InstallAgents clusterId={filters.cluster_id} variant="primary" />
          </>
        }
        description={
          <>
            {t('The agent on each node reports its traffic and firewall state.')}{' '}
            {offered && t('Current agent version: {version}.', { version: offered })}
          </>
        }
        summary={
          summary.isPending ? (
            // As high as the counts.
            <Skeleton className="h-8 max-md:h-18" />
          ) : (
            summary.data &&
            summary.data.nodes > 0 && (
              <AgentCounts
                summary={summary.data}
                filter={{ status: filters.status, outdated: filters.outdated, lacking: filters.lacking }}
                onFilter={list.state.setFilters}
              />
            )
          )
        }
        rowActions={(agent) => ({
          name: agent.node_name,
          entries: [
            {
              id: 'install',
              label: agent.status === null ? t('Install agent') : t('Update or reinstall agent'),
              icon: <Download />,
              onSelect: () => setTarget(agent),
              disabledReason: installReason,
            },
            {
              kind: 'link',
              id: 'agent',
              label: t('Open agent'),
              icon: <RadioTower />,
              render: <Link href={paths.agent({ nodeId: agent.node_id })} />,
            },
            {
              kind: 'link',
              id: 'node',
              label: t('Open node'),
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
      />
      <InstallAgentDialog target={target} onClose={() => setTarget(null)} />
    </>
  );
}
