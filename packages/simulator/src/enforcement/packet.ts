/** A packet as it reaches the tap or veth device of one NIC of a guest. */
export type Packet = {
  vmid: number;
  /** `netN` */
  nic: string;
  /** Seen from the guest. */
  direction: 'in' | 'out';
  /** Name or number as in rules: `tcp`, `udp`, `icmp`, `icmpv6`, `47`, … */
  proto: string;
  source: string;
  dest: string;
  sport?: number;
  dport?: number;
  /** Name of the ICMP type. */
  icmpType?: string;
  /** Whether a TCP packet has SYN and none of ACK, RST, FIN; default: yes, as the first one of a connection. */
  tcpSyn?: boolean;
  /** Connection tracking finds it invalid, or does not; default: what follows from its ICMP type. */
  invalid?: boolean;
  /** Source address of the frame; default: the one configured for the NIC. */
  sourceMac?: string;
};

/** A packet to (`in`) or from (`out`) a node itself, over one of its networks. */
export type NodePacket = Omit<Packet, 'vmid' | 'nic' | 'sourceMac'> & { node: string };
/** A packet that a node forwards: bridged within a VNet, or (without one) routed. */
export type ForwardedPacket = Omit<NodePacket, 'direction'> & { vnet?: string };

export type Verdict = {
  verdict: 'accept' | 'drop' | 'reject';
  /**
   * What decided: `not-enforced` no chain filters it · `established` an accepted connection · `rule` · `policy` ·
   * `dhcp`, `ndp`, `radv`, `macfilter`, `ipfilter` built-in rules of the guest's options · `blacklist`, `smurf`,
   * `invalid`, `tcpflags`, `icmp` rules evaluated before every guest's · `standard` the chains evaluated before a
   * default policy that drops or rejects · `igmp`, `management`, `corosync`, `helper`, `synflood` what a node allows
   * or blocks for itself.
   */
  by:
    | 'not-enforced'
    | 'established'
    | 'rule'
    | 'policy'
    | 'dhcp'
    | 'ndp'
    | 'radv'
    | 'macfilter'
    | 'ipfilter'
    | 'blacklist'
    | 'smurf'
    | 'invalid'
    | 'tcpflags'
    | 'icmp'
    | 'standard'
    | 'igmp'
    | 'management'
    | 'corosync'
    | 'helper'
    | 'synflood';
  /** Position in the guest's list, for `rule`. */
  position?: number;
  /** Security group that contains the rule. */
  group?: string;
  /** Whose list the rule or the policy is in, where it is not a guest's. */
  scope?: 'datacenter' | 'node' | 'vnet';
};

const side = (address: string, port: number | undefined) => `${address.toLowerCase()}|${port ?? ''}`;

/** Of ICMP only echo opens something like a connection; neighbor discovery is never tracked. */
export const isTracked = (packet: Packet): boolean =>
  !/^(icmp|icmpv6|ipv6-icmp|1|58)$/.test(packet.proto) || (packet.icmpType ?? '').startsWith('echo-');

/** The same for both directions of a connection, as connection tracking sees it. */
export function flowKey(packet: Packet): string {
  const ends = [side(packet.source, packet.sport), side(packet.dest, packet.dport)].sort();
  return `${packet.proto} ${ends.join(' ')}`;
}
