// Names and numbers of a Debian protocols file, plus `icmpv6`, which the hypervisor adds.
const TEXT = `ip=0 hopopt=0 icmp=1 igmp=2 ggp=3 ipencap=4 st=5 tcp=6 egp=8 igp=9 pup=12 udp=17 hmp=20 xns-idp=22 rdp=27
  iso-tp4=29 dccp=33 xtp=36 ddp=37 idpr-cmtp=38 ipv6=41 ipv6-route=43 ipv6-frag=44 idrp=45 rsvp=46 gre=47 esp=50 ah=51
  skip=57 ipv6-icmp=58 icmpv6=58 ipv6-nonxt=59 ipv6-opts=60 rspf=73 vmtp=81 eigrp=88 ospf=89 ax.25=93 ipip=94 etherip=97
  encap=98 pim=103 ipcomp=108 vrrp=112 l2tp=115 isis=124 sctp=132 fc=133 mobility-header=135 udplite=136 mpls-in-ip=137
  manet=138 hip=139 shim6=140 wesp=141 rohc=142 ethernet=143 mptcp=262`;

const NUMBERS = new Map(
  TEXT.split(/\s+/).map((item) => {
    const [name = '', number] = item.split('=');
    return [name, Number(number)] as const;
  }),
);

export const ICMP = 1;
export const IGMP = 2;
export const TCP = 6;
export const UDP = 17;
export const ICMPV6 = 58;
export const SCTP = 132;

const WITH_PORTS = new Set([TCP, UDP, 33, SCTP, 136]);

/** Number of a protocol given by name or number; null when it is neither. 0 means every protocol. */
export function protocolNumber(text: string): number | null {
  const known = NUMBERS.get(text);
  if (known !== undefined) return known;
  return /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= 255 ? Number(text) : null;
}

/** Whether packets of the protocol carry ports that rules can match. */
export const hasPorts = (protocol: number): boolean => WITH_PORTS.has(protocol);

const NAMES = new Map([...NUMBERS].map(([name, number]) => [number, name]));

/** Name of a protocol by its number; null if it has none. */
export const protocolName = (number: number): string | null => NAMES.get(number) ?? null;
