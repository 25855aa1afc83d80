import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Missing } from '@/ui/values';
import { EDGE_VERDICT_STYLES } from '../shared/edge-verdict-styles';
import { WorkloadLink } from '../shared/entity-links';
import { FlowVerdictCell } from '../shared/flow-verdict-cell';
import { WorkloadState } from '../shared/inventory-states';
import { rulesText } from '../shared/verdict-labels';
import type { ConnectionRow, NodeRow } from './connection-rows';
import type { MapNode } from './map-model';
import { servicesText } from './topology-labels';

function End({ node, name }: { node: MapNode; name: string }) {
  return node.workload ? <WorkloadLink id={node.workload.id} name={node.workload.name} /> : name;
}

const connection = createColumnHelper<ConnectionRow>();

export const connectionColumns = (t: Translate) => [
  connection.text('source', t('From'), (row) => row.source_name, {
    sortable: true,
    width: 180,
    grow: true,
    render: (row) => <End node={row.source} name={row.source_name} />,
  }),
  connection.text('destination', t('To'), (row) => row.destination_name, {
    sortable: true,
    width: 180,
    grow: true,
    render: (row) => <End node={row.destination} name={row.destination_name} />,
  }),
  connection.custom(
    'verdict',
    t('Outcome'),
    ({ edge }) => (
      <Badge tone={EDGE_VERDICT_STYLES[edge.verdict].tone}>{t(EDGE_VERDICT_STYLES[edge.verdict].word)}</Badge>
    ),
    { sortable: true, width: 130, csv: ({ edge }) => edge.verdict },
  ),
  connection.custom('action', t('Action'), ({ edge }) => <FlowVerdictCell verdict={edge} />, {
    width: 185,
    csv: ({ edge }) => edge.action,
  }),
  connection.text('rules_say', t('Rules say'), ({ edge }) => rulesText(t, edge.rules_say), {
    hidden: true,
    width: 220,
  }),
  connection.text('services', t('Services'), ({ edge }) => servicesText(t, edge), {
    width: 180,
    grow: true,
    render: ({ edge }) => <span className="mono">{servicesText(t, edge)}</span>,
  }),
  connection.number('bytes', t('Bytes'), ({ edge }) => edge.bytes, { sortable: true, format: formatBytes }),
  connection.number('packets', t('Packets'), ({ edge }) => edge.packets, { sortable: true, hidden: true }),
  connection.number('flows', t('New flows'), ({ edge }) => edge.flows, { sortable: true, hidden: true }),
  connection.time('last_seen_at', t('Last seen'), ({ edge }) => edge.last_seen_at, { sortable: true }),
];

const node = createColumnHelper<NodeRow>();

export const nodeColumns = (t: Translate) => [
  node.text('name', t('Name'), (row) => row.name, {
    sortable: true,
    width: 180,
    grow: true,
    render: (row) => <End node={row.node} name={row.name} />,
  }),
  node.text('cluster', t('Cluster'), (row) => row.cluster, { width: 150 }),
  node.text('group', t('Group'), (row) => row.group, { width: 170, grow: true }),
  node.custom(
    'status',
    t('Status'),
    ({ node: { workload } }) => (workload ? <WorkloadState status={workload.status} /> : <Missing />),
    { width: 120, csv: ({ node: { workload } }) => workload?.status },
  ),
  node.custom(
    'verdict',
    t('Most severe outcome'),
    ({ node: { verdict } }) =>
      verdict === null ? (
        <Missing label={t('No connections')} />
      ) : (
        <Badge tone={EDGE_VERDICT_STYLES[verdict].tone}>{t(EDGE_VERDICT_STYLES[verdict].word)}</Badge>
      ),
    { sortable: true, width: 170, csv: (row) => row.node.verdict },
  ),
  node.number('links', t('Connections'), (row) => row.node.links, { sortable: true }),
  node.number('bytes', t('Bytes'), (row) => row.node.bytes, { sortable: true, format: formatBytes }),
  node.text('addresses', t('Addresses'), (row) => row.node.workload?.addresses.join(', '), {
    hidden: true,
    width: 220,
  }),
  node.text('tags', t('Tags'), (row) => row.node.workload?.tags.join(', '), { hidden: true, width: 180 }),
  node.text('project', t('Project'), (row) => row.node.workload?.project_name, { hidden: true }),
];
