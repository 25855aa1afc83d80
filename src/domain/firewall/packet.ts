import type { IpAddress } from '../net/ip-address';

export const CONNECTION_STATES = ['new', 'established', 'related', 'invalid'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** One packet at one interface of a guest. `in` is towards the guest. */
export type Packet = {
  readonly direction: 'in' | 'out';
  readonly source: IpAddress;
  /** Same family as `source`. */
  readonly destination: IpAddress;
  /** Protocol number. */
  readonly protocol: number;
  /** Absent where the protocol has ports means not known: rules that look at it are then undecided. */
  readonly source_port?: number;
  readonly destination_port?: number;
  /** Absent on an ICMP packet means not known, as for ports. */
  readonly icmp_type?: number;
  readonly icmp_code?: number;
  /** What connection tracking says; absent: `new`. */
  readonly state?: ConnectionState;
  /** Whether a TCP packet has SYN and none of ACK, RST, FIN; absent: yes, as the first packet of a connection has. */
  readonly tcp_syn?: boolean;
  /** Sender's hardware address; absent: the interface's own. */
  readonly source_mac?: string;
  /** Whether the destination is a broadcast address of its network; absent: only 255.255.255.255 is. */
  readonly broadcast?: boolean;
};

const MULTICAST_4 = 0xe0000000n;
const MULTICAST_4_END = 0xf0000000n;
const MULTICAST_6 = 0xffn << 120n;

/** Whether the address is that of a group. */
export const isMulticast = ({ family, value }: IpAddress): boolean =>
  family === 4 ? value >= MULTICAST_4 && value < MULTICAST_4_END : value >= MULTICAST_6;
