import type { TenantVisibility } from '../policy/tier';
import type { FirewallRuleView } from './rule-view';

/** A platform rule as a tenant sees it: what it does and where, and of the rest what the platform lets tenants see. */
export function withholdRule<R extends FirewallRuleView>(rule: R, visibility: TenantVisibility): R {
  if (visibility === 'rules') return { ...rule, visibility };
  return {
    ...rule,
    visibility,
    protocol: null,
    source: null,
    destination: null,
    source_port: null,
    destination_port: null,
    icmp_type: null,
    macro: null,
    interface: null,
    log: null,
    comment: '',
    // Shows that the rule is skipped, not why: the reason names what it refers to.
    errors: rule.errors && {},
    policy_id: null,
    policy_version: null,
    rule_hash: null,
  };
}
