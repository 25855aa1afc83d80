import { addressBits } from '../../net/ip-address';
import type { PortRange } from '../../net/port-range';
import type { AddressSpan } from '../address-set';
import { hasPorts, ICMP, ICMPV6 } from '../data/protocols';
import type { Packet } from '../packet';
import { intersectSpans, joinSpans, type Span, spansHave, subtractSpans } from './spans';

/** Only IPv4 addresses that end in .255, or only others: where a node's networks are not known, the former may be broadcast addresses. */
export type LastOctet = '255' | 'other';
export type Addresses = { readonly spans: readonly AddressSpan[]; readonly last_octet?: LastOctet };

/** ICMP types with their codes, as `type * 256 + code`. */
export type IcmpRange = Span<number>;

/**
 * A set of packets of one family: those that have one of the protocols, addresses, and ports or ICMP types. Ports count for
 * protocols that have them, ICMP types for the ICMP of the family. All lists are sorted, and their items apart from each other.
 */
export type Box = {
  readonly family: 4 | 6;
  readonly protocols: readonly number[];
  readonly icmp: readonly IcmpRange[];
  readonly destination_ports: readonly PortRange[];
  readonly source_ports: readonly PortRange[];
  readonly destinations: Addresses;
  readonly sources: Addresses;
};

export const ALL_PORTS: readonly PortRange[] = [{ first: 0, last: 65535 }];
export const ALL_ICMP: readonly IcmpRange[] = [{ first: 0, last: 65535 }];
export const allAddresses = (family: 4 | 6): readonly AddressSpan[] => [
  { first: 0n, last: (1n << BigInt(addressBits(family))) - 1n },
];
const ALL_PROTOCOLS: readonly number[] = Array.from({ length: 256 }, (_, number) => number);

/** The protocol whose packets have ICMP types in this family. */
export const getIcmpProtocol = (family: 4 | 6): number => (family === 4 ? ICMP : ICMPV6);

/** Packets with ports, ICMP, and all others: nothing but these differ in which fields they have. */
export const KINDS = ['ports', 'icmp', 'other'] as const;
export type Kind = (typeof KINDS)[number];
export const getProtocolKind = (protocol: number, family: 4 | 6): Kind =>
  hasPorts(protocol) ? 'ports' : protocol === getIcmpProtocol(family) ? 'icmp' : 'other';

/** What a set of packets is limited to; what is absent is not limited. */
export type BoxLimits = {
  readonly family: 4 | 6;
  readonly sources?: readonly AddressSpan[];
  readonly destinations?: readonly AddressSpan[];
  readonly protocols?: readonly number[];
  /** Of the destination. With ports, only packets that have ports are in the set. */
  readonly ports?: readonly PortRange[];
  readonly source_ports?: readonly PortRange[];
  /** With ICMP types, only ICMP of the family is in the set. */
  readonly icmp?: readonly { readonly type: number; readonly code?: number }[];
};

/** The packets within some limits. */
export function buildBox(limits: BoxLimits): Box {
  const { family, ports, source_ports, icmp, protocols = ALL_PROTOCOLS } = limits;
  const limited = (protocol: number) => {
    const kind = getProtocolKind(protocol, family);
    return (kind === 'ports' || !(ports ?? source_ports)) && (kind === 'icmp' || !icmp);
  };
  const types = icmp?.map(({ type, code }): IcmpRange => {
    const first = type * 256 + (code ?? 0);
    return { first, last: code === undefined ? first + 255 : first };
  });
  return {
    family,
    protocols: [...new Set(protocols)].filter(limited).sort((a, b) => a - b),
    icmp: types ? joinSpans(types) : ALL_ICMP,
    destination_ports: ports ? joinSpans(ports) : ALL_PORTS,
    source_ports: source_ports ? joinSpans(source_ports) : ALL_PORTS,
    destinations: { spans: limits.destinations ? joinSpans(limits.destinations) : allAddresses(family) },
    sources: { spans: limits.sources ? joinSpans(limits.sources) : allAddresses(family) },
  };
}

/** An address of a span with this last octet; null when there is none. */
export function addressIn({ first, last }: AddressSpan, octet: LastOctet | undefined): bigint | null {
  const in255 = (first | 0xffn) === first;
  const found = octet === '255' ? first | 0xffn : octet === 'other' && in255 ? first + 1n : first;
  return found <= last ? found : null;
}

function findAnyAddress({ spans, last_octet }: Addresses): bigint | null {
  for (const span of spans) {
    const found = addressIn(span, last_octet);
    if (found !== null) return found;
  }
  return null;
}

/** A port that clients use, if there is one. */
function findAnySourcePort(ranges: readonly PortRange[]): number | undefined {
  return spansHave(ranges, 49152) ? 49152 : ranges.at(-1)?.last;
}

/** One packet of the set, as the first of a connection; null when the set is empty. */
export function findWitness(box: Box, direction: 'in' | 'out'): Packet | null {
  const { family } = box;
  const [source, destination] = [findAnyAddress(box.sources), findAnyAddress(box.destinations)];
  if (source === null || destination === null) return null;
  const addresses = { direction, source: { family, value: source }, destination: { family, value: destination } };
  const source_port = findAnySourcePort(box.source_ports);
  const destination_port = box.destination_ports[0]?.first;
  const icmp = box.icmp[0]?.first;
  for (const protocol of box.protocols) {
    const kind = getProtocolKind(protocol, family);
    if (kind === 'other') return { ...addresses, protocol };
    if (kind === 'icmp') {
      if (icmp !== undefined) return { ...addresses, protocol, icmp_type: icmp >> 8, icmp_code: icmp & 255 };
    } else if (source_port !== undefined && destination_port !== undefined) {
      return { ...addresses, protocol, source_port, destination_port };
    }
  }
  return null;
}

export const isEmptyBox = (box: Box): boolean => findWitness(box, 'in') === null;

const hasAddress = ({ spans, last_octet }: Addresses, value: bigint): boolean =>
  spansHave(spans, value) && (!last_octet || ((value & 0xffn) === 0xffn) === (last_octet === '255'));

/** Whether the packet is in the set. Fields that it lacks are not. */
export function boxHas(box: Box, packet: Packet): boolean {
  if (packet.source.family !== box.family || !box.protocols.includes(packet.protocol)) return false;
  if (!hasAddress(box.sources, packet.source.value)) return false;
  if (!hasAddress(box.destinations, packet.destination.value)) return false;
  const kind = getProtocolKind(packet.protocol, box.family);
  if (kind === 'icmp') return spansHave(box.icmp, (packet.icmp_type ?? -1) * 256 + (packet.icmp_code ?? 0));
  if (kind === 'other') return true;
  return (
    spansHave(box.source_ports, packet.source_port ?? -1) &&
    spansHave(box.destination_ports, packet.destination_port ?? -1)
  );
}

const intersectAddresses = (a: Addresses, b: Addresses): Addresses => {
  const last_octet = a.last_octet ?? b.last_octet;
  const apart = a.last_octet && b.last_octet && a.last_octet !== b.last_octet;
  return { spans: apart ? [] : intersectSpans(a.spans, b.spans), ...(last_octet && { last_octet }) };
};

/** What both sets have. */
export function intersectBoxes(a: Box, b: Box): Box {
  return {
    family: a.family,
    protocols: a.family === b.family ? a.protocols.filter((protocol) => b.protocols.includes(protocol)) : [],
    icmp: intersectSpans(a.icmp, b.icmp),
    destination_ports: intersectSpans(a.destination_ports, b.destination_ports),
    source_ports: intersectSpans(a.source_ports, b.source_ports),
    destinations: intersectAddresses(a.destinations, b.destinations),
    sources: intersectAddresses(a.sources, b.sources),
  };
}

/** Addresses of `a` that are not in `b`, as sets apart from each other. */
function subtractAddresses(a: Addresses, b: Addresses): Addresses[] {
  const outside: Addresses = { ...a, spans: subtractSpans(a.spans, b.spans) };
  if (!b.last_octet || a.last_octet === b.last_octet) return [outside];
  if (a.last_octet) return [a];
  const inside = {
    spans: intersectSpans(a.spans, b.spans),
    last_octet: b.last_octet === '255' ? 'other' : '255',
  } as const;
  return [outside, inside];
}

function subtractKind(a: Box, b: Box, kind: Kind): Box[] {
  const pieces: Box[] = [];
  let rest = a;
  const cut = <K extends keyof Box>(dimension: K, outside: readonly Box[K][], inside: Box[K]) => {
    for (const values of outside) pieces.push({ ...rest, [dimension]: values });
    rest = { ...rest, [dimension]: inside };
  };
  const both = intersectBoxes(a, b);
  const dimensions =
    kind === 'ports' ? (['destination_ports', 'source_ports'] as const) : kind === 'icmp' ? (['icmp'] as const) : [];
  for (const dimension of dimensions) cut(dimension, [subtractSpans(a[dimension], b[dimension])], both[dimension]);
  cut('destinations', subtractAddresses(a.destinations, b.destinations), both.destinations);
  cut('sources', subtractAddresses(a.sources, b.sources), both.sources);
  return pieces;
}

/** What is in `a` and not in `b`, as sets apart from each other, none of them empty. */
export function subtractBoxes(a: Box, b: Box): Box[] {
  const common = a.family === b.family ? a.protocols.filter((protocol) => b.protocols.includes(protocol)) : [];
  const pieces: Box[] = [{ ...a, protocols: a.protocols.filter((protocol) => !common.includes(protocol)) }];
  for (const kind of KINDS) {
    const protocols = common.filter((protocol) => getProtocolKind(protocol, a.family) === kind);
    if (protocols.length > 0) pieces.push(...subtractKind({ ...a, protocols }, b, kind));
  }
  return pieces.filter((piece) => !isEmptyBox(piece));
}
