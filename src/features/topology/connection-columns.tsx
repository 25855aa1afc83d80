import { formatBytes } from '@/lib/format';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { Missing } from '@/ui/missing';
import { WorkloadLink } from '../shared/inventory-links';
import { WorkloadState } from '../shared/inventory-states';
import type { ConnectionRow, NodeRow } from './connection-rows';
import type { MapNode } from './map-model';
import { servicesText } from './topology-words';
import { VERDICT_LOOKS } from './verdict-look';

function End({ node, name }: { node: MapNode; name: string }) {
  return node.workload ? <WorkloadLink id={node.workload.id} name={node.workload.name} /> : name;
}

const connection = columnsOf<ConnectionRow>();

export const CONNECTION_COLUMNS = [
  connection.text('source', 'From', (row) => row.source_name, {
    sortable: true,
    width: 180,
    grow: true,
    render: (row) => <End node={row.source} name={row.source_name} />,
  }),
  connection.text('destination', 'To', (row) => row.destination_name, {
    sortable: true,
    width: 180,
    grow: true,
    render: (row) => <End node={row.destination} name={row.destination_name} />,
  }),
  connection.custom(
    'verdict',
    'Verdict',
    ({ edge }) => <Badge tone={VERDICT_LOOKS[edge.verdict].tone}>{VERDICT_LOOKS[edge.verdict].word}</Badge>,
    { sortable: true, width: 160, csv: ({ edge }) => edge.verdict },
  ),
  connection.text('services', 'Services', ({ edge }) => servicesText(edge), {
    width: 220,
    grow: true,
    render: ({ edge }) => <span className="mono">{servicesText(edge)}</span>,
  }),
  connection.number('bytes', 'Bytes', ({ edge }) => edge.bytes, { sortable: true, width: 92, format: formatBytes }),
  connection.number('packets', 'Packets', ({ edge }) => edge.packets, { sortable: true, width: 92 }),
  connection.number('flows', 'New flows', ({ edge }) => edge.flows, { sortable: true, width: 112 }),
  connection.time('last_seen_at', 'Last seen', ({ edge }) => edge.last_seen_at, { sortable: true }),
];

const node = columnsOf<NodeRow>();

export const NODE_COLUMNS = [
  node.text('name', 'Name', (row) => row.name, {
    sortable: true,
    width: 180,
    grow: true,
    render: (row) => <End node={row.node} name={row.name} />,
  }),
  node.text('cluster', 'Cluster', (row) => row.cluster, { width: 150 }),
  node.text('group', 'Group', (row) => row.group, { width: 170, grow: true }),
  node.custom(
    'status',
    'Status',
    ({ node: { workload } }) => (workload ? <WorkloadState status={workload.status} /> : <Missing />),
    { width: 120, csv: ({ node: { workload } }) => workload?.status },
  ),
  node.custom(
    'verdict',
    'Weightiest verdict',
    ({ node: { verdict } }) =>
      verdict === null ? (
        <Missing label="No connections" />
      ) : (
        <Badge tone={VERDICT_LOOKS[verdict].tone}>{VERDICT_LOOKS[verdict].word}</Badge>
      ),
    { sortable: true, width: 170, csv: (row) => row.node.verdict },
  ),
  node.number('links', 'Connections', (row) => row.node.links, { sortable: true, width: 116 }),
  node.number('bytes', 'Bytes', (row) => row.node.bytes, { sortable: true, width: 92, format: formatBytes }),
  node.text('addresses', 'Addresses', (row) => row.node.workload?.addresses.join(', '), { hidden: true, width: 220 }),
  node.text('tags', 'Tags', (row) => row.node.workload?.tags.join(', '), { hidden: true, width: 180 }),
  node.text('project', 'Project', (row) => row.node.workload?.project_name, { hidden: true }),
];
