/**
 * What stands on a cluster about one guest's packet filter, as read from its API. Fields of rules, sets and options have
 * the API's own names. `null` always means "could not be read": it is unknown, never empty and never off.
 */
export type LiveRule = {
  readonly pos: number;
  /** `in`, `out` or `group` on a guest; `forward` and anything else is not enforced there. */
  readonly type: string;
  /** `ACCEPT`, `DROP`, `REJECT`, or the name of the group. */
  readonly action: string;
  /** Absent means disabled. */
  readonly enable?: number;
  readonly iface?: string;
  readonly macro?: string;
  readonly source?: string;
  readonly dest?: string;
  readonly proto?: string;
  readonly sport?: string;
  readonly dport?: string;
  readonly 'icmp-type'?: string;
  readonly log?: string;
  readonly comment?: string;
  /** Present when the stored rule is not valid (its alias was deleted); such a rule is not enforced. */
  readonly errors?: Readonly<Record<string, string>>;
};

/** Entry of a set: address, network, or the name of an alias. */
export type LiveSetEntry = {
  readonly cidr: string;
  readonly nomatch?: number;
  readonly errors?: Readonly<Record<string, string>>;
};

/** Options of a guest as they are stored; what is absent has its effective default. */
export type LiveGuestOptions = {
  readonly enable?: number;
  readonly policy_in?: string;
  readonly policy_out?: string;
  readonly dhcp?: number;
  readonly ndp?: number;
  readonly radv?: number;
  readonly macfilter?: number;
  readonly ipfilter?: number;
  readonly ips?: number;
};

/** Named objects of one scope. Names of sets are lower case; names of aliases are looked up without regard to case. */
export type LiveObjects = {
  readonly ipsets: Readonly<Record<string, readonly LiveSetEntry[]>> | null;
  /** Name to address, network. */
  readonly aliases: Readonly<Record<string, string>> | null;
};

/** What all guests of a cluster share. */
export type LiveCluster = LiveObjects & {
  /** The cluster's firewall switch. */
  readonly firewall_enabled: boolean | null;
  readonly groups: Readonly<Record<string, readonly LiveRule[]>> | null;
};

/** One guest. */
export type LiveGuest = LiveObjects & {
  readonly options: LiveGuestOptions | null;
  readonly rules: readonly LiveRule[] | null;
};

/** One interface of a guest with its live (not pending) configuration. */
export type LiveNic = {
  /** `net0` … `net31` */
  readonly name: string;
  readonly firewall: boolean | null;
  readonly mac: string | null;
  /** Static addresses of a container, which its address filter implies. */
  readonly static_addresses?: readonly string[];
};

/** How the node filters. The old implementation is the default; the new one cannot reject on the way in. */
export type FilterImplementation = 'iptables' | 'nftables';

export type LiveState = {
  readonly cluster: LiveCluster;
  readonly guest: LiveGuest;
  /** Absent: `iptables`. */
  readonly implementation?: FilterImplementation;
};
