import { isExpired } from '../policy/responsibility';

/** A policy of which something expires soon, or has expired. */
export type ExpiringPolicy = {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly expires_at: string | null;
  /** Why what expired could not be removed. */
  readonly expiry_problem: string | null;
  /** The rules that expire. */
  readonly rules: readonly {
    readonly id: string;
    readonly position: number;
    readonly owner: string;
    readonly expires_at: string | null;
  }[];
};

/** What expires, or has expired. @property owner of the rule, or else of the policy; empty: none */
export type ExpiryNotice = {
  readonly subject_id: string;
  readonly owner: string;
  readonly kind: 'expiring' | 'expired';
  readonly due_at: string;
  readonly detail: string;
};

/** What is to be reported about the expiry of a policy and its rules until a time. */
export function listExpiryNotices(policy: ExpiringPolicy, now: number, until: number): ExpiryNotice[] {
  const problem = policy.expiry_problem === null ? '' : ` It could not be removed: ${policy.expiry_problem}`;
  const parts = [
    { id: policy.id, owner: policy.owner, expires_at: policy.expires_at, what: 'The policy' },
    ...policy.rules.map((rule) => ({ ...rule, what: `Rule ${rule.position + 1}` })),
  ];
  return parts.flatMap(({ id, owner, expires_at, what }) => {
    if (expires_at === null || Date.parse(expires_at) > until) return [];
    const over = isExpired({ expires_at }, now);
    return {
      ...{ subject_id: id, owner: owner || policy.owner, kind: over ? 'expired' : 'expiring', due_at: expires_at },
      detail: over ? `${what} expired at ${expires_at}.${problem}` : `${what} expires at ${expires_at}.`,
    } as const;
  });
}
