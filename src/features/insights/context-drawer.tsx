'use client';
import type { InsightContext, InsightFlow } from '@/domain/insights';
import { formatBytes, formatDateTime } from '@/lib/format';
import { english } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { CodeBlock } from '@/ui/code-block';
import { Drawer } from '@/ui/drawer';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { FlowEnd } from '../shared/flows/flow-end';
import { packetsText, serviceText } from '../shared/flows/flow-words';
import { PolicyLink } from '../shared/security-links';
import { decisionWord, WOULD_WORDS } from './context-words';
import { DecidedBy } from './decided-by';

/** One flow: what becomes of it at this workload, who decides that, and what audited policies would do. */
export function ContextDrawer({ flow, onClose }: { flow: InsightFlow | null; onClose: () => void }) {
  return (
    <Drawer
      open={flow !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={flow ? `${flow.source_ip} → ${flow.destination_ip}` : 'Flow'}
      description={flow ? serviceText(flow) : undefined}
    >
      {flow && <Content flow={flow} />}
    </Drawer>
  );
}

const DIRECTIONS = { in: 'Towards the workload', out: 'From the workload' } as const;

function carried({ bytes, packets }: InsightFlow): string {
  if (bytes === null && packets === null) return 'Not counted';
  const parts = [bytes === null ? null : formatBytes(bytes), packets === null ? null : packetsText(english, packets)];
  return parts.filter(Boolean).join(', ');
}

function Content({ flow }: { flow: InsightFlow }) {
  const { word, tone, meaning } = decisionWord(flow.decision);
  const { context } = flow;
  return (
    <div className="flex flex-col gap-6">
      {context?.conflict && (
        <Notice tone="danger" title="Log and rules disagree">
          The firewall's log says that it was {decisionWord(flow.decision).word.toLowerCase()}; by the rules that were
          read it would be otherwise. They changed since, or something else filters.
        </Notice>
      )}
      <Properties
        items={[
          { label: 'From', value: <FlowEnd flow={flow} end="source" />, hint: flow.source_label },
          { label: 'To', value: <FlowEnd flow={flow} end="destination" />, hint: flow.destination_label },
          { label: 'Decision', value: <Badge tone={tone}>{word}</Badge>, hint: meaning },
          ...(context ? deciding(context) : []),
          { label: 'Carried', value: carried(flow), hint: 'Since it was first seen, in this direction.' },
          { label: 'First seen', value: formatDateTime(flow.first_seen_at) },
          { label: 'Last seen', value: formatDateTime(flow.observed_at) },
          { label: 'State', value: flow.state },
        ]}
      />
      {context && context.audit.length > 0 && <Audit context={context} />}
      <Section title="Whole record" bare>
        <CodeBlock code={JSON.stringify(flow, null, 2)} label="Whole record" wrap />
      </Section>
    </div>
  );
}

function deciding({ decided_by, direction, verdict }: InsightContext) {
  const now = verdict === 'unknown' ? null : decisionWord(verdict);
  return [
    { label: 'Decided by', value: <DecidedBy by={decided_by} />, hint: decided_by.explanation },
    {
      label: 'Rules now',
      value: now ? <Badge tone={now.tone}>{now.word}</Badge> : <Badge tone="unknown">Not known</Badge>,
      hint: 'What the live rules do with the packet that opens such a conversation.',
    },
    { label: 'Opened', value: direction && DIRECTIONS[direction] },
  ];
}

function Audit({ context: { audit } }: { context: InsightContext }) {
  return (
    <Section title="If policies in audit mode were enforced" description="Each by itself, in their order.">
      <ul className="flex flex-col gap-1">
        {audit.map(({ policy_id, policy_name, verdict, by, rule_position }) => (
          <li key={policy_id} className="flex flex-wrap items-baseline gap-2">
            <Badge tone={WOULD_WORDS[verdict].tone}>{WOULD_WORDS[verdict].word}</Badge>
            <PolicyLink id={policy_id} name={policy_name} />
            <span className="text-muted">
              {by === 'default'
                ? 'by its default'
                : rule_position === null
                  ? 'by a rule'
                  : `by its rule ${rule_position + 1}`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
