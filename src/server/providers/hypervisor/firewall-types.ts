import type { LiveCluster, LiveGuestOptions, LiveRule, LiveSetEntry } from '@/domain/firewall/live-state';
import type { ProviderErrorCode } from './errors';
import type { GuestRef } from './types';

/** A part of the firewall's configuration that is read on its own and may fail on its own. */
export type FirewallPart =
  | 'options'
  | 'rules'
  | 'ipsets'
  | 'aliases'
  | 'groups'
  | 'node_options'
  | 'node_rules'
  | 'node_networks'
  | 'nodes'
  | 'vnets'
  | 'vnet_options'
  | 'vnet_rules';

/** Why a part could not be read, as text that may be stored and shown. */
export type UnreadablePart = {
  readonly part: FirewallPart;
  /** The node to which the part belongs. */
  readonly node?: string;
  /** The VNet to which the part belongs. */
  readonly vnet?: string;
  readonly code: ProviderErrorCode;
  readonly message: string;
  readonly remedy: string;
};

/** What the cluster stores for all guests; a part that is null is named in `unreadable`. */
export type ClusterFirewallFact = LiveCluster & { readonly unreadable: readonly UnreadablePart[] };

export type LiveRuleList = { readonly items: readonly LiveRule[]; readonly digest: string };
export type LiveOptions = { readonly value: LiveGuestOptions; readonly digest: string };
export type LiveSet = { readonly entries: readonly LiveSetEntry[]; readonly digest: string };

/** What is stored for one guest; a part that is null is named in `unreadable`. Digests guard writes. */
export type GuestFirewallFact = {
  readonly rules: LiveRuleList | null;
  readonly options: LiveOptions | null;
  readonly ipsets: Readonly<Record<string, LiveSet>> | null;
  readonly aliases: Readonly<Record<string, string>> | null;
  readonly unreadable: readonly UnreadablePart[];
};

/** Read what the packet filter is configured to do. */
export interface FirewallReader {
  /** @throws ProviderError when the cluster as a whole cannot be asked */
  readClusterFirewall(): Promise<ClusterFirewallFact>;
  /**
   * Does not show whether the guest exists: without a firewall file everything is empty.
   * @throws ProviderError when the cluster as a whole cannot be asked
   */
  readGuestFirewall(guest: GuestRef): Promise<GuestFirewallFact>;
}

/** A rule to be written; the fields have the API's names. Nothing else is ever set by us. */
export type RuleFields = {
  readonly type: 'in' | 'out';
  readonly action: 'ACCEPT' | 'DROP' | 'REJECT';
  readonly proto?: string;
  readonly source?: string;
  readonly dest?: string;
  readonly sport?: string;
  readonly dport?: string;
  readonly 'icmp-type'?: string;
  readonly log?: string;
  readonly comment: string;
  readonly enable: 0 | 1;
};

/** A rule as it was read: its position, and the digest of the list in which it had that position. */
export type RuleHandle = { readonly pos: number; readonly digest: string };

/** Null deletes the stored option, so that the hypervisor's own default holds. */
export type GuestOptionChanges = {
  readonly enable?: 0 | 1 | null;
  readonly policy_in?: 'ACCEPT' | 'DROP' | 'REJECT' | null;
  readonly policy_out?: 'ACCEPT' | 'DROP' | 'REJECT' | null;
};

/** What became of the wish to filter an interface. */
export type NicFlagOutcome =
  | { readonly outcome: 'set' | 'unchanged' }
  /** Nothing was changed, and an immediate retry would not help. */
  | {
      readonly outcome: 'refused';
      readonly reason: 'no_such_nic' | 'nic_not_editable' | 'nic_change_pending';
      readonly message: string;
      readonly remedy: string;
    };

/**
 * Change what the packet filter of a guest is configured to do, one call per change. No call is ever repeated. An error
 * with `detail.outcomeUnknown` may have done its work all the same, now or within the next half minute: read before going on.
 * The guest is not checked to exist: a write for a number without a guest leaves a file behind that a later guest inherits.
 * Every method throws ProviderError; a stale digest is `conflict`.
 */
export interface FirewallWriter {
  /** Only the rules, for callers that read again after each change. */
  readRules(guest: GuestRef): Promise<LiveRuleList>;
  readOptions(guest: GuestRef): Promise<LiveOptions>;
  /** The named sets of the guest; null for one that does not exist. */
  readSet(guest: GuestRef, name: string): Promise<LiveSet | null>;
  /** The rule ends up at position 0, whatever else happened to the list. */
  createRule(guest: GuestRef, rule: RuleFields): Promise<void>;
  setRuleEnabled(guest: GuestRef, rule: RuleHandle, enabled: boolean): Promise<void>;
  /** What the rule matches is no longer logged; nothing else of it changes. */
  removeRuleLog(guest: GuestRef, rule: RuleHandle): Promise<void>;
  /** Afterwards the rule is at position `to` of the list. */
  moveRule(guest: GuestRef, rule: RuleHandle, to: number): Promise<void>;
  deleteRule(guest: GuestRef, rule: RuleHandle): Promise<void>;
  createSet(guest: GuestRef, name: string, comment: string): Promise<void>;
  addSetEntry(guest: GuestRef, name: string, cidr: string): Promise<void>;
  /** An entry that is not there is no error. */
  removeSetEntry(guest: GuestRef, name: string, cidr: string, digest: string): Promise<void>;
  /** With its entries. Rules that refer to it are not looked at. */
  deleteSet(guest: GuestRef, name: string): Promise<void>;
  /** All changes in one write. */
  setOptions(guest: GuestRef, changes: GuestOptionChanges, digest: string): Promise<void>;
  /**
   * Reads the configuration and sets the flag of one interface, everything else in it byte for byte as it was. A guest
   * that moved is found once. With a fingerprint, one that was created later under the number is left as it is: `conflict`.
   */
  setNicFirewall(guest: GuestRef, nic: string, enabled: boolean, fingerprint?: string | null): Promise<NicFlagOutcome>;
}
