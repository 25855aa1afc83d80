import { getServicePort } from '@/domain/flow/service-port';
import type { InsightFlow } from '@/domain/insights';
import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { Missing } from '@/ui/values';
import { NodeLink } from '../shared/entity-links';
import { FlowVerdictCell } from '../shared/flow-verdict-cell';
import { flowEndColumns } from '../shared/flows/flow-cells';
import { collectorText, serviceText } from '../shared/flows/flow-labels';
import { DecidedBy, deciderText } from './decided-by';

const make = createColumnHelper<InsightFlow>();

/** The service that was called; an answer comes from it. */
function Service({ flow }: { flow: InsightFlow }) {
  const t = useT();
  const { service_port, reply } = getServicePort(flow);
  if (!reply) return <span className="mono">{serviceText(flow)}</span>;
  return (
    <span className="flex items-baseline gap-1.5">
      <span className="mono">{serviceText({ ...flow, destination_port: service_port })}</span>
      <span className="text-sm text-faint">{t('answer')}</span>
    </span>
  );
}

const decisionText = ({ decision, context }: InsightFlow) =>
  [decision, ...(context?.conflict ? ['conflict'] : [])].join(' ');

export const trafficColumns = (t: Translate) => [
  ...flowEndColumns<InsightFlow>(t, 200),
  make.custom('protocol', t('Service'), (flow) => <Service flow={flow} />, {
    sortable: true,
    width: 110,
    csv: (flow) => flow.protocol,
  }),
  make.custom('decision', t('Action'), (flow) => <FlowVerdictCell verdict={flow} />, { width: 200, csv: decisionText }),
  make.custom(
    'decided_by',
    t('Decided by'),
    (flow) => (flow.context ? <DecidedBy by={flow.context.decided_by} /> : <Missing />),
    { width: 180, grow: true, csv: (flow) => (flow.context ? deciderText(t, flow.context.decided_by) : null) },
  ),
  make.number('bytes', t('Bytes'), (flow) => flow.bytes, { sortable: true, format: formatBytes }),
  make.number('packets', t('Packets'), (flow) => flow.packets, { sortable: true, hidden: true }),
  make.text('source_label', t('Source label'), (flow) => flow.source_label, { hidden: true, width: 240 }),
  make.text('destination_label', t('Destination label'), (flow) => flow.destination_label, {
    hidden: true,
    width: 240,
  }),
  make.text('node_name', t('Node'), (flow) => flow.node_name, {
    hidden: true,
    width: 110,
    render: (flow) => <NodeLink id={flow.node_id} name={flow.node_name} />,
  }),
  make.text('collector', t('Seen by'), (flow) => t(collectorText(flow.collector)), { hidden: true, width: 200 }),
  make.text('state', t('State'), (flow) => flow.state, { hidden: true, width: 120 }),
];
