import { z } from 'zod';
import type { PolicySnapshot, SecurityRule } from '../policies';
import { isExpired } from './responsibility';

/** How long before an expiry it is announced. */
export const EXPIRY_NOTICE_DAYS = 7;

/** What has expired of a policy. @property rule null: the policy as a whole */
export type ExpiredPart = { readonly rule: SecurityRule | null; readonly expires_at: string };

/** What has expired of a policy at a time: the policy as a whole, or else some of its rules. */
export function listExpired(policy: PolicySnapshot, now: number): ExpiredPart[] {
  if (policy.expires_at !== null && isExpired(policy, now)) return [{ rule: null, expires_at: policy.expires_at }];
  return policy.rules.flatMap((rule) =>
    rule.expires_at !== null && isExpired(rule, now) ? [{ rule, expires_at: rule.expires_at }] : [],
  );
}

/**
 * The fields of a policy whose time has passed although no former content has that time: it was entered, not reached. A rule may have
 * another id or place than before.
 */
export function listEnteredPast(policy: PolicySnapshot, former: readonly PolicySnapshot[], now: number): string[] {
  const known = new Set(former.flatMap(({ rules, ...whole }) => [whole, ...rules].map(({ expires_at }) => expires_at)));
  const isEntered = (part: PolicySnapshot | SecurityRule) => isExpired(part, now) && !known.has(part.expires_at);
  const rules = policy.rules.flatMap((rule, at) => (isEntered(rule) ? [`rules.${at}.expires_at`] : []));
  return isEntered(policy) ? ['expires_at', ...rules] : rules;
}

/** The policy without the rules that have expired; the others keep their ids and order. */
export const withoutExpiredRules = (policy: PolicySnapshot, now: number): PolicySnapshot => ({
  ...policy,
  rules: policy.rules.filter((rule) => !isExpired(rule, now)).map((rule, position) => ({ ...rule, position })),
});

/** Whether more packets may pass once it is removed: it drops or rejects some. */
export function widensAccess(policy: PolicySnapshot, { rule }: Pick<ExpiredPart, 'rule'>): boolean {
  const denies = (one: SecurityRule) => one.enabled && one.action !== 'accept';
  return rule ? denies(rule) : policy.definition.default_action === 'drop' || policy.rules.some(denies);
}

const Person = z.object({ id: z.uuid().nullable(), name: z.string() });

/** What a change removes because it expired: the expiry was approved with the policy, so the change is not approved again. */
export const ApprovedExpiry = z.object({
  policy_id: z.uuid(),
  policy_name: z.string(),
  /** Null: the whole policy. */
  rule_id: z.uuid().nullable(),
  rule_position: z.int().nullable(),
  expires_at: z.string(),
  /** Whether more packets may pass once it is removed. */
  widens_access: z.boolean(),
  /** The version with which the expiry was stored, and by whom. */
  version: z.int(),
  set_by: Person,
  set_at: z.string(),
  /** The change that stored it; null: it was stored directly, where no approval was required. */
  change_id: z.uuid().nullable(),
  approved_by: z.array(Person.extend({ at: z.string() })),
});
export type ApprovedExpiry = z.output<typeof ApprovedExpiry>;

/** What a change says about what it removes, one line for each part. */
export function describeExpiry(parts: readonly ApprovedExpiry[]): string {
  return parts
    .map(({ rule_position, expires_at, version, set_by, approved_by, widens_access }) => {
      const what = rule_position === null ? 'The policy' : `Rule ${rule_position + 1}`;
      const approval =
        approved_by.length === 0
          ? `set by ${set_by.name} in version ${version}`
          : `approved by ${approved_by.map(({ name }) => name).join(', ')} with version ${version}`;
      const wider = widens_access ? ' It denies packets: without it more may pass.' : '';
      return `${what} expired at ${expires_at}; this was ${approval}.${wider}`;
    })
    .join('\n')
    .slice(0, 2000);
}
