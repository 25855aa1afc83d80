import { type ConversationWhy, type DecisionAt, toDecisionKey } from '@/domain/flow/conversation-why';
import type { RulesSay } from '@/domain/flow-verdict';
import { isWithinReach, type Reach } from '@/domain/permissions';
import type { TimelineEvent } from '@/domain/timeline';
import { authorizeIfGranted, type Scope, type Session } from '../../auth/scope';
import { readHistoryStart } from '../../db/as-of';
import { db } from '../../db/client';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { readPastFirewall } from '../../enforcement/policies/firewall-state/read-past-firewall';
import { clock } from '../../lib/clock';
import { createFlowVerdictEvaluator, type VerdictFacts } from '../flows/flow-verdicts';
import { listTimelineEvents, readTimelineReach } from '../timeline/read-timeline';
import { findConversation, toOpeningFlow } from './list-conversations';

const MOST_EVENTS = 200;

const decide = (firewall: FirewallState, reach: Reach, opening: VerdictFacts): RulesSay | null =>
  createFlowVerdictEvaluator(firewall, reach)(opening).rules_say;

/** Moments at which something happened, oldest first. */
const listMoments = (events: readonly TimelineEvent[]): string[] =>
  [...new Set(events.map(({ at }) => at))].sort((a, b) => Date.parse(a) - Date.parse(b) || (a < b ? -1 : 1));

/**
 * The first moment at which the decision is no longer that of the beginning, if it changed once: by halves, so that few times are read.
 * Null if there is none, or if it may have been before the moments that are known.
 * @param isSame whether the decision at a moment is still that of the beginning
 * @param areAll whether these are all moments since the beginning; otherwise they are the last ones
 */
export async function findFirstChange(
  moments: readonly string[],
  isSame: (at: string) => Promise<boolean>,
  areAll: boolean,
): Promise<string | null> {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isSame(moments[middle] as string)) low = middle + 1;
    else high = middle;
  }
  return low === 0 && !areAll ? null : (moments[low] ?? null);
}

/**
 * Why a conversation was decided as it was: by the rules, groups, addresses and owners of when it began, by those of now, and what
 * happened in between, each as far as the caller may see it.
 * @throws AppError `not_found`
 */
export async function readWhy(
  scope: Scope<'flow:read'>,
  session: Session | null,
  conversationId: string,
): Promise<ConversationWhy> {
  const rules = authorizeIfGranted(session, 'workload:read');
  const conversation = await findConversation(scope, conversationId);
  const now = clock.now().toISOString();
  const began = conversation.first_seen_at;
  const recorded_since = await readHistoryStart(db);
  const nothing = { conversation_id: conversationId, recorded_since, decisive_ids: [], events: [] };
  if (!rules) {
    const then = null;
    return { ...nothing, then, now: { at: now, rules_say: null, unread: [] }, changed: null };
  }
  const { reach } = rules;
  const opening = toOpeningFlow(conversation);
  const isRecorded = Date.parse(recorded_since) <= Date.parse(began);
  const ends = [
    ...new Set([conversation.client.workload_id, conversation.server.workload_id].flatMap((end) => end ?? [])),
  ];
  const decideAt = async (at: string): Promise<DecisionAt> => {
    const { firewall, unknown } = await readPastFirewall(at);
    const unread = ends.flatMap((workload_id) => {
      const known = firewall.inputs.workloads.get(workload_id);
      const reading = known && isWithinReach(known, reach) ? unknown.get(workload_id) : undefined;
      return reading ? [{ workload_id, last_read_at: null, next_read_at: null, ...reading }] : [];
    });
    return { at, rules_say: decide(firewall, reach, opening), unread };
  };
  const [then, current, events] = await Promise.all([
    isRecorded ? decideAt(began) : null,
    readFirewallState().then((firewall) => decide(firewall, reach, opening)),
    ends.length === 0
      ? []
      : listTimelineEvents(
          { ...readTimelineReach(rules, session), traffic: null },
          { workload_ids: ends, since: began, until: now, after: null, limit: MOST_EVENTS },
        ),
  ]);
  const [keyThen, keyNow] = [toDecisionKey(then?.rules_say ?? null), toDecisionKey(current)];
  const isOpen = [then?.rules_say, current].some((say) => say?.action === 'unknown');
  const changed = keyThen === null || keyNow === null || isOpen ? null : keyThen !== keyNow;
  // Where the live rules are not known they may still have been those of then: the reading that shows the change decides.
  const isSame = async (at: string) => {
    const say = (await decideAt(at)).rules_say;
    return say?.action === 'unknown' || toDecisionKey(say) === keyThen;
  };
  const first = changed ? await findFirstChange(listMoments(events), isSame, events.length < MOST_EVENTS) : null;
  return {
    ...nothing,
    then,
    now: { at: now, rules_say: current, unread: [] },
    changed,
    decisive_ids: first === null ? [] : events.filter(({ at }) => at === first).map(({ id }) => id),
    events,
  };
}
