import type { Node } from '@/domain/inventory';
import { formatBytes } from '@/lib/format';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { AgentState } from '../shared/agents/agent-state';
import { ClusterLink, NodeLink } from '../shared/inventory-links';
import { MissingSince, NODE_STATES, NodeState } from '../shared/inventory-states';

const make = columnsOf<Node>();

export const NODE_COLUMNS = [
  make.text('name', 'Name', (node) => node.name, {
    sortable: true,
    width: 170,
    grow: true,
    render: (node) => <NodeLink id={node.id} name={node.name} />,
  }),
  make.custom('status', 'Status', (node) => <NodeState status={node.status} />, {
    sortable: true,
    width: 110,
    csv: (node) => NODE_STATES[node.status].word,
  }),
  make.custom(
    'fault',
    'Fault',
    (node) =>
      node.missing_since ? (
        <MissingSince at={node.missing_since} />
      ) : (
        node.fault && (
          <Badge tone="danger">
            <span title={node.fault}>{node.fault}</span>
          </Badge>
        )
      ),
    {
      width: 200,
      grow: true,
      csv: (node) => node.fault ?? (node.missing_since && `missing since ${node.missing_since}`),
    },
  ),
  make.text('cluster_name', 'Cluster', (node) => node.cluster_name, {
    sortable: true,
    width: 140,
    render: (node) => <ClusterLink id={node.cluster_id} name={node.cluster_name} />,
  }),
  make.mono('address', 'Address', (node) => node.address, { width: 140 }),
  make.number('workloads_running', 'Running', (node) => node.workloads_running, { width: 84 }),
  make.number('workloads_total', 'Workloads', (node) => node.workloads_total, { width: 96 }),
  make.number('cpu_count', 'CPUs', (node) => node.cpu_count, { sortable: true, width: 84 }),
  make.number('memory_bytes', 'Memory', (node) => node.memory_bytes, {
    sortable: true,
    width: 92,
    format: formatBytes,
  }),
  make.custom('agent_status', 'Agent', (node) => <AgentState status={node.agent_status} />, {
    width: 120,
    csv: (node) => node.agent_status,
  }),
  make.time('started_at', 'Started', (node) => node.started_at, { sortable: true, width: 110 }),
  make.mono('provider_version', 'Version', (node) => node.provider_version, { width: 90 }),
];
