import { CONTEXT_DECISIONS, type ContextDecision } from '@/domain/flow-context/flow-context';
import type { TrafficMode } from '@/domain/insights';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';
import { DECISION_LABELS } from '../shared/verdict-labels';

/** What a decision means, in a sentence. */
const MEANINGS: Record<ContextDecision, string> = {
  accept: msg('Allowed by a live rule or according to the firewall log.'),
  drop: msg('Dropped by a live rule or according to the firewall log.'),
  reject: msg('Rejected by a live rule or according to the firewall log.'),
  default_accept: msg('Matches no rule; allowed by default policy.'),
  default_drop: msg('Matches no rule; denied by default policy.'),
  audit_accept: msg('Would be allowed by a policy in audit mode.'),
  audit_drop: msg('Would be dropped by a policy in audit mode.'),
  audit_reject: msg('Would be rejected by a policy in audit mode.'),
  observed: msg('Not filtered, or the filtering rule is unknown.'),
};

const isKnown = (decision: string): decision is ContextDecision =>
  CONTEXT_DECISIONS.some((known) => known === decision);

/** A decision in the language of the page; one of another version keeps its name. */
export function getContextDecisionLabel(t: Translate, decision: string): { word: string; tone: Tone; meaning: string } {
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
