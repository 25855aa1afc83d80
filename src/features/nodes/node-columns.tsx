import type { Node } from '@/domain/inventory';
import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { AgentState } from '../shared/agents/agent-state';
import { ClusterLink, NodeLink } from '../shared/entity-links';
import { MissingSince, NODE_STATES, NodeState } from '../shared/inventory-states';

const make = createColumnHelper<Node>();

const getFault = (node: Node) => node.fault ?? node.compile_failure?.message ?? null;

export const nodeColumns = (t: Translate) => [
  make.text('name', t('Name'), (node) => node.name, {
    sortable: true,
    width: 240,
    grow: true,
    render: (node) => <NodeLink id={node.id} name={node.name} />,
  }),
  make.custom('status', t('Status'), (node) => <NodeState status={node.status} />, {
    sortable: true,
    width: 110,
    csv: (node) => t(NODE_STATES[node.status].word),
  }),
  make.custom(
    'fault',
    t('Fault'),
    (node) =>
      node.missing_since ? (
        <MissingSince at={node.missing_since} />
      ) : (
        getFault(node) && (
          <Badge tone="danger">
            <span title={getFault(node) ?? undefined}>{node.fault ?? t('Firewall compile failure')}</span>
          </Badge>
        )
      ),
    {
      width: 180,
      csv: (node) => getFault(node) ?? (node.missing_since && t('missing since {at}', { at: node.missing_since })),
    },
  ),
  make.text('cluster_name', t('Cluster'), (node) => node.cluster_name, {
    sortable: true,
    width: 140,
    render: (node) => <ClusterLink id={node.cluster_id} name={node.cluster_name} />,
  }),
  make.mono('address', t('Address'), (node) => node.address, { width: 130 }),
  make.number('workloads_running', t('Running'), (node) => node.workloads_running),
  make.number('workloads_total', t('Workloads'), (node) => node.workloads_total),
  make.number('cpu_count', t('CPUs'), (node) => node.cpu_count, { sortable: true, hidden: true }),
  make.number('memory_bytes', t('Memory'), (node) => node.memory_bytes, {
    sortable: true,
    hidden: true,
    format: formatBytes,
  }),
  make.custom('agent_status', t('Agent'), (node) => <AgentState status={node.agent_status} />, {
    width: 110,
    csv: (node) => node.agent_status,
  }),
  make.time('started_at', t('Started'), (node) => node.started_at, { sortable: true, hidden: true }),
  make.mono('provider_version', t('Version'), (node) => node.provider_version, { hidden: true, width: 90 }),
];
