import type { ContextDecision } from '@/domain/flow-context/flow-context';
import type { InsightAudit, InsightContext, TrafficMode } from '@/domain/insights';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/tone';

/** What becomes of a flow, in words. What an audited policy says is never in force, so it never looks like it. */
const DECISION_WORDS: Record<ContextDecision, { word: string; tone: Tone; meaning: string }> = {
  accept: {
    word: msg('Accepted'),
    tone: 'ok',
    meaning: msg('A live rule, or a line of the firewall log, lets it pass.'),
  },
  drop: { word: msg('Dropped'), tone: 'danger', meaning: msg('A live rule, or a line of the firewall log, drops it.') },
  reject: {
    word: msg('Rejected'),
    tone: 'warn',
    meaning: msg('A live rule, or a line of the firewall log, rejects it.'),
  },
  default_accept: {
    word: msg('Accepted by default'),
    tone: 'neutral',
    meaning: msg('No rule decides; the default lets it pass.'),
  },
  default_drop: {
    word: msg('Dropped by default'),
    tone: 'danger',
    meaning: msg('No rule decides; the default does not let it pass.'),
  },
  audit_accept: {
    word: msg('Would accept'),
    tone: 'info',
    meaning: msg('Only a policy in audit mode would decide: let it pass.'),
  },
  audit_drop: {
    word: msg('Would drop'),
    tone: 'warn',
    meaning: msg('Only a policy in audit mode would decide: drop it.'),
  },
  audit_reject: {
    word: msg('Would reject'),
    tone: 'warn',
    meaning: msg('Only a policy in audit mode would decide: reject it.'),
  },
  observed: { word: msg('Observed'), tone: 'unknown', meaning: msg('Nothing decides, or what decides is not known.') },
};

const isKnown = (decision: string): decision is ContextDecision => decision in DECISION_WORDS;

/** A decision in the language of the page; one of another version keeps its name. */
export function decisionWord(t: Translate, decision: string): { word: string; tone: Tone; meaning: string } {
  if (!isKnown(decision)) return { word: decision, tone: 'unknown', meaning: '' };
  const { word, tone, meaning } = DECISION_WORDS[decision];
  return { word: t(word), tone, meaning: t(meaning) };
}

export const WOULD_WORDS: Record<InsightAudit['verdict'], { word: string; tone: Tone }> = {
  accept: { word: msg('Would accept'), tone: 'info' },
  drop: { word: msg('Would drop'), tone: 'warn' },
  reject: { word: msg('Would reject'), tone: 'warn' },
};

/** The audited policy that speaks first, when it would change what becomes of the flow. */
export function wouldChange({ verdict, audit }: Pick<InsightContext, 'verdict' | 'audit'>): InsightAudit | null {
  const [first] = audit;
  return first && first.verdict !== verdict ? first : null;
}

export const MODE_OPTIONS: readonly { value: TrafficMode; label: string }[] = [
  { value: 'all', label: msg('All') },
  { value: 'inbound', label: msg('Inbound') },
  { value: 'outbound', label: msg('Outbound') },
  { value: 'internal', label: msg('Internal') },
  { value: 'external', label: msg('External') },
  { value: 'denied', label: msg('Denied') },
];
