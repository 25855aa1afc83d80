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
import { type Partition, type Restricted, restrictPartition } from './partition';
import { intersectSpans, type Span, subtractSpans } from './spans';
import type { OctetClasses, Piece } from './walk';

/** Packets of one kind and direction within a box, in the classes of a plan. */
export type Field = {
  readonly start: Piece;
  readonly octets: OctetClasses;
  /** One packet of a piece. */
  readonly packetOf: (piece: Piece) => Packet;
  readonly boxOf: (piece: Piece) => Box;
};

const CLIENT_PORT = 49152;
const ALL_BITS = new Uint32Array([3]);
/** Sets with no more networks of 256 addresses than this are written without reference to the last octet. */
const FEW = 16n;

const getBits = (piece: Piece, dimension: Dimension): Bits => piece[DIMENSIONS.indexOf(dimension)] as Bits;
const toNumberSpans = (numbers: readonly number[]): Span<number>[] =>
  numbers.map((number) => ({ first: number, last: number }));

/** The first value of each class, or with a last octet the first such one. */
function samples<T extends number | bigint>(
  restricted: Restricted<T>,
  valueIn: (span: Span<T>) => T | null,
): Map<number, T> {
  const found = new Map<number, T>();
  for (const stretch of restricted.stretches) {
    if (found.has(stretch.id)) continue;
    const value = valueIn(stretch);
    if (value !== null) found.set(stretch.id, value);
  }
  return found;
}

const toBigintSpan = ({ first, last }: Span<number> | Span<bigint>): AddressSpan => ({
  first: BigInt(first),
  last: BigInt(last),
});

const wholeFields = new WeakMap<object, AddressField>();

/** The addresses of one end within a box. @param octets whether their last octet matters */
function addressField(partition: AddressPartition, addresses: Addresses, octets: boolean): AddressField {
  const { spans, last_octet } = addresses;
  const last = BigInt(partition.lasts.at(-1) ?? 0);
  const whole = !last_octet && spans.length === 1 && spans[0]?.first === 0n && spans[0].last === last;
  const known = whole ? wholeFields.get(partition) : undefined;
  const field = known ?? makeAddressField(partition, addresses, octets);
  if (whole) wholeFields.set(partition, field);
  return field;
}

type AddressPartition = Partition<number> | Partition<bigint>;
type AddressField = ReturnType<typeof makeAddressField>;

function makeAddressField(partition: AddressPartition, { spans, last_octet }: Addresses, octets: boolean) {
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
  const classes = (values: ReadonlyMap<number, unknown>) => {
    const bits = emptyBits(partition.count);
    for (const id of values.keys()) addBit(bits, id);
    return bits;
  };
  const any = sampled(undefined);
  const values = octets ? { any, 255: sampled('255'), other: sampled('other') } : { any, 255: any, other: any };
  const octet = last_octet === '255' ? ENDS_IN_255 : last_octet ? ENDS_OTHERWISE : ALL_BITS;
  const toOctet = (bits: Bits): LastOctet | undefined =>
    equalBits(bits, ENDS_IN_255) ? '255' : equalBits(bits, ENDS_OTHERWISE) ? 'other' : undefined;
  const converted = new Map<Bits, AddressSpan[]>();
  return {
    octet,
    in_255: classes(values[255]),
    other: classes(values.other),
    present: last_octet ? classes(values[last_octet]) : restricted.present,
    valueOf: (bits: Bits, octets: Bits): bigint =>
      BigInt(values[toOctet(octets) ?? 'any'].get(firstBit(bits)) ?? missing()),
    addressesOf(bits: Bits, octets: Bits): Addresses {
      const known = converted.get(bits) ?? restricted.spansOf(bits).map(toBigintSpan);
      converted.set(bits, known);
      return withoutOctet(known, toOctet(octets));
    },
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

/** A number of packets: protocol, port, or ICMP type with its code. */
function numberField(partition: Partition<number>, values: readonly Span<number>[]) {
  const restricted = restrictPartition(partition, values);
  const firsts = samples(restricted, ({ first }) => first);
  return {
    present: restricted.present,
    spansOf: restricted.spansOf,
    valueOf: (bits: Bits, preferred?: number): number => {
      if (
        preferred !== undefined &&
        restricted.stretches.some((s) => portInRange(s, preferred) && hasBit(bits, s.id))
      ) {
        return preferred;
      }
      return firsts.get(firstBit(bits)) ?? missing();
    },
  };
}

/** The packets of one kind in a box; null when there are none. */
export function buildField(plan: Plan, box: Box, kind: Kind, direction: 'in' | 'out'): Field | null {
  const { family } = box;
  const own = box.protocols.filter((protocol) => getProtocolKind(protocol, family) === kind);
  // Most boxes have packets of one kind only.
  if (own.length === 0) return null;
  const limits = (applies: boolean, values: readonly PortRange[], all: readonly PortRange[]) =>
    applies ? values : all;
  const ported = kind === 'ports';
  const protocols = numberField(plan.numbers.protocols, toNumberSpans(own));
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
  const listProtocols = (piece: Piece) =>
    protocols
      .spansOf(getBits(piece, 'protocols'))
      .flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
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
      protocols: listProtocols(piece),
      icmp: kind === 'icmp' ? icmp.spansOf(getBits(piece, 'icmp')) : ALL_ICMP,
      destination_ports: ported ? destination_ports.spansOf(getBits(piece, 'destination_ports')) : ALL_PORTS,
      source_ports: ported ? source_ports.spansOf(getBits(piece, 'source_ports')) : ALL_PORTS,
      destinations: destinations.addressesOf(getBits(piece, 'destinations'), getBits(piece, 'destination_255')),
      sources: sources.addressesOf(getBits(piece, 'sources'), getBits(piece, 'source_255')),
    }),
  };
}
