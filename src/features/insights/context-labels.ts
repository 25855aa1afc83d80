import { CONTEXT_DECISIONS, type ContextDecision } from '@/domain/flow-context/flow-context';
import type { TrafficMode } from '@/domain/insights';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';
import { DECISION_LABELS } from '../shared/verdict-labels';

/** What a decision means, in a sentence. */
const MEANINGS: Record<ContextDecision, string> = {
  accept: msg('A live rule, or a line of the firewall log, lets it pass.'),
  drop: msg('A live rule, or a line of the firewall log, drops it.'),
  reject: msg('A live rule, or a line of the firewall log, rejects it.'),
  default_accept: msg('No rule decides; the default lets it pass.'),
  default_drop: msg('No rule decides; the default does not let it pass.'),
  audit_accept: msg('Only a policy in audit mode would decide: let it pass.'),
  audit_drop: msg('Only a policy in audit mode would decide: drop it.'),
  audit_reject: msg('Only a policy in audit mode would decide: reject it.'),
  observed: msg('Nothing decides, or what decides is not known.'),
};

const isKnown = (decision: string): decision is ContextDecision =>
  CONTEXT_DECISIONS.some((known) => known === decision);

/** A decision in the language of the page; one of another version keeps its name. */
export function decisionWord(t: Translate, decision: string): { word: string; tone: Tone; meaning: string } {
  if (!isKnown(decision)) return { word: decision, tone: 'unknown', meaning: '' };
  const { label, tone } = DECISION_LABELS[decision];
  return { word: t(label), tone, meaning: t(MEANINGS[decision]) };
}

export const MODE_OPTIONS: readonly { value: TrafficMode; label: string }[] = [
  { value: 'all', label: msg('All') },
  { value: 'inbound', label: msg('Inbound') },
  { value: 'outbound', label: msg('Outbound') },
  { value: 'internal', label: msg('Internal') },
  { value: 'external', label: msg('External') },
  { value: 'denied', label: msg('Denied') },
];
