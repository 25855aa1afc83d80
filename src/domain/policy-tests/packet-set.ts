import type { AddressSpan } from '../firewall/address-set';
import { ICMP, ICMPV6, SCTP, TCP, UDP } from '../firewall/data/protocols';
import { ALL_PORTS, type Box, getIcmpProtocol, type IcmpRange } from '../firewall/space/box';
import { joinSpans, subtractSpans } from '../firewall/space/spans';
import { type PortRange, parsePortRange } from '../net/port-range';
import type { RuleProtocol } from '../policy/policy';

/** All ports that a client can have. */
const CLIENT_PORTS: readonly PortRange[] = [{ first: 1, last: 65535 }];
/** ICMP that opens a connection, with code 0; everything else answers something or belongs to the link. */
const OPENING_TYPES = { 4: [8, 13, 15, 17], 6: [128, 139] } as const;
/** Headers in front of the real protocol in IPv6, and ICMP of the other family: no packet of a connection has them. */
const IMPOSSIBLE: Readonly<Record<4 | 6, readonly number[]>> = { 4: [0, ICMPV6], 6: [0, 43, 44, 51, 60, ICMP] };

const NUMBERS: Readonly<Record<RuleProtocol, readonly number[]>> = {
  any: Array.from({ length: 256 }, (_, number) => number),
  tcp: [TCP],
  udp: [UDP],
  'tcp/udp': [TCP, UDP],
  sctp: [SCTP],
  icmp: [ICMP],
  icmpv6: [ICMPV6],
};

const MULTICAST_4 = { first: 0xe0000000n, last: 0xefffffffn };
/** Addresses that no host has: none at all, those of groups, and the one of all hosts. */
const NO_HOSTS: Readonly<Record<4 | 6, readonly AddressSpan[]>> = {
  4: [{ first: 0n, last: 0n }, MULTICAST_4, { first: 0xffffffffn, last: 0xffffffffn }],
  6: [
    { first: 0n, last: 0n },
    { first: 0xffn << 120n, last: (1n << 128n) - 1n },
  ],
};

/** The addresses of the spans that a host can have. @param spans sorted and apart from each other */
export const hostSpans = (spans: readonly AddressSpan[], family: 4 | 6): readonly AddressSpan[] =>
  subtractSpans(spans, NO_HOSTS[family]);

/** What a test is about, whatever the addresses. */
export type Service = { readonly protocol: RuleProtocol; readonly ports: readonly string[] };

type ServiceFields = Omit<Box, 'sources' | 'destinations'>;
const MAX_SERVICES = 64;
const services = new Map<string, ServiceFields>();

/** The same lists for the same service: what filters find out about them is kept by the list. */
function getServiceFields(family: 4 | 6, protocol: RuleProtocol, ports: readonly string[]): ServiceFields {
  const key = `${family} ${protocol} ${ports.join()}`;
  const known = services.get(key);
  if (known) return known;
  const given = joinSpans(ports.flatMap((text) => parsePortRange(text) ?? []));
  const icmp = OPENING_TYPES[family].map((type): IcmpRange => ({ first: type * 256, last: type * 256 }));
  const fields = {
    family,
    protocols: NUMBERS[protocol].filter((number) => !IMPOSSIBLE[family].includes(number)),
    icmp: NUMBERS[protocol].includes(getIcmpProtocol(family)) ? icmp : [],
    destination_ports: given.length > 0 ? given : ALL_PORTS,
    source_ports: CLIENT_PORTS,
  };
  if (services.size >= MAX_SERVICES) services.clear();
  services.set(key, fields);
  return fields;
}

/** The first packets of new connections between two sets of addresses: from every client port, to the ports of the test. */
export function serviceBox(
  family: 4 | 6,
  { protocol, ports }: Service,
  sources: readonly AddressSpan[],
  destinations: readonly AddressSpan[],
): Box {
  return {
    ...getServiceFields(family, protocol, ports),
    sources: { spans: sources },
    destinations: { spans: destinations },
  };
}
