import type { ContextDecision } from '@/domain/flow-context/flow-context';
import type { InsightAudit, InsightContext, TrafficMode } from '@/domain/insights';
import type { Tone } from '@/ui/tone';

/** What becomes of a flow, in words. What an audited policy says is never in force, so it never looks like it. */
export const DECISION_WORDS: Record<ContextDecision, { word: string; tone: Tone; meaning: string }> = {
  accept: { word: 'Accepted', tone: 'ok', meaning: 'A live rule, or a line of the firewall log, lets it pass.' },
  drop: { word: 'Dropped', tone: 'danger', meaning: 'A live rule, or a line of the firewall log, drops it.' },
  reject: { word: 'Rejected', tone: 'warn', meaning: 'A live rule, or a line of the firewall log, rejects it.' },
  default_accept: {
    word: 'Accepted by default',
    tone: 'neutral',
    meaning: 'No rule decides; the default lets it pass.',
  },
  default_drop: {
    word: 'Dropped by default',
    tone: 'danger',
    meaning: 'No rule decides; the default does not let it pass.',
  },
  audit_accept: {
    word: 'Would accept',
    tone: 'info',
    meaning: 'Only a policy in audit mode would decide: let it pass.',
  },
  audit_drop: { word: 'Would drop', tone: 'warn', meaning: 'Only a policy in audit mode would decide: drop it.' },
  audit_reject: { word: 'Would reject', tone: 'warn', meaning: 'Only a policy in audit mode would decide: reject it.' },
  observed: { word: 'Observed', tone: 'unknown', meaning: 'Nothing decides, or what decides is not known.' },
};

const isKnown = (decision: string): decision is ContextDecision => decision in DECISION_WORDS;

/** A decision of another version keeps its name. */
export const decisionWord = (decision: string) =>
  isKnown(decision) ? DECISION_WORDS[decision] : { word: decision, tone: 'unknown' as const, meaning: '' };

export const WOULD_WORDS: Record<InsightAudit['verdict'], { word: string; tone: Tone }> = {
  accept: { word: 'Would accept', tone: 'info' },
  drop: { word: 'Would drop', tone: 'warn' },
  reject: { word: 'Would reject', tone: 'warn' },
};

/** The audited policy that speaks first, when it would change what becomes of the flow. */
export function wouldChange({ verdict, audit }: Pick<InsightContext, 'verdict' | 'audit'>): InsightAudit | null {
  const [first] = audit;
  return first && first.verdict !== verdict ? first : null;
}

export const MODE_OPTIONS: readonly { value: TrafficMode; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'inbound', label: 'Inbound' },
  { value: 'outbound', label: 'Outbound' },
  { value: 'internal', label: 'Internal' },
  { value: 'external', label: 'External' },
  { value: 'denied', label: 'Denied' },
];
