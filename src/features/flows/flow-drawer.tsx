'use client';
import type { Flow } from '@/domain/flow/flow';
import { formatBytes, formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { Drawer } from '@/ui/drawer';
import { Mono } from '@/ui/mono';
import { Properties } from '@/ui/properties';
import { RelativeTime } from '@/ui/relative-time';
import { Section } from '@/ui/section';
import { collectorText, decisionOf, endText, packetsText, serviceText } from '../shared/flows/flow-words';
import { ClusterLink, NodeLink, WorkloadLink } from '../shared/inventory-links';
import type { Narrowing } from './use-flow-view';

type Props = { flow: Flow | null; onClose: () => void; onNarrow: (filter: Narrowing) => void };

/** Everything that is known of one flow, and ways to others like it. */
export function FlowDrawer({ flow, onClose, onNarrow }: Props) {
  return (
    <Drawer
      open={flow !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={flow ? `${flow.source_ip} → ${flow.destination_ip}` : 'Flow'}
      description={flow ? serviceText(flow) : undefined}
    >
      {flow && <Content flow={flow} onNarrow={onNarrow} />}
    </Drawer>
  );
}

function End({ flow, end }: { flow: Flow; end: 'source' | 'destination' }) {
  const id = flow[`${end}_workload_id`];
  const name = flow[`${end}_workload_name`];
  const cidr = flow[`${end}_cidr`];
  return (
    <>
      <Mono>{endText(flow[`${end}_ip`], flow[`${end}_port`])}</Mono>
      <div className="text-muted">
        {id && name && (
          <>
            <WorkloadLink id={id} name={name} />
            {', '}
          </>
        )}
        {cidr ? (
          <>
            internal (<span className="mono">{cidr}</span>)
          </>
        ) : (
          'external'
        )}
      </div>
    </>
  );
}

const Time = ({ at }: { at: string }) => (
  <>
    {formatDateTime(at)} (<RelativeTime at={at} />)
  </>
);

function Content({ flow, onNarrow }: { flow: Flow; onNarrow: Props['onNarrow'] }) {
  const t = useT();
  const { word, tone } = decisionOf(flow.decision);
  const { raw } = flow;
  const port = flow.destination_port === null ? null : String(flow.destination_port);
  const card = [
    flow.interface,
    flow.nic === null ? null : `net${flow.nic}`,
    flow.vlan === null ? null : `VLAN ${flow.vlan}`,
  ];
  return (
    <div className="flex flex-col gap-6">
      <Properties
        items={[
          { label: 'From', value: <End flow={flow} end="source" /> },
          { label: 'To', value: <End flow={flow} end="destination" /> },
          {
            label: 'Opened by',
            value:
              flow.initiator === null
                ? null
                : flow.initiator === 'source'
                  ? 'The source'
                  : 'The destination: this is the answer',
          },
          {
            label: 'Decision',
            value: <Badge tone={tone}>{word}</Badge>,
            hint: flow.decision === 'observed' ? 'No line of the firewall log decided about it.' : undefined,
          },
          { label: 'State', value: flow.state && <Mono>{flow.state}</Mono> },
          {
            label: 'Carried',
            value:
              flow.bytes === null && flow.packets === null
                ? 'Not counted'
                : [
                    flow.bytes === null ? null : formatBytes(flow.bytes),
                    flow.packets === null ? null : packetsText(t, flow.packets),
                  ]
                    .filter(Boolean)
                    .join(', '),
            hint: 'Since it was first seen, in this direction.',
          },
          { label: 'First seen', value: <Time at={flow.first_seen_at} /> },
          { label: 'Last seen', value: <Time at={flow.observed_at} /> },
          ...(flow.icmp_type === null
            ? []
            : [{ label: 'ICMP', value: `type ${flow.icmp_type}, code ${flow.icmp_code ?? 'unknown'}` }]),
          { label: 'Node', value: <NodeLink id={flow.node_id} name={flow.node_name} /> },
          {
            label: 'Cluster',
            value: flow.cluster_name && <ClusterLink id={flow.cluster_id} name={flow.cluster_name} />,
          },
          { label: 'Seen by', value: collectorText(flow.collector) },
          { label: 'Seen at', value: card.filter(Boolean).join(', ') },
          { label: 'VMID', value: flow.vmid },
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          onClick={() =>
            onNarrow({ source: flow.source_ip, destination: flow.destination_ip, protocol: flow.protocol, port })
          }
        >
          Only this conversation
        </Button>
        <Button size="sm" onClick={() => onNarrow({ address: flow.source_ip })}>
          Everything of {flow.source_ip}
        </Button>
        <Button size="sm" onClick={() => onNarrow({ address: flow.destination_ip })}>
          Everything of {flow.destination_ip}
        </Button>
        <Button size="sm" onClick={() => onNarrow({ protocol: flow.protocol, port })}>
          Everything on {serviceText(flow)}
        </Button>
      </div>
      {raw && Object.keys(raw).length > 0 && (
        <Section title="Evidence of the agent" bare>
          <CodeBlock code={JSON.stringify(raw, null, 2)} label="Raw record" wrap />
        </Section>
      )}
      <Section title="Whole record" bare>
        <CodeBlock code={JSON.stringify(flow, null, 2)} label="Whole record" wrap />
      </Section>
    </div>
  );
}
