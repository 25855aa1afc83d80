import type { DecidedBy, DefiniteVerdict, RulePlace } from '../firewall/verdict';

/**
 * What decides the outcome of a flow at a guest. `accept`, `drop` and `reject`: a line of the firewall log, or a live
 * rule. `audit_*`: only a policy in audit mode would decide. `default_*`: the guest's default or a rule of the
 * hypervisor's own; a default that rejects counts as `default_drop`. `observed`: nothing applies, or what applies is
 * not known.
 */
export const CONTEXT_DECISIONS = [
  'accept',
  'drop',
  'reject',
  'default_accept',
  'default_drop',
  'audit_accept',
  'audit_drop',
  'audit_reject',
  'observed',
] as const;
export type ContextDecision = (typeof CONTEXT_DECISIONS)[number];

/** What is unknown about the flow itself: its interface, its protocol, which packet opened it, or an address. */
export const CONTEXT_REASONS = ['unknown_interface', 'unknown_protocol', 'unknown_opening', 'unknown_address'] as const;
export type ContextReason = (typeof CONTEXT_REASONS)[number];

/** The enforced decider. With `unknown_interface`, `places` has the rules that decide at possible interfaces. */
export type FlowDecider =
  | DecidedBy
  | { readonly kind: 'unknown'; readonly reason: ContextReason; readonly places: readonly RulePlace[] };

/** What a policy in audit mode would do with the opening packet. */
export type AuditOutcome = {
  readonly policy_id: string;
  readonly verdict: DefiniteVerdict;
  /** By one of its rules, or because it asks for a default that drops. */
  readonly by: 'rule' | 'default';
  /** The rule: its position in the policy and the hash that its marker would carry; null by default. */
  readonly rule_position: number | null;
  readonly rule_hash: string | null;
};

/** What becomes of a flow's opening packet at one guest. */
export type FlowContext = {
  readonly decision: ContextDecision;
  /** What the enforced rules do with it now, whatever was logged. */
  readonly verdict: DefiniteVerdict | 'unknown';
  readonly decided_by: FlowDecider;
  /** Of which direction the opening packet is at the guest; null: not known. */
  readonly direction: 'in' | 'out' | null;
  /** In the order in which they would decide. */
  readonly audit: readonly AuditOutcome[];
  /** The log line at this guest says something else than the rules that were read: they changed, or were bypassed. */
  readonly conflict: boolean;
};

/** What is looked at of a flow. A `Flow` is one. */
export type FlowFacts = {
  readonly source_ip: string;
  readonly destination_ip: string;
  readonly protocol: string;
  /** Null: none, or not known. */
  readonly source_port: number | null;
  readonly destination_port: number | null;
  /** As stored: a log line's verdict, or `observed`. */
  readonly decision: string;
  readonly initiator?: 'source' | 'destination' | null;
  readonly icmp_type?: number | null;
  readonly icmp_code?: number | null;
  /** The guest whose interface saw the flow and the number of that interface. */
  readonly workload_id?: string | null;
  readonly nic?: number | null;
};
