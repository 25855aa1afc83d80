import type { AddressSpan } from '../firewall/address-set';
import { allAddresses } from '../firewall/space/box';
import { gatherAddresses } from '../firewall/space/decompose';
import { type Service, serviceBox } from '../policy-tests/packet-set';
import { partsAt } from '../policy-tests/place-parts';
import { pointSpans, type TestPlace, toAnswer } from '../policy-tests/test-end';
import { ANSWER_BITS } from './pairs';
import type { Spot } from './spots';

/** Addresses of IPv4 are numbers here, which take a fraction of the space and time. */
type Value = number | bigint;

/**
 * What the filters of a place do with packets between one of its addresses and every other one, as `ANSWER_BITS` of all services
 * together. Some hundred bytes, so that it can be kept for thousands of places.
 */
export type AddressAnswers = {
  /** Where stretches of addresses begin, in order. The first one begins with the smallest address. */
  readonly firsts: readonly Value[];
  /** Of each stretch: of addresses that end in .255, and of the others. */
  readonly in255: Uint8Array;
  readonly others: Uint8Array;
};

export const toValue = (address: bigint, family: 4 | 6): Value => (family === 4 ? Number(address) : address);
const after = (address: bigint, family: 4 | 6): Value => toValue(address + 1n, family);

/** The number of the stretch that has an address. */
function findStretch(firsts: readonly Value[], value: Value): number {
  let [low, high] = [0, firsts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firsts[middle] as Value) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

type Side = { in255: number; others: number };

/** Answers by lists of the other end's addresses. Lists may overlap. */
function collectSides({ place, value }: Spot, direction: 'in' | 'out', family: 4 | 6, service: Service) {
  const [near, far] = [pointSpans([value]), allAddresses(family)];
  const box = direction === 'in' ? serviceBox(family, service, far, near) : serviceBox(family, service, near, far);
  const end = direction === 'in' ? 'sources' : 'destinations';
  const [filter, ...others] = place.filters;
  const found =
    filter && others.length === 0
      ? gatherAddresses(filter.parts(direction, box, false), end, toAnswer)
      : Array.from(partsAt(place, direction, box, { keeps: false }), ({ answer, box: { [end]: addresses } }) => ({
          answer,
          addresses,
        }));
  const sides = new Map<readonly AddressSpan[], Side>();
  for (const { answer, addresses } of found) {
    const { spans, last_octet } = addresses;
    const side = sides.get(spans) ?? { in255: 0, others: 0 };
    sides.set(spans, side);
    if (last_octet !== 'other') side.in255 |= ANSWER_BITS[answer];
    if (last_octet !== '255') side.others |= ANSWER_BITS[answer];
  }
  return sides;
}

function findAnswers(spot: Spot, direction: 'in' | 'out', family: 4 | 6, service: Service): AddressAnswers {
  const sides = collectSides(spot, direction, family, service);
  const points = new Set<Value>([toValue(0n, family)]);
  for (const spans of sides.keys()) {
    for (const { first, last } of spans) points.add(toValue(first, family)).add(after(last, family));
  }
  const all = [...points].sort((a, b) => (a < b ? -1 : 1));
  const [in255, others] = [new Uint8Array(all.length), new Uint8Array(all.length)];
  for (const [spans, side] of sides) {
    for (const { first, last } of spans) {
      const end = findStretch(all, toValue(last, family));
      for (let at = findStretch(all, toValue(first, family)); at <= end; at++) {
        in255[at] = (in255[at] as number) | side.in255;
        others[at] = (others[at] as number) | side.others;
      }
    }
  }
  // Neighbors with the same answers are one.
  const kept = all
    .map((_, at) => at)
    .filter((at) => at === 0 || in255[at] !== in255[at - 1] || others[at] !== others[at - 1]);
  return {
    firsts: kept.map((at) => all[at] as Value),
    in255: Uint8Array.from(kept, (at) => in255[at] as number),
    others: Uint8Array.from(kept, (at) => others[at] as number),
  };
}

/** Services of which answers are kept. */
const MAX_KEPT = 3;
/** By the filters of a place, which are the same as long as what was read of it is. */
const answersOf = new WeakMap<TestPlace['filters'], Map<string, Map<string, AddressAnswers>>>();

/** Answers for an address of a place; known ones are not asked for again. */
export function getAddressAnswers(
  spot: Spot,
  direction: 'in' | 'out',
  family: 4 | 6,
  service: Service,
): AddressAnswers {
  const { filters } = spot.place;
  const own = answersOf.get(filters) ?? new Map<string, Map<string, AddressAnswers>>();
  answersOf.set(filters, own);
  const key = `${service.protocol} ${service.ports.join()}`;
  const ofService = own.get(key) ?? new Map<string, AddressAnswers>();
  own.delete(key);
  own.set(key, ofService);
  for (const oldest of own.keys()) {
    if (own.size <= MAX_KEPT) break;
    own.delete(oldest);
  }
  const which = `${direction} ${family} ${spot.value.toString(36)}`;
  const found = ofService.get(which) ?? findAnswers(spot, direction, family, service);
  ofService.set(which, found);
  return found;
}

const endsIn255 = (value: Value, family: 4 | 6) => family === 4 && (value as number) % 256 === 255;

/** Visits the answers for addresses in ascending order, from one number to another. */
export function visitAnswers(
  { firsts, in255, others }: AddressAnswers,
  values: readonly Value[],
  [from, to]: readonly [number, number],
  family: 4 | 6,
  visitor: (at: number, answers: number) => void,
): void {
  if (from >= to) return;
  let stretch = findStretch(firsts, values[from] as Value);
  for (let at = from; at < to; at++) {
    const value = values[at] as Value;
    while (stretch + 1 < firsts.length && (firsts[stretch + 1] as Value) <= value) stretch++;
    visitor(at, (endsIn255(value, family) ? in255 : others)[stretch] as number);
  }
}

/** Spans as pairs of values. */
export type Strangers = readonly { readonly first: Value; readonly last: Value }[];

/** The answers for all addresses in some spans together. */
export function sumAnswersIn({ firsts, in255, others }: AddressAnswers, spans: Strangers, family: 4 | 6): number {
  const all = firsts.reduce<number>((sum, _, at) => sum | (in255[at] as number) | (others[at] as number), 0);
  let found = 0;
  let stretch = 0;
  for (const { first, last } of spans) {
    while (stretch + 1 < firsts.length && (firsts[stretch + 1] as Value) <= first) stretch++;
    for (let at = stretch; at < firsts.length && (firsts[at] as Value) <= last; at++) {
      const begin = (firsts[at] as Value) > first ? (firsts[at] as Value) : first;
      const next = firsts[at + 1];
      // The last address of both.
      const isCut = next !== undefined && next <= last;
      if (family === 6) {
        found |= others[at] as number;
        continue;
      }
      const end = isCut ? (next as number) - 1 : (last as number);
      const first255 = Math.floor((begin as number) / 256) * 256 + 255;
      if (first255 <= end) found |= in255[at] as number;
      if (begin !== end || !endsIn255(begin, family)) found |= others[at] as number;
    }
    if (found === all) break;
  }
  return found;
}
