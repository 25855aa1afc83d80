import type { InsightDecider } from '@/domain/insights';
import { PolicyLink } from '../shared/security-links';

/** Who decides about a flow, short enough for a cell: the policy, the rule, or why nobody does. */
export function DecidedBy({ by }: { by: InsightDecider }) {
  if (by.policy_id && by.policy_name) {
    return (
      <span title={by.explanation}>
        <PolicyLink id={by.policy_id} name={by.policy_name} />{' '}
        <span className="text-muted">
          rule {by.position}, v{by.policy_version}
        </span>
      </span>
    );
  }
  return (
    <span title={by.explanation} className={by.kind === 'unknown' ? 'text-muted' : undefined}>
      {deciderText(by)}
    </span>
  );
}

/** The same as text: `Rule 3 of group web`, `Default DROP`, `Not filtered`. */
export function deciderText(by: InsightDecider): string {
  switch (by.kind) {
    case 'rule': {
      if (by.policy_id) return `Rule ${by.position} of ${by.policy_name ?? 'a policy that is gone'}`;
      return by.group === null ? `Rule ${by.position}` : `Rule ${by.group_position} of group ${by.group}`;
    }
    case 'default':
      return `Default ${by.detail ?? ''}`.trim();
    case 'builtin':
      return 'Rule of the hypervisor';
    case 'not_enforced':
      return 'Not filtered';
    case 'unknown':
      return 'Not known';
  }
}
