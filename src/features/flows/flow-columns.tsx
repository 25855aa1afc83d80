import type { EvaluatedFlow } from '@/domain/flow/flow';
import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { NodeLink } from '../shared/entity-links';
import { FlowVerdictCell } from '../shared/flow-verdict-cell';
import { FlowTime, flowEndColumns } from '../shared/flows/flow-cells';
import { collectorText, serviceText } from '../shared/flows/flow-labels';
import { rulesText, WOULD_LABELS } from '../shared/verdict-labels';

const make = createColumnHelper<EvaluatedFlow>();

export const flowColumns = (t: Translate) => [
  ...flowEndColumns<EvaluatedFlow>(t, 240),
  make.custom('protocol', t('Service'), (flow) => <span className="mono">{serviceText(flow)}</span>, {
    sortable: true,
    width: 110,
    csv: (flow) => flow.protocol,
  }),
  make.custom('decision', t('Action'), (flow) => <FlowVerdictCell verdict={flow} />, {
    sortable: true,
    width: 210,
    csv: (flow) => flow.action,
  }),
  make.text('rules_say', t('Rules say'), (flow) => rulesText(t, flow.rules_say), { hidden: true, width: 220 }),
  make.text(
    'audit_say',
    t('Audit mode'),
    (flow) => flow.audit_say.map(({ action }) => t(WOULD_LABELS[action].label)).join(', '),
    {
      hidden: true,
      width: 160,
    },
  ),
  make.number('bytes', t('Bytes'), (flow) => flow.bytes, { sortable: true, format: formatBytes }),
  make.number('packets', t('Packets'), (flow) => flow.packets, { sortable: true }),
  make.text('state', t('State'), (flow) => flow.state, { hidden: true, width: 120 }),
  make.text('node_name', t('Node'), (flow) => flow.node_name, {
    hidden: true,
    width: 110,
    render: (flow) => <NodeLink id={flow.node_id} name={flow.node_name} />,
  }),
  make.custom('first_seen_at', t('First seen'), (flow) => <FlowTime at={flow.first_seen_at} />, {
    sortable: true,
    sortFirst: 'desc',
    hidden: true,
    width: 128,
    csv: (flow) => flow.first_seen_at,
  }),
  make.number('source_port', t('Source port'), (flow) => flow.source_port, {
    hidden: true,
    format: String,
  }),
  make.number('destination_port', t('Destination port'), (flow) => flow.destination_port, {
    sortable: true,
    hidden: true,
    format: String,
  }),
  make.text('source_workload_name', t('Source workload'), (flow) => flow.source_workload_name, {
    hidden: true,
    width: 190,
  }),
  make.text('destination_workload_name', t('Destination workload'), (flow) => flow.destination_workload_name, {
    hidden: true,
    width: 220,
  }),
  make.text('source_label', t('Source label'), (flow) => flow.source_label, { hidden: true, width: 240 }),
  make.text('destination_label', t('Destination label'), (flow) => flow.destination_label, {
    hidden: true,
    width: 240,
  }),
  make.text('collector', t('Seen by'), (flow) => t(collectorText(flow.collector)), { hidden: true, width: 200 }),
  make.mono('interface', t('Interface'), (flow) => flow.interface, { hidden: true, width: 120 }),
  make.text('cluster_name', t('Cluster'), (flow) => flow.cluster_name, { hidden: true, width: 130 }),
];
