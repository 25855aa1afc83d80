import { type PortRange, portInRange } from '../../net/port-range';
import type { AddressSpan } from '../address-set';
import type { Packet } from '../packet';
import { addBit, type Bits, emptyBits, equalBits, firstBit, hasBit } from './bits';
import {
  type Addresses,
  ALL_ICMP,
  ALL_PORTS,
  addressIn,
  type Box,
  getProtocolKind,
  type Kind,
  type LastOctet,
} from './box';
import { DIMENSIONS, type Dimension, ENDS_IN_255, ENDS_OTHERWISE, type Plan } from './dimensions';
import { classOf, type Partition, type Restricted, restrictPartition } from './partition';
import { intersectSpans, type Span, subtractSpans } from './spans';
import type { OctetClasses, Piece } from './walk';

/** Packets of one kind and direction within a box, in the classes of a plan. */
export type Field = {
  readonly start: Piece;
  readonly octets: OctetClasses;
  /** One packet of a piece. */
  readonly packetOf: (piece: Piece) => Packet;
  readonly boxOf: (piece: Piece) => Box;
  /** The addresses in some classes of one end. */
  readonly addressesOf: (end: End, { classes, octet }: EndClasses) => Addresses;
};

export type End = 'sources' | 'destinations';
/** Addresses of one end as their classes, and as how they end. */
export type EndClasses = { readonly classes: Bits; readonly octet: Bits };

const CLIENT_PORT = 49152;
const ALL_BITS = new Uint32Array([3]);
/** Sets with no more networks of 256 addresses than this are written without reference to the last octet. */
const FEW = 16n;

const getBits = (piece: Piece, dimension: Dimension): Bits => piece[DIMENSIONS.indexOf(dimension)] as Bits;
const listNumbers = ({ first, last }: Span<number>): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
/** Numbers in order as runs: those of most sets are one, or nearly all there are. */
function toRuns(numbers: readonly number[]): Span<number>[] {
  const runs: { first: number; last: number }[] = [];
  let run: { first: number; last: number } | undefined;
  for (const number of numbers) {
    if (run && number === run.last + 1) run.last = number;
    else {
      run = { first: number, last: number };
      runs.push(run);
    }
  }
  return runs;
}

/** The first value of each class, or with a last octet the first such one. */
function samples<T extends number | bigint>(
  restricted: Restricted<T>,
  valueIn: (span: Span<T>) => T | null,
): Map<number, T> {
  const found = new Map<number, T>();
  restricted.visit((first, last, id) => {
    if (found.has(id)) return;
    const value = valueIn({ first, last });
    if (value !== null) found.set(id, value);
  });
  return found;
}

const toBigintSpan = ({ first, last }: Span<number> | Span<bigint>): AddressSpan => ({
  first: BigInt(first),
  last: BigInt(last),
});

/** Of all addresses, by partition: whatever their last octet, and by it. */
const wholeClasses = new WeakMap<object, { plain?: AddressClasses; octets?: AddressClasses }>();

function getAddressClasses(partition: AddressPartition, addresses: Addresses, octets: boolean): AddressClasses {
  const { spans, last_octet } = addresses;
  const last = BigInt(partition.lasts.at(-1) ?? 0);
  const whole = !last_octet && spans.length === 1 && spans[0]?.first === 0n && spans[0].last === last;
  if (!whole) return findAddressClasses(partition, addresses, octets);
  const kept = wholeClasses.get(partition) ?? {};
  const kind = octets ? 'octets' : 'plain';
  kept[kind] ??= findAddressClasses(partition, addresses, octets);
  wholeClasses.set(partition, kept);
  return kept[kind];
}

/** The addresses of one end within a box. @param octets whether their last octet matters */
function addressField(partition: AddressPartition, addresses: Addresses, octets: boolean) {
  const classes = getAddressClasses(partition, addresses, octets);
  const toSpans = remember((bits) => classes.spansOf(bits).map(toBigintSpan));
  return {
    ...classes,
    addressesOf: ({ classes: bits, octet }: EndClasses): Addresses => withoutOctet(toSpans(bits), toLastOctet(octet)),
  };
}

/** The parts of one question share their sets of classes. What is kept longer than a question keeps none of it. */
function remember<T>(find: (bits: Bits) => T): (bits: Bits) => T {
  let known: Map<Bits, T> | undefined;
  return (bits) => {
    known ??= new Map();
    const found = known.get(bits) ?? find(bits);
    known.set(bits, found);
    return found;
  };
}

const toLastOctet = (bits: Bits): LastOctet | undefined =>
  equalBits(bits, ENDS_IN_255) ? '255' : equalBits(bits, ENDS_OTHERWISE) ? 'other' : undefined;

type AddressPartition = Partition<number> | Partition<bigint>;
type AddressClasses = ReturnType<typeof findAddressClasses>;

function findAddressClasses(partition: AddressPartition, { spans, last_octet }: Addresses, octets: boolean) {
  const small = () => spans.map(({ first, last }) => ({ first: Number(first), last: Number(last) }));
  const restricted: Restricted<number> | Restricted<bigint> =
    typeof partition.firsts[0] === 'number'
      ? restrictPartition(partition as Partition<number>, small())
      : restrictPartition(partition as Partition<bigint>, spans);
  const sampled = (octet: LastOctet | undefined) =>
    typeof partition.firsts[0] === 'number'
      ? samples(restricted as Restricted<number>, (span) => {
          const value = addressIn(toBigintSpan(span), octet);
          return value === null ? null : Number(value);
        })
      : samples(restricted as Restricted<bigint>, (span) => addressIn(span, octet));
  const known: { [octet in LastOctet | 'any']?: ReadonlyMap<number, number | bigint> } = {};
  /** A value of each class that has one with such an ending. Most fields are asked for none. */
  const sampleValues = (octet: LastOctet | undefined) => {
    const key = octets && octet ? octet : 'any';
    known[key] ??= sampled(octets ? octet : undefined);
    return known[key];
  };
  const findClasses = (octet: LastOctet): Bits => {
    if (!octets) return restricted.present;
    const bits = emptyBits(partition.count);
    for (const id of sampleValues(octet).keys()) addBit(bits, id);
    return bits;
  };
  const octet = last_octet === '255' ? ENDS_IN_255 : last_octet ? ENDS_OTHERWISE : ALL_BITS;
  return {
    octet,
    in_255: findClasses('255'),
    other: findClasses('other'),
    present: last_octet ? findClasses(last_octet) : restricted.present,
    spansOf: (bits: Bits): readonly (Span<number> | Span<bigint>)[] => restricted.spansOf(bits),
    valueOf: (bits: Bits, octets: Bits): bigint =>
      BigInt(sampleValues(toLastOctet(octets)).get(firstBit(bits)) ?? missing()),
  };
}

function missing(): never {
  throw new Error('expected every class of a piece to have a value');
}

/** As plain spans where these are few. */
function withoutOctet(spans: readonly AddressSpan[], last_octet: LastOctet | undefined): Addresses {
  if (!last_octet) return { spans };
  const networks = spans.reduce((sum, { first, last }) => sum + (last >> 8n) - (first >> 8n) + 1n, 0n);
  if (networks > FEW) return { spans, last_octet };
  const ending = spans.flatMap(({ first, last }) => {
    const found: AddressSpan[] = [];
    for (let at = first | 0xffn; at <= last; at += 256n) found.push({ first: at, last: at });
    return found;
  });
  return { spans: last_octet === '255' ? intersectSpans(spans, ending) : subtractSpans(spans, ending) };
}

type NumberClasses = ReturnType<typeof findNumberClasses>;

/** By partition and values: many filters are asked about the same services, and most questions are about all ports. */
const numberClasses = new WeakMap<Partition<number>, WeakMap<readonly Span<number>[], NumberClasses>>();

/** A number of packets: protocol, port, or ICMP type with its code. */
function numberField(partition: Partition<number>, values: readonly Span<number>[]) {
  const kept = numberClasses.get(partition) ?? new WeakMap<readonly Span<number>[], NumberClasses>();
  numberClasses.set(partition, kept);
  const classes = kept.get(values) ?? findNumberClasses(partition, values);
  kept.set(values, classes);
  return { ...classes, spansOf: remember(classes.spansOf) };
}

function findNumberClasses(partition: Partition<number>, values: readonly Span<number>[]) {
  const restricted = restrictPartition(partition, values);
  let firsts: Map<number, number> | undefined;
  return {
    present: restricted.present,
    spansOf: restricted.spansOf,
    valueOf: (bits: Bits, preferred?: number): number => {
      const fits = preferred !== undefined && values.some((range) => portInRange(range, preferred));
      if (fits && hasBit(bits, classOf(partition, preferred))) return preferred;
      firsts ??= samples(restricted, ({ first }) => first);
      return firsts.get(firstBit(bits)) ?? missing();
    },
  };
}

type OwnProtocols = { readonly numbers: readonly number[]; readonly runs: readonly Span<number>[] };
const protocolsOf = new WeakMap<readonly number[], Map<string, OwnProtocols>>();

/** The protocols of one kind, by the list that a box has. */
function getProtocols({ protocols, family }: Box, kind: Kind): OwnProtocols {
  const kept = protocolsOf.get(protocols) ?? new Map<string, OwnProtocols>();
  protocolsOf.set(protocols, kept);
  const known = kept.get(`${kind}${family}`);
  if (known) return known;
  const numbers = protocols.filter((protocol) => getProtocolKind(protocol, family) === kind);
  const own = { numbers, runs: toRuns(numbers) };
  kept.set(`${kind}${family}`, own);
  return own;
}

/** What a piece has at one end. */
export const getEndClasses = (piece: Piece, end: End): EndClasses => ({
  classes: getBits(piece, end),
  octet: getBits(piece, end === 'sources' ? 'source_255' : 'destination_255'),
});

/** The packets of one kind in a box; null when there are none. */
export function buildField(plan: Plan, box: Box, kind: Kind, direction: 'in' | 'out'): Field | null {
  const { family } = box;
  const own = getProtocols(box, kind);
  // Most boxes have packets of one kind only.
  if (own.numbers.length === 0) return null;
  const limits = (applies: boolean, values: readonly PortRange[], all: readonly PortRange[]) =>
    applies ? values : all;
  const ported = kind === 'ports';
  const protocols = numberField(plan.numbers.protocols, own.runs);
  const icmp = numberField(plan.numbers.icmp, limits(kind === 'icmp', box.icmp, ALL_ICMP));
  const destination_ports = numberField(
    plan.numbers.destination_ports,
    limits(ported, box.destination_ports, ALL_PORTS),
  );
  const source_ports = numberField(plan.numbers.source_ports, limits(ported, box.source_ports, ALL_PORTS));
  const octets = plan.octets || Boolean(box.sources.last_octet ?? box.destinations.last_octet);
  const destinations = addressField(plan.addresses.destinations, box.destinations, octets);
  const sources = addressField(plan.addresses.sources, box.sources, octets);
  const start: Piece = [
    protocols.present,
    icmp.present,
    destination_ports.present,
    source_ports.present,
    destinations.octet,
    destinations.present,
    sources.octet,
    sources.present,
  ];
  if (start.some((bits) => firstBit(bits) < 0)) return null;
  const listProtocols = remember((bits) =>
    bits === protocols.present ? own.numbers : protocols.spansOf(bits).flatMap(listNumbers),
  );
  return {
    start,
    octets: { sources, destinations },
    packetOf(piece) {
      const type = icmp.valueOf(getBits(piece, 'icmp'));
      return {
        direction,
        source: { family, value: sources.valueOf(getBits(piece, 'sources'), getBits(piece, 'source_255')) },
        destination: {
          family,
          value: destinations.valueOf(getBits(piece, 'destinations'), getBits(piece, 'destination_255')),
        },
        protocol: protocols.valueOf(getBits(piece, 'protocols')),
        ...(ported && {
          source_port: source_ports.valueOf(getBits(piece, 'source_ports'), CLIENT_PORT),
          destination_port: destination_ports.valueOf(getBits(piece, 'destination_ports')),
        }),
        ...(kind === 'icmp' && { icmp_type: type >> 8, icmp_code: type & 255 }),
      };
    },
    boxOf: (piece) => ({
      family,
      protocols: listProtocols(getBits(piece, 'protocols')),
      icmp: kind === 'icmp' ? icmp.spansOf(getBits(piece, 'icmp')) : ALL_ICMP,
      destination_ports: ported ? destination_ports.spansOf(getBits(piece, 'destination_ports')) : ALL_PORTS,
      source_ports: ported ? source_ports.spansOf(getBits(piece, 'source_ports')) : ALL_PORTS,
      destinations: destinations.addressesOf(getEndClasses(piece, 'destinations')),
      sources: sources.addressesOf(getEndClasses(piece, 'sources')),
    }),
    addressesOf: (end, classes) => (end === 'sources' ? sources : destinations).addressesOf(classes),
  };
}
