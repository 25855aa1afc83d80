import type { PolicyDefinition, SecurityRuleInput } from './policy';
import type { UnresolvedReason } from './resolve';
import type { Responsibility } from './responsibility';
import type { PolicyTier } from './tier';

/** A rule as compiling needs it. */
export type CompilableRule = Omit<SecurityRuleInput, keyof Responsibility>;

/** A policy as compiling needs it. */
export type CompilablePolicy = {
  readonly id: string;
  readonly version: number;
  /** The first version in a row whose compiled rules are those of the present one; null: this one alone. */
  readonly rules_version?: number | null;
  /** Null: every workload may be meant. */
  readonly tenant_id: string | null;
  readonly tier: PolicyTier;
  /** Set: it belongs to this project of the tenant, and means nothing outside. */
  readonly project_id?: string | null;
  readonly priority: number;
  readonly created_at: string;
  readonly definition: PolicyDefinition;
  readonly rules: readonly (CompilableRule & { readonly position: number })[];
};

/** Fields of a live rule that we set, in the hypervisor's own names. */
export type RuleContent = {
  readonly type: 'in' | 'out';
  readonly action: 'ACCEPT' | 'DROP' | 'REJECT';
  readonly proto?: string;
  readonly source?: string;
  readonly dest?: string;
  readonly sport?: string;
  readonly dport?: string;
  readonly 'icmp-type'?: string;
  readonly log?: string;
};

/** One rule that shall be live at a guest. */
export type DesiredRule = {
  readonly policy_id: string;
  readonly policy_version: number;
  /** The first version whose live rules count as those of this one, when that is an earlier one. */
  readonly since_version?: number;
  readonly rule_position: number;
  readonly rule_hash: string;
  readonly content: RuleContent;
  /** Marker, and behind it the rule's own comment. */
  readonly comment: string;
  /** Level at which the rule is created; one that is live already without it stays so. It is no part of the rule's hash. */
  readonly temporary_log?: string;
};

/** A set of the guest's own that rules refer to; its name says its content. */
export type DesiredSet = { readonly name: string; readonly cidrs: readonly string[] };

/** Everything that policies require of one guest. Rules are in evaluation order. */
export type DesiredGuest = {
  readonly cluster_id: string;
  readonly workload_id: string;
  readonly vmid: number;
  readonly rules: readonly DesiredRule[];
  readonly sets: readonly DesiredSet[];
  /** Directions whose default must drop, and the policies that ask for it. */
  readonly drop_in: readonly string[];
  readonly drop_out: readonly string[];
};

/** An endpoint that resolves to nothing; it yields no rule. */
export type UnresolvedEndpoint = {
  readonly policy_id: string;
  readonly side: 'source' | 'target';
  readonly endpoint: string;
  readonly reason: UnresolvedReason;
};

export const COMPILE_WARNINGS = ['workload_without_address', 'no_address_of_family', 'icmp_type_unreadable'] as const;
export type CompileWarning = {
  readonly policy_id: string;
  readonly code: (typeof COMPILE_WARNINGS)[number];
  /** Workload name, the protocol that has no address to work with, or the ICMP type. */
  readonly detail: string;
};

export type Compiled = {
  /** By cluster, then vmid. */
  readonly guests: readonly DesiredGuest[];
  readonly unresolved: readonly UnresolvedEndpoint[];
  readonly warnings: readonly CompileWarning[];
};
