import type { AddressSpan } from '../firewall/address-set';
import type { Packet } from '../firewall/packet';
import { type Box, findWitness, intersectBoxes, isEmptyBox } from '../firewall/space/box';
import { joinSpans, subtractSpans } from '../firewall/space/spans';
import { formatIp } from '../net/ip-address';
import type { TestUnknownReason } from './definition';
import { hostSpans, type Service, serviceBox } from './packet-set';
import { type DecidedBy, type PlacePart, partsAt } from './place-parts';
import { PlaceIndex, type PlaceRef, pointSpans, type TestEnd, type TestPlace } from './test-end';

/** One packet, what decides it, and where; as it is stored. */
export type TestFinding = {
  readonly packet: {
    readonly source: string;
    readonly destination: string;
    readonly protocol: number;
    readonly source_port: number | null;
    readonly destination_port: number | null;
    readonly icmp_type: number | null;
  };
  readonly source_place: PlaceRef | null;
  readonly destination_place: PlaceRef | null;
  readonly side: 'source' | 'destination';
  readonly interface: string | null;
  readonly decided_by: DecidedBy | { readonly kind: 'not_filtered' };
};

/** A packet as it is stored. */
export const toStoredPacket = (packet: Packet): TestFinding['packet'] => ({
  source: formatIp(packet.source),
  destination: formatIp(packet.destination),
  protocol: packet.protocol,
  source_port: packet.source_port ?? null,
  destination_port: packet.destination_port ?? null,
  icmp_type: packet.icmp_type ?? null,
});

export type TestDecision = {
  readonly result: 'pass' | 'fail' | 'unknown';
  readonly unknown_reason: TestUnknownReason | null;
  readonly finding: TestFinding | null;
  readonly not_filtered: readonly { side: 'source' | 'destination'; name: string; reason: string }[];
  readonly not_filtered_total: number;
};

/** What is asserted between two ends. */
export type Assertion = Service & { readonly expect: 'allow' | 'deny' };

const FAMILIES = [4, 6] as const;
const NOTES = 10;

/** The addresses of an end in one family, with the places that have them. */
class Side {
  readonly all: readonly AddressSpan[];
  readonly outside: readonly AddressSpan[];
  /** With an address of the family. */
  readonly places: readonly TestPlace[];
  readonly #index: PlaceIndex<TestPlace>;
  readonly #byKey: ReadonlyMap<string, TestPlace>;

  constructor(
    end: TestEnd,
    readonly family: 4 | 6,
  ) {
    this.#index = new PlaceIndex(end.places, family);
    this.places = end.places.filter(({ addresses }) => addresses[family].length > 0);
    this.#byKey = new Map(end.places.map((place) => [place.key, place]));
    this.outside = hostSpans(end.outside[family], family);
    const points = pointSpans(this.#index.points.map(({ value }) => value));
    this.all = hostSpans(joinSpans([...this.outside, ...points]), family);
  }

  placeBy(key: string): TestPlace | undefined {
    return this.#byKey.get(key);
  }

  /** The places that have one of the addresses, each with those that it has. */
  within(spans: readonly AddressSpan[]): Map<TestPlace, bigint[]> {
    const found = new Map<TestPlace, bigint[]>();
    this.#index.visit(spans, (place, value) => {
      const known = found.get(place);
      if (known) known.push(value);
      else found.set(place, [value]);
    });
    return found;
  }
}

const sides = new WeakMap<TestEnd, Record<4 | 6, Side>>();

/** The addresses of an end in one family; ends are shared by many tests. */
function getSide(end: TestEnd, family: 4 | 6): Side {
  const known = sides.get(end) ?? { 4: new Side(end, 4), 6: new Side(end, 6) };
  sides.set(end, known);
  return known[family];
}

const limit = (box: Box, end: 'sources' | 'destinations', spans: readonly AddressSpan[]): Box =>
  intersectBoxes(box, { ...box, [end]: { spans } });

/** Addresses of the other end that a place exchanges packets with: no broadcasts of its node, and none of its own. */
function reachable(spans: readonly AddressSpan[], { key, addresses, broadcasts }: TestPlace, other: Side) {
  const { family } = other;
  const own = [...addresses[family], ...(other.placeBy(key)?.addresses[family] ?? [])];
  return subtractSpans(spans, joinSpans(pointSpans([...own, ...(family === 4 ? broadcasts : [])])));
}

type Found = {
  readonly box: Box;
  readonly source: TestPlace | null;
  readonly destination: TestPlace | null;
  readonly side: 'source' | 'destination';
  readonly part: PlacePart;
};

/** What the search has met: a definite counterexample ends it, doubts are kept. */
type Search = { pairs: boolean; doubt: Found | null };

/** A packet that is not accepted at one end. Every packet must be accepted at both, so each end is looked at by itself. */
function findDenied(service: Service, from: Side, to: Side, search: Search): Found | null {
  const { family } = from;
  for (const [side, own, other] of [
    ['destination', to, from],
    ['source', from, to],
  ] as const) {
    for (const place of own.places) {
      const far = reachable(other.all, place, other);
      const near = pointSpans(place.addresses[family]);
      if (far.length === 0) continue;
      search.pairs = true;
      const box = side === 'source' ? serviceBox(family, service, near, far) : serviceBox(family, service, far, near);
      for (const part of partsAt(place, side === 'source' ? 'out' : 'in', box)) {
        if (part.answer === 'accept') continue;
        const found: Found = {
          box: part.box,
          source: side === 'source' ? place : null,
          destination: side === 'destination' ? place : null,
          side,
          part,
        };
        if (part.answer === 'deny') return found;
        search.doubt ??= found;
      }
    }
  }
  return null;
}

/** A packet from an address of no place, or to one: only the other end decides. */
function accepted(part: PlacePart, box: Box, found: Omit<Found, 'box' | 'part'>, search: Search): Found | null {
  if (isEmptyBox(box)) return null;
  search.pairs = true;
  if (part.answer === 'deny') return null;
  const whole = { ...found, box, part };
  if (part.answer === 'accept') return whole;
  search.doubt ??= whole;
  return null;
}

/** A packet that is accepted at both ends. */
function findAccepted(service: Service, from: Side, to: Side, search: Search): Found | null {
  const { family } = from;
  for (const destination of to.places) {
    const far = reachable(from.all, destination, from);
    if (far.length === 0) continue;
    search.pairs = true;
    const box = serviceBox(family, service, far, pointSpans(destination.addresses[family]));
    for (const part of partsAt(destination, 'in', box)) {
      if (part.answer === 'deny') continue;
      const alone = limit(part.box, 'sources', from.outside);
      const found = accepted(part, alone, { source: null, destination, side: 'destination' }, search);
      if (found) return found;
      for (const [source, values] of from.within(part.box.sources.spans)) {
        if (source.key === destination.key) continue;
        const box = limit(part.box, 'sources', pointSpans(values));
        if (isEmptyBox(box)) continue;
        for (const first of partsAt(source, 'out', box)) {
          if (first.answer === 'deny') continue;
          const certain = first.answer === 'accept' && part.answer === 'accept';
          // What lets a packet in says more than what lets it out, unless that is what is not known.
          const side = first.answer === 'unknown' && part.answer === 'accept' ? 'source' : 'destination';
          const found: Found = { box: first.box, source, destination, side, part: side === 'source' ? first : part };
          if (certain) return found;
          search.doubt ??= found;
        }
      }
    }
  }
  if (to.outside.length === 0) return null;
  for (const source of from.places) {
    const far = reachable(to.outside, source, to);
    if (far.length === 0) continue;
    const box = serviceBox(family, service, pointSpans(source.addresses[family]), far);
    for (const part of partsAt(source, 'out', box)) {
      const found = accepted(part, part.box, { source, destination: null, side: 'source' }, search);
      if (found) return found;
    }
  }
  return null;
}

/** The place of an end that has an address; it is known where the other end decides, too. */
const findPlace = (side: Side, value: bigint, given: TestPlace | null): PlaceRef | null =>
  given?.ref ?? [...side.within([{ first: value, last: value }]).keys()][0]?.ref ?? null;

function toFinding({ box, source, destination, side, part }: Found, from: Side, to: Side): TestFinding | null {
  const packet: Packet | null = findWitness(box, 'in');
  if (!packet) return null;
  return {
    packet: toStoredPacket(packet),
    source_place: findPlace(from, packet.source.value, source),
    destination_place: findPlace(to, packet.destination.value, destination),
    side,
    interface: part.interface,
    decided_by: part.decided_by,
  };
}

function summarizeUnfiltered(from: TestEnd, to: TestEnd) {
  const notes = [
    ...from.places.map((place) => ({ side: 'source' as const, place })),
    ...to.places.map((place) => ({ side: 'destination' as const, place })),
  ].flatMap(({ side, place }) =>
    place.not_filtered === null ? [] : [{ side, name: place.ref.name, reason: place.not_filtered }],
  );
  return { not_filtered: notes.slice(0, NOTES), not_filtered_total: notes.length };
}

/**
 * Decides an assertion for all pairs of addresses of two ends and all packets of its service. A definite counterexample fails it,
 * whatever else is not known; what is missing or undecided keeps it from passing.
 */
export function decideTest({ expect, ...service }: Assertion, from: TestEnd, to: TestEnd): TestDecision {
  const notes = summarizeUnfiltered(from, to);
  const search: Search = { pairs: false, doubt: null };
  let doubt: TestFinding | null = null;
  for (const family of FAMILIES) {
    const [source, destination] = [getSide(from, family), getSide(to, family)];
    const find = expect === 'allow' ? findDenied : findAccepted;
    search.doubt = null;
    const found = find(service, source, destination, search);
    if (found) {
      return { result: 'fail', unknown_reason: null, finding: toFinding(found, source, destination), ...notes };
    }
    if (search.doubt) doubt ??= toFinding(search.doubt, source, destination);
  }
  const missing = [...from.missing, ...to.missing][0]?.reason ?? null;
  const unknown_reason = doubt ? 'undecided' : (missing ?? (search.pairs ? null : 'no_pair'));
  return { result: unknown_reason ? 'unknown' : 'pass', unknown_reason, finding: doubt, ...notes };
}
