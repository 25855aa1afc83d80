import type { LiveCluster, LiveGuestOptions, LiveRule, LiveSetEntry } from '@/domain/firewall/live-state';
import type { ProviderErrorCode } from './errors';
import type { GuestRef } from './types';

/** A part of the firewall's configuration that is read on its own and may fail on its own. */
export type FirewallPart = 'options' | 'rules' | 'ipsets' | 'aliases' | 'groups';

/** Why a part could not be read, in words that may be stored and shown. */
export type UnreadablePart = {
  readonly part: FirewallPart;
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
   * Says nothing about whether the guest exists: without a firewall file everything is empty.
   * @throws ProviderError when the cluster as a whole cannot be asked
   */
  readGuestFirewall(guest: GuestRef): Promise<GuestFirewallFact>;
}
