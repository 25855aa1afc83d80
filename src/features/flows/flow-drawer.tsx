'use client';
import type { EvaluatedFlow } from '@/domain/flow/flow';
import { isExternal } from '@/domain/flow/flow-end';
import { formatBytes, formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { Drawer } from '@/ui/drawer';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Mono, RelativeTime } from '@/ui/values';
import { ClusterLink, NodeLink, WorkloadLink } from '../shared/entity-links';
import { flowVerdictProperties } from '../shared/flow-verdict-properties';
import { collectorText, conversationText, endText, packetsText, serviceText } from '../shared/flows/flow-labels';
import { DraftButtons } from '../shared/policy-draft/draft-actions';
import { toFlowSeed } from '../shared/policy-draft/draft-link';
import { ReachLink } from '../shared/traffic-links';
import type { Narrowing } from './use-flow-view';

type Props = { flow: EvaluatedFlow | null; onClose: () => void; onNarrow: (filter: Narrowing) => void };

/** Everything that is known about one flow, and links to similar ones. */
export function FlowDrawer({ flow, onClose, onNarrow }: Props) {
  const t = useT();
  return (
    <Drawer
      open={flow !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={flow ? `${flow.source_ip} → ${flow.destination_ip}` : t('Flow')}
      description={flow ? serviceText(flow) : undefined}
    >
      {flow && <Content flow={flow} onNarrow={onNarrow} />}
    </Drawer>
  );
}

function End({ flow, end }: { flow: EvaluatedFlow; end: 'source' | 'destination' }) {
  const t = useT();
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
        {cidr && t.rich('internal ({cidr})', { cidr: <span className="mono">{cidr}</span> })}
        {!cidr && (isExternal(flow[`${end}_label`]) ? t('external') : t('internal'))}
      </div>
    </>
  );
}

const Time = ({ at }: { at: string }) => (
  <>
    {formatDateTime(at)} (<RelativeTime at={at} />)
  </>
);

/** The path check about the conversation of a flow, from its client to its server. */
function FlowReach({ flow }: { flow: EvaluatedFlow }) {
  const { source, destination, protocol, port } = toFlowSeed(flow);
  if (!source?.address || !destination?.address) return null;
  return (
    <ReachLink
      from={[source.address]}
      to={[destination.address]}
      protocol={protocol ?? null}
      ports={port ? String(port) : null}
    />
  );
}

function Content({ flow, onNarrow }: { flow: EvaluatedFlow; onNarrow: Props['onNarrow'] }) {
  const t = useT();
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
          { label: t('From'), value: <End flow={flow} end="source" /> },
          { label: t('To'), value: <End flow={flow} end="destination" /> },
          {
            label: t('Client'),
            value:
              flow.initiator === null
                ? null
                : flow.initiator === 'source'
                  ? t('Source')
                  : t('Destination (this flow is the reply)'),
          },
          ...flowVerdictProperties(t, flow),
          { label: t('State'), value: flow.state && <Mono>{flow.state}</Mono> },
          {
            label: t('Volume'),
            value:
              flow.bytes === null && flow.packets === null
                ? t('Not counted')
                : [
                    flow.bytes === null ? null : formatBytes(flow.bytes),
                    flow.packets === null ? null : packetsText(t, flow.packets),
                  ]
                    .filter(Boolean)
                    .join(', '),
            hint: t('Since the flow was first seen, in this direction.'),
          },
          { label: t('First seen'), value: <Time at={flow.first_seen_at} /> },
          { label: t('Last seen'), value: <Time at={flow.observed_at} /> },
          ...(flow.icmp_type === null
            ? []
            : [
                {
                  label: t('ICMP'),
                  value: t('type {type}, code {code}', { type: flow.icmp_type, code: flow.icmp_code ?? t('unknown') }),
                },
              ]),
          { label: t('Node'), value: <NodeLink id={flow.node_id} name={flow.node_name} /> },
          {
            label: t('Cluster'),
            value: flow.cluster_name && <ClusterLink id={flow.cluster_id} name={flow.cluster_name} />,
          },
          { label: t('Seen by'), value: t(collectorText(flow.collector)) },
          { label: t('Observed at'), value: card.filter(Boolean).join(', ') },
          { label: t('VMID'), value: flow.vmid },
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <FlowReach flow={flow} />
        <DraftButtons seed={toFlowSeed(flow)} name={conversationText(flow)} />
        <Button
          size="sm"
          onClick={() =>
            onNarrow({ source: flow.source_ip, destination: flow.destination_ip, protocol: flow.protocol, port })
          }
        >
          {t('Show only this conversation')}
        </Button>
        <Button size="sm" onClick={() => onNarrow({ address: flow.source_ip })}>
          {t('Show flows with {address}', { address: flow.source_ip })}
        </Button>
        <Button size="sm" onClick={() => onNarrow({ address: flow.destination_ip })}>
          {t('Show flows with {address}', { address: flow.destination_ip })}
        </Button>
        <Button size="sm" onClick={() => onNarrow({ protocol: flow.protocol, port })}>
          {t('Show flows on {service}', { service: serviceText(flow) })}
        </Button>
      </div>
      {raw && Object.keys(raw).length > 0 && (
        <Section title={t('Reported record')} bare>
          <CodeBlock code={JSON.stringify(raw, null, 2)} label={t('Raw record')} wrap />
        </Section>
      )}
      <Section title={t('Whole record')} bare>
        <CodeBlock code={JSON.stringify(flow, null, 2)} label={t('Whole record')} wrap />
      </Section>
    </div>
  );
}
