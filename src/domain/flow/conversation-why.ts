import { z } from 'zod';
import { type Decider, RulesSay } from '../flow-verdict';
import { TimelineEvent } from '../timeline';

/** What the rules of one time do with the packet that opened a conversation. */
export const DecisionAt = z.object({
  at: z.string(),
  /** The firewalls at both ends together; null: no end is visible, or its rules may not be seen. */
  rules_say: RulesSay.nullable(),
  /**
   * Ends whose live rules of that time are not known: `between` two readings that differ, or `not_read` by then. The times are those of the
   * readings around it.
   */
  unread: z.array(
    z.object({
      workload_id: z.uuid(),
      reason: z.enum(['between', 'not_read']),
      last_read_at: z.string().nullable(),
      next_read_at: z.string().nullable(),
    }),
  ),
});
export type DecisionAt = z.output<typeof DecisionAt>;

/** Which rule decided a conversation when it began, which one would decide now, and what happened in between. */
export const ConversationWhy = z.object({
  conversation_id: z.uuid(),
  /** When it began. Null: not recorded, because history begins later. */
  // biome-ignore lint/suspicious/noThenProperty: it is no function, so nothing waits for it.
  then: DecisionAt.nullable(),
  now: DecisionAt,
  /** Since when history is recorded. */
  recorded_since: z.string(),
  /** Whether another rule, version or default policy decides now; null: one of both is not known. */
  changed: z.boolean().nullable(),
  /** The events at the moment from which on the decision was no longer that of then, as far as it was found. */
  decisive_ids: z.array(z.string()),
  /** What touched its ends since it began and can change the decision, newest first; at most 200. */
  events: z.array(TimelineEvent),
});
export type ConversationWhy = z.output<typeof ConversationWhy>;

type Deciding = z.output<typeof Decider> & { action: string; workload_id: string };

/** Identifies a decision: the action, and the rule, default policy or missing link that makes it. */
export const toDecisionKey = (by: Deciding | null): string | null =>
  by &&
  [
    by.action,
    by.workload_id,
    by.kind,
    by.detail,
    by.policy_id,
    by.rule_hash,
    by.policy_id === null ? by.position : null,
    by.group,
  ].join(' ');
