'use client';
import { toAuditAction } from '@/domain/flow-action';
import type { InsightContext, InsightFlow } from '@/domain/insights';
import { formatBytes, formatDateTime } from '@/lib/format';
import { lowerLabel, msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { CodeBlock } from '@/ui/code-block';
import { Drawer } from '@/ui/drawer';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { PolicyLink } from '../shared/entity-links';
import { flowVerdictProperties } from '../shared/flow-verdict-properties';
import { FlowEnd } from '../shared/flows/flow-cells';
import { conversationText, packetsText, serviceText } from '../shared/flows/flow-labels';
import { DraftButtons } from '../shared/policy-draft/draft-actions';
import { toFlowSeed } from '../shared/policy-draft/draft-link';
import { WOULD_LABELS } from '../shared/verdict-labels';
import { getContextDecisionLabel } from './context-labels';
import { DecidedBy } from './decided-by';

/** One flow: what becomes of it at this workload, who decides that, and what audited policies would do. */
export function ContextDrawer({ flow, onClose }: { flow: InsightFlow | null; onClose: () => void }) {
  const t = useT();
  return (
    <Drawer
      open={flow !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={flow ? `${flow.source_ip} → ${flow.destination_ip}` : t('Flow')}
      description={flow ? serviceText(flow) : undefined}
    >
      {flow && <Content flow={flow} />}
    </Drawer>
  );
}

const DIRECTIONS = { in: msg('To the workload'), out: msg('From the workload') } as const;

function formatVolume(t: Translate, { bytes, packets }: InsightFlow): string {
  if (bytes === null && packets === null) return t('Not counted');
  const parts = [bytes === null ? null : formatBytes(bytes), packets === null ? null : packetsText(t, packets)];
  return parts.filter(Boolean).join(', ');
}

function Content({ flow }: { flow: InsightFlow }) {
  const t = useT();
  const { word } = getContextDecisionLabel(t, flow.decision);
  const { context } = flow;
  return (
    <div className="flex flex-col gap-6">
      {context?.conflict && (
        <Notice tone="danger" title={t('Log and rules mismatch')}>
          {t(
            'The firewall log says {decision}, but the rules read give a different result. The rules changed since, or something else filters the traffic.',
            { decision: lowerLabel(t, word) },
          )}
        </Notice>
      )}
      <Properties
        items={[
          { label: t('From'), value: <FlowEnd flow={flow} end="source" />, hint: flow.source_label },
          { label: t('To'), value: <FlowEnd flow={flow} end="destination" />, hint: flow.destination_label },
          ...flowVerdictProperties(t, { action: flow.action, rules_say: flow.rules_say ?? null, audit_say: [] }),
          ...(context ? listDecisionProperties(t, context) : []),
          {
            label: t('Volume'),
            value: formatVolume(t, flow),
            hint: t('Since the flow was first seen, in this direction.'),
          },
          { label: t('First seen'), value: formatDateTime(flow.first_seen_at) },
          { label: t('Last seen'), value: formatDateTime(flow.observed_at) },
          { label: t('State'), value: flow.state },
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <DraftButtons seed={toFlowSeed(flow)} name={conversationText(flow)} />
      </div>
      {context && context.audit.length > 0 && <Audit context={context} />}
      <Section title={t('Whole record')} bare>
        <CodeBlock code={JSON.stringify(flow, null, 2)} label={t('Whole record')} wrap />
      </Section>
    </div>
  );
}

function listDecisionProperties(t: Translate, { decided_by, direction }: InsightContext) {
  return [
    { label: t('Decided by'), value: <DecidedBy by={decided_by} />, hint: t('By the firewall of this workload.') },
    { label: t('Conversation direction'), value: direction && t(DIRECTIONS[direction]) },
  ];
}

function Audit({ context: { audit } }: { context: InsightContext }) {
  const t = useT();
  return (
    <Section
      title={t('If policies in audit mode were enforced')}
      description={t('Each policy is evaluated separately, in policy order.')}
    >
      <ul className="flex flex-col gap-1">
        {audit.map(({ policy_id, policy_name, verdict, by, rule_position }) => (
          <li key={policy_id} className="flex flex-wrap items-baseline gap-2">
            <Badge tone={WOULD_LABELS[toAuditAction(verdict)].tone}>
              {t(WOULD_LABELS[toAuditAction(verdict)].label)}
            </Badge>
            <PolicyLink id={policy_id} name={policy_name} />
            <span className="text-muted">
              {by === 'default'
                ? t('by default policy')
                : rule_position === null
                  ? t('by a rule')
                  : t('by rule {position}', { position: rule_position + 1 })}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
