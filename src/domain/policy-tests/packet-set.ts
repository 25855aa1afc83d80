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

function listPossible(family: 4 | 6): Readonly<Record<RuleProtocol, readonly number[]>> {
  const keep = (protocol: RuleProtocol) => NUMBERS[protocol].filter((number) => !IMPOSSIBLE[family].includes(number));
  return {
    any: keep('any'),
    tcp: keep('tcp'),
    udp: keep('udp'),
    'tcp/udp': keep('tcp/udp'),
    sctp: keep('sctp'),
    icmp: keep('icmp'),
    icmpv6: keep('icmpv6'),
  };
}
const openingIcmp = (family: 4 | 6): readonly IcmpRange[] =>
  OPENING_TYPES[family].map((type) => ({ first: type * 256, last: type * 256 }));

/** The same lists each time, as what filters find out about a list is kept with it. */
const POSSIBLE = { 4: listPossible(4), 6: listPossible(6) };
const OPENING_ICMP = { 4: openingIcmp(4), 6: openingIcmp(6) };
const NO_ICMP: readonly IcmpRange[] = [];

/** The first packets of new connections between two sets of addresses: from every client port, to the ports of the test. */
export function serviceBox(
  family: 4 | 6,
  { protocol, ports }: Service,
  sources: readonly AddressSpan[],
  destinations: readonly AddressSpan[],
): Box {
  const given = joinSpans(ports.flatMap((text) => parsePortRange(text) ?? []));
  return {
    family,
    protocols: POSSIBLE[family][protocol],
    icmp: NUMBERS[protocol].includes(getIcmpProtocol(family)) ? OPENING_ICMP[family] : NO_ICMP,
    destination_ports: given.length > 0 ? given : ALL_PORTS,
    source_ports: CLIENT_PORTS,
    sources: { spans: sources },
    destinations: { spans: destinations },
  };
}
