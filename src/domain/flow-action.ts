import type { DefiniteVerdict } from './firewall/verdict';

/** What was, is or would be done with traffic. In every answer about traffic, whatever its source. */
export const ACTIONS = ['allowed', 'dropped', 'rejected', 'unknown'] as const;
export type Action = (typeof ACTIONS)[number];

const OF_VERDICT: Record<DefiniteVerdict | 'unknown', Action> = {
  accept: 'allowed',
  drop: 'dropped',
  reject: 'rejected',
  unknown: 'unknown',
};

/** The action that a verdict of rules, or of a line of the firewall log, is. */
export const toAction = (verdict: DefiniteVerdict | 'unknown'): Action => OF_VERDICT[verdict];

/** The same of a policy in audit mode, which always says something. */
export const toAuditAction = (verdict: DefiniteVerdict): Exclude<Action, 'unknown'> =>
  verdict === 'accept' ? 'allowed' : verdict === 'drop' ? 'dropped' : 'rejected';

/** Whether the observed action differs from the rules. A rejected packet that may not be answered is dropped. */
export function differs(observed: Action, rules: Action | undefined): boolean {
  if (observed === 'unknown' || rules === undefined || rules === 'unknown' || observed === rules) return false;
  return !(observed === 'rejected' && rules === 'dropped');
}
