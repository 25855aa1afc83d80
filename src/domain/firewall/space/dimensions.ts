import { addressBits } from '../../net/ip-address';
import type { AddressSpan } from '../address-set';
import { addBit, type Bits, emptyBits } from './bits';
import type { Condition, Stage } from './cut';
import { buildPartition, type Partition } from './partition';
import type { Span } from './spans';

/**
 * The fields in which conditions differ, in the order in which a set of packets is divided along them: services first, because
 * most rules are about one. Whether an IPv4 address ends in .255 is a field of its own: as spans these would be millions.
 */
export const DIMENSIONS = [
  'protocols',
  'icmp',
  'destination_ports',
  'source_ports',
  'destination_255',
  'destinations',
  'source_255',
  'sources',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** A condition as classes of each dimension, in the order of `DIMENSIONS`; null: any. */
export type Region = readonly (Bits | null)[];
export type RegionCut = { readonly when: Region; readonly ends: boolean; readonly divides: readonly Region[] };

/** Steps of filters with the classes of values that they distinguish. */
export type Plan = {
  readonly family: 4 | 6;
  readonly numbers: Readonly<Record<'protocols' | 'icmp' | 'destination_ports' | 'source_ports', Partition<number>>>;
  readonly addresses: Readonly<Record<'destinations' | 'sources', Partition<number> | Partition<bigint>>>;
  /** Whether addresses that end in .255 are treated apart from others. */
  readonly octets: boolean;
  readonly stages: readonly (readonly RegionCut[])[];
};

type Spans = readonly Span<number>[] | readonly AddressSpan[];

/** Numbers of equal lists of spans: rules often name the same set. */
function internSpans() {
  const lists: Spans[] = [];
  /** The same list is found by itself: comparing it with equal ones takes longer. */
  const byList = new Map<Spans, number>();
  const known = new Map<string, number[]>();
  const same = (a: Spans, b: Spans) => a.every(({ first, last }, at) => first === b[at]?.first && last === b[at]?.last);
  const findEqual = (spans: Spans): number => {
    const key = `${spans.length} ${spans[0]?.first} ${spans.at(-1)?.last}`;
    const candidates = known.get(key) ?? [];
    const found = candidates.find((id) => same(spans, lists[id] as Spans));
    if (found !== undefined) return found;
    known.set(key, [...candidates, lists.length]);
    return lists.push(spans) - 1;
  };
  return {
    lists,
    idOf(spans: Spans): number {
      const id = byList.get(spans) ?? findEqual(spans);
      byList.set(spans, id);
      return id;
    },
  };
}

const spansIn = (
  condition: Condition,
  dimension: Exclude<Dimension, 'destination_255' | 'source_255'>,
): Spans | undefined =>
  dimension === 'protocols'
    ? condition.protocols?.map((number) => ({ first: number, last: number }))
    : condition[dimension];

const TOP = { protocols: 255, icmp: 65535, destination_ports: 65535, source_ports: 65535 } as const;
const [OTHER, IN_255] = [0, 1];
const OCTETS: readonly Bits[] = [OTHER, IN_255].map((value) => {
  const bits = emptyBits(2);
  addBit(bits, value);
  return bits;
});
/** Addresses that end in .255. */
export const ENDS_IN_255 = OCTETS[IN_255] as Bits;
export const ENDS_OTHERWISE = OCTETS[OTHER] as Bits;

function partitionAddresses(lists: readonly Spans[], family: 4 | 6): Partition<number> | Partition<bigint> {
  const sets = lists as readonly (readonly AddressSpan[])[];
  if (family === 6) return buildPartition(sets, 0n, (1n << BigInt(addressBits(6))) - 1n);
  // Numbers hold an IPv4 address exactly and are several times as fast as big integers.
  const small = sets.map((spans) => spans.map(({ first, last }) => ({ first: Number(first), last: Number(last) })));
  return buildPartition(small, 0, 0xffffffff);
}

/** Divides the values of each dimension into the classes that the steps distinguish. */
export function buildPlan(stages: readonly Stage[], family: 4 | 6): Plan {
  const spanDimensions = ['protocols', 'icmp', 'destination_ports', 'source_ports', 'destinations', 'sources'] as const;
  const interned = new Map(spanDimensions.map((dimension) => [dimension, internSpans()]));
  type Ids = readonly (number | Bits | null)[];
  const toIds = (condition: Condition): Ids =>
    DIMENSIONS.map((dimension) => {
      if (dimension === 'destination_255' || dimension === 'source_255')
        return condition[dimension] ? ENDS_IN_255 : null;
      const spans = spansIn(condition, dimension);
      return spans ? (interned.get(dimension)?.idOf(spans) ?? null) : null;
    });
  const numbered = stages.map((stage) =>
    stage.map(({ when, ends, divides = [] }) => ({ when: toIds(when), ends, divides: divides.map(toIds) })),
  );
  const getSpanLists = (dimension: (typeof spanDimensions)[number]) => interned.get(dimension)?.lists ?? [];
  const numberPartition = (dimension: keyof typeof TOP) =>
    buildPartition(getSpanLists(dimension) as readonly (readonly Span<number>[])[], 0, TOP[dimension]);
  const numbers = {
    protocols: numberPartition('protocols'),
    icmp: numberPartition('icmp'),
    destination_ports: numberPartition('destination_ports'),
    source_ports: numberPartition('source_ports'),
  };
  const addresses = {
    destinations: partitionAddresses(getSpanLists('destinations'), family),
    sources: partitionAddresses(getSpanLists('sources'), family),
  };
  const partitions: Readonly<Record<string, { readonly members: readonly Bits[] }>> = { ...numbers, ...addresses };
  const toRegion = (ids: Ids): Region =>
    ids.map((id, at) => (typeof id === 'number' ? (partitions[DIMENSIONS[at] as string]?.members[id] ?? null) : id));
  return {
    family,
    numbers,
    addresses,
    octets: stages
      .flat()
      .some(({ when, divides = [] }) =>
        [when, ...divides].some(({ source_255, destination_255 }) => source_255 || destination_255),
      ),
    stages: numbered.map((stage) =>
      stage.map(({ when, ends, divides }) => ({ when: toRegion(when), ends, divides: divides.map(toRegion) })),
    ),
  };
}
