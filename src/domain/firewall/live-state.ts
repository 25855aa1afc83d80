import type { CompileFailure } from './compile-failure';

/**
 * The configuration of one guest's packet filter on a cluster, as read from its API. Fields of rules, sets and
 * options have the API's own names. `null` always means "could not be read": it is unknown, never empty and never
 * off.
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

/** Options of a node as they are stored; what is absent has its effective default. Only those that change verdicts are named. */
export type LiveNodeOptions = {
  /** Filters traffic of the node itself; guests are filtered whatever it says. Default 1. */
  readonly enable?: number;
  /** 1: the nftables implementation filters this node, also its guests. Default 0. */
  readonly nftables?: number;
  /** Drops packets with a source that no single host may have. Default 1. */
  readonly nosmurfs?: number;
  /** Lets packets of state invalid through to the rules. Default 0. */
  readonly nf_conntrack_allow_invalid?: number;
  readonly tcpflags?: number;
  readonly ndp?: number;
  readonly [option: string]: string | number | undefined;
};

/** How a node filters. What each does with a packet differs in more than the way out of a rule. */
export type FilterImplementation = 'iptables' | 'nftables';

/** One node: its configuration, as far as it affects packets. `null`: could not be read. */
export type LiveNode = {
  readonly options: LiveNodeOptions | null;
  /** Known from elsewhere, where the options could not be read. Options that were read say it themselves. */
  readonly implementation?: FilterImplementation;
  /** The node's own addresses with their prefix length (`192.0.2.7/24`), of active interfaces, both families. */
  readonly networks: readonly string[] | null;
  readonly rules: readonly LiveRule[] | null;
  /** Present while something stored keeps the node's firewall from compiling: the previous rules stay enforced. */
  readonly compile_failure?: { readonly since: string; readonly failures: readonly CompileFailure[] };
  /** Present where it is not known how the node filters, and one of the implementations could not be compiled. */
  readonly compile_unknown?: true;
};

/** One VNet of the SDN that is running. Only the nftables implementation enforces what is stored for it. */
export type LiveVnet = {
  readonly options: Readonly<Record<string, string | number>> | null;
  readonly rules: readonly LiveRule[] | null;
  /** Addresses with prefix length that nodes have in the VNet, as gateways. Absent: not known. */
  readonly gateways?: readonly string[];
};

/** What all guests of a cluster share. */
export type LiveCluster = LiveObjects & {
  /** The cluster's firewall switch. */
  readonly firewall_enabled: boolean | null;
  readonly groups: Readonly<Record<string, readonly LiveRule[]>> | null;
  /** Options of the data center as stored; they hold for the nodes themselves. Absent in readings of older versions. */
  readonly options?: Readonly<Record<string, string | number>> | null;
  /** Rules of the data center: they filter the nodes, never a guest. */
  readonly rules?: readonly LiveRule[] | null;
  /** By name of the node. Absent or null: nothing is known about any. */
  readonly nodes?: Readonly<Record<string, LiveNode>> | null;
  /** By name of the VNet. */
  readonly vnets?: Readonly<Record<string, LiveVnet>> | null;
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
  /** The bridge or VNet that it is connected to. Absent in readings of older versions. */
  readonly bridge?: string;
  /** Static addresses of a container, which its address filter implies. */
  readonly static_addresses?: readonly string[];
  /** The model of the device, where proxmox-firewall cannot read it. */
  readonly unreadable_model?: string;
};

export type LiveState = {
  readonly cluster: LiveCluster;
  readonly guest: LiveGuest;
  /** The node that the guest is on; null: nothing is known about it, not even how it filters. */
  readonly node: LiveNode | null;
};

/** A node as it was read with its cluster; null: nothing is known about it. */
export const findLiveNode = ({ nodes }: Pick<LiveCluster, 'nodes'>, name: string | null): LiveNode | null =>
  nodes && name !== null && Object.hasOwn(nodes, name) ? (nodes[name] ?? null) : null;

/**
 * A node as it was read with its cluster, completed with what is known about it from elsewhere.
 * @param nftables whether it filters with nftables, according to the inventory; used where its options were not read
 */
export function completeLiveNode(
  cluster: Pick<LiveCluster, 'nodes'>,
  name: string | null,
  nftables: boolean | null,
): LiveNode | null {
  const read = findLiveNode(cluster, name);
  if (read?.options || nftables === null) return read;
  return { options: null, networks: null, rules: null, ...read, implementation: nftables ? 'nftables' : 'iptables' };
}
