import { z } from 'zod';
import type { DefiniteVerdict } from './firewall/verdict';
import { ACTIONS, type Action, toAction, toAuditAction } from './flow-action';

/** States of connection tracking that only a connection reaches that was answered. A reset may be the firewall's own answer. */
export const ANSWERED_STATES = [
  'ESTABLISHED',
  'FIN_WAIT',
  'CLOSE_WAIT',
  'LAST_ACK',
  'TIME_WAIT',
  'REPLIED',
  'ASSURED',
] as const;

/**
 * What was observed of a flow: what the firewall log says, else allowed where replies were seen, else unknown. That packets
 * were seen does not prove that they passed.
 */
export function observedAction({ decision, state }: { decision: string; state: string | null }): Action {
  if (decision === 'accept' || decision === 'drop' || decision === 'reject') return toAction(decision);
  return ANSWERED_STATES.some((answered) => answered === state) ? 'allowed' : 'unknown';
}

/** What decides according to the live rules, with what is known about the rule. */
export const Decider = z.object({
  kind: z.enum(['rule', 'default', 'builtin', 'not_enforced', 'unknown']),
  /** Action of the rule, default policy, name of the hypervisor's own rule, or the reason. */
  detail: z.string().nullable(),
  /** As text. */
  explanation: z.string(),
  /** Position of the rule at the guest; for a group, its name and the position in the group. */
  position: z.int().nullable(),
  group: z.string().nullable(),
  group_position: z.int().nullable(),
  /** The VNet that the rule is stored at, when it is not the guest's own. */
  vnet: z.string().optional(),
  /** The policy that the rule belongs to; its name is null when it is deleted or not visible to the user. */
  policy_id: z.string().nullable(),
  policy_name: z.string().nullable(),
  policy_version: z.int().nullable(),
  rule_hash: z.string().nullable(),
});
export type Decider = z.output<typeof Decider>;

/** The fields of a rule where no single one decides. */
export const NO_RULE = {
  position: null,
  group: null,
  group_position: null,
  policy_id: null,
  policy_name: null,
  policy_version: null,
  rule_hash: null,
};

/** What the rules do now with the packet that opened the conversation, and which rule, default policy or missing link decides. */
export const RulesSay = Decider.extend({
  action: z.enum(ACTIONS),
  /** At whose firewall. */
  workload_id: z.uuid(),
  /** When its rules were read; null: never. */
  read_at: z.string().nullable(),
});
export type RulesSay = z.output<typeof RulesSay>;

/** What a policy in audit mode would do with it. */
export const AuditSay = z.object({
  action: z.enum(['allowed', 'dropped', 'rejected']),
  policy_id: z.uuid(),
  policy_name: z.string(),
  /** By one of its rules, or because it asks for a default that drops. */
  by: z.enum(['rule', 'default']),
  rule_position: z.int().nullable(),
  workload_id: z.uuid(),
});
export type AuditSay = z.output<typeof AuditSay>;

type AuditFacts = Omit<AuditSay, 'action' | 'workload_id'> & { verdict: DefiniteVerdict };

/** What a policy in audit mode would do at a workload, from its outcome there. */
export const toAuditSay = (
  { verdict, policy_id, policy_name, by, rule_position }: AuditFacts,
  workload_id: string,
): AuditSay => ({ action: toAuditAction(verdict), policy_id, policy_name, by, rule_position, workload_id });

/** The same three in every answer about traffic. */
export const flowVerdict = {
  /** What was observed. */
  action: z.enum(ACTIONS),
  /** What the rules say now; null: no visible workload is at an end, or its rules may not be seen. */
  rules_say: RulesSay.nullable(),
  /** What policies in audit mode would do, in the order in which they would decide. */
  audit_say: z.array(AuditSay),
};
export type FlowVerdict = { action: Action; rules_say: RulesSay | null; audit_say: AuditSay[] };

/** The most specific reason first. */
const PREFERENCE: Record<Decider['kind'], number> = { rule: 0, default: 1, builtin: 2, not_enforced: 3, unknown: 4 };

const isDenied = ({ action }: RulesSay) => action === 'dropped' || action === 'rejected';

/**
 * What the rules of two firewalls on the way say together, from the caller to the service: the first that denies decides, else
 * one that is not known leaves it open, else both let it pass and the one with the most specific reason is named.
 */
export function combineRules(first: RulesSay, second: RulesSay): RulesSay {
  if (isDenied(first) || isDenied(second)) return isDenied(first) ? first : second;
  if (first.action === 'unknown' || second.action === 'unknown') return first.action === 'unknown' ? first : second;
  // Of two equal ones that of the service: its rules are about who may call it.
  return PREFERENCE[second.kind] <= PREFERENCE[first.kind] ? second : first;
}
