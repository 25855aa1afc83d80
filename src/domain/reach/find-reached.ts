import type { Service } from '../policy-tests/packet-set';
import type { TestEnd, TestPlace } from '../policy-tests/test-end';
import { ANSWER_BITS, buildPairs } from './pairs';
import { type Between, PlacePairs } from './place-pairs';
import type { Identify } from './profiles';

/** One place at the other end, or what is outside. */
export type ReachedPlace = {
  /** Null: outside. */
  readonly place: TestPlace | null;
  readonly between: Between;
  readonly hops: number;
  /** Places between, in order. */
  readonly via: readonly TestPlace[];
};

export type ReachedPlaces = {
  /** In the order in which they are reached. */
  readonly reached: readonly ReachedPlace[];
  /** Places that exchange packets with the one in question, and certainly none of those asked about. */
  readonly denied: number;
};

const isAccepted = ({ answers }: Between) => (answers & ANSWER_BITS.accept) !== 0;
/** Whether some packet certainly or possibly passes. */
const mayPass = (answers: number) => (answers & (ANSWER_BITS.accept | ANSWER_BITS.unknown)) !== 0;
const isDoubtful = ({ answers }: Between) => (answers & ANSWER_BITS.unknown) !== 0;

/** What can send some of the packets of a service to a place. */
export function findSources(everything: TestEnd, target: TestEnd, service: Service, identify: Identify): ReachedPlaces {
  const pairs = new PlacePairs(buildPairs(everything, target, service, identify, false));
  const reached: ReachedPlace[] = [];
  let denied = 0;
  const note = (place: TestPlace | null, between: Between | null) => {
    if (between && mayPass(between.answers)) reached.push({ place, between, hops: 1, via: [] });
  };
  for (const { key } of target.places) note(null, pairs.outside(key, 'destination'));
  for (const place of everything.places) {
    for (const { key } of target.places) {
      const answers = pairs.answers(place.key, key);
      if (mayPass(answers)) note(place, pairs.between(place.key, key));
      else if (answers !== 0) denied++;
    }
    pairs.forget(place.key, 'source');
  }
  return { reached, denied };
}

/**
 * What a place can send some of the packets of a service to, and what these can, each place by the fewest hops. Only what certainly
 * passes is followed; a place that only may be reached is listed where nothing certain leads to it.
 */
export function findReached(
  everything: TestEnd,
  start: TestEnd,
  service: Service,
  identify: Identify,
  hops: number,
): ReachedPlaces {
  const [origin] = start.places;
  if (!origin) return { reached: [], denied: 0 };
  const places = new Map(everything.places.map((place) => [place.key, place]));
  places.delete(origin.key);
  const reached = new Map<string, ReachedPlace>();
  const doubtful = new Map<string, ReachedPlace>();
  const asked = new Set<string>();
  let outside = null as ReachedPlace | null;
  let frontier: { readonly place: TestPlace; readonly via: readonly TestPlace[] }[] = [{ place: origin, via: [] }];
  for (let hop = 1; hop <= hops && frontier.length > 0; hop++) {
    const rest = [...places.values()].filter(({ key }) => !reached.has(key));
    // Filters divide only what is asked about: what the places reached last send to those not reached yet.
    const from: TestEnd = { places: frontier.map(({ place }) => place), outside: { 4: [], 6: [] }, missing: [] };
    const pairs = new PlacePairs(buildPairs(from, { ...everything, places: rest }, service, identify, false));
    for (const { place, via } of frontier) {
      const out: Between | null = outside && isAccepted(outside.between) ? null : pairs.outside(place.key, 'source');
      if (out && (isAccepted(out) || (isDoubtful(out) && !outside)))
        outside = { place: null, between: out, hops: hop, via };
    }
    const next: (ReachedPlace & { readonly place: TestPlace; readonly order: number })[] = [];
    for (const place of rest) {
      for (const [order, { place: source, via }] of frontier.entries()) {
        const answers = pairs.answers(source.key, place.key);
        if (answers !== 0) asked.add(place.key);
        const between = mayPass(answers) ? pairs.between(source.key, place.key) : null;
        if (!between) continue;
        const found = { place, between, hops: hop, via };
        if (isAccepted(between)) {
          next.push({ ...found, order });
          break;
        }
        if (isDoubtful(between) && !doubtful.has(place.key)) doubtful.set(place.key, found);
      }
      pairs.forget(place.key, 'destination');
    }
    next.sort((a, b) => a.order - b.order);
    for (const { order: _order, ...found } of next) reached.set(found.place.key, found);
    frontier = next.map(({ place, via }) => ({ place, via: [...via, place] }));
  }
  const uncertain = [...doubtful.values()].filter(({ place }) => place && !reached.has(place.key));
  return {
    reached: [...(outside ? [outside] : []), ...reached.values(), ...uncertain],
    denied: asked.size - reached.size - uncertain.length,
  };
}
