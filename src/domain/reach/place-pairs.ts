import type { Packet } from '../firewall/packet';
import { type Addresses, findWitness } from '../firewall/space/box';
import { pointSpans } from '../policy-tests/test-end';
import { ANSWER_BITS, type FamilyPairs, type PairSlice, rankSlice, type Stage } from './pairs';
import { joinPorts, type ServiceSet, uniteServices } from './services';
import type { Spot } from './spots';

/** A packet, and what decides it at each end. */
export type Proof = { readonly packet: Packet; readonly stages: readonly Stage[] };

/** Everything between two places, or a place and what is outside: all addresses together. */
export type Between = {
  /** `ANSWER_BITS` of all packets. */
  readonly answers: number;
  readonly accepted: readonly ServiceSet[];
  readonly unknown: readonly ServiceSet[];
  /** Something is accepted that no rule lets in. */
  readonly open: boolean;
  /** A packet that is accepted, best one that no rule lets in; else one that is undecided; null: all are denied. */
  readonly proof: Proof | null;
};

type Found = {
  readonly pairs: FamilyPairs;
  readonly answers: number;
  readonly accepted: readonly ServiceSet[];
  readonly unknown: readonly ServiceSet[];
  /** What says most about why something passes or may; null: nothing does. */
  readonly best: PairSlice | null;
  readonly sources: Addresses;
  readonly destinations: Addresses;
  /** Numbers of the addresses of places. */
  readonly at: { readonly source?: number; readonly destination?: number };
};

const rankFound = ({ best }: Found) => (best && rankSlice(best.verdict, best.open)) ?? Number.POSITIVE_INFINITY;

const SIDES = ['source', 'destination'] as const;

function prove(found: readonly Found[]): Proof | null {
  const [first] = [...found].sort((a, b) => rankFound(a) - rankFound(b));
  const service = first?.best?.services[0];
  if (!first?.best || !service) return null;
  const { pairs, best, sources, destinations, at } = first;
  const packet = findWitness({ ...service, sources, destinations }, 'in');
  if (!packet) throw new Error('expected a packet between two places');
  const stages = SIDES.flatMap((side) => {
    const [number, text] = [at[side], best[side]];
    return number === undefined || text === null ? [] : [pairs.stage(side, number, text)];
  });
  return { packet, stages };
}

function summarize(found: readonly Found[]): Between | null {
  if (found.length === 0) return null;
  const unite = (key: 'accepted' | 'unknown') => uniteServices(joinPorts(found.flatMap((one) => one[key])), true);
  return {
    answers: found.reduce((sum, { answers }) => sum | answers, 0),
    accepted: unite('accepted'),
    unknown: unite('unknown'),
    open: found.some(({ best }) => best?.verdict === 'accept' && best.open),
    proof: prove(found),
  };
}

const numberByPlace = (spots: readonly Spot[]) => {
  const numbers = new Map<string, number[]>();
  for (const [at, { place }] of spots.entries()) {
    const known = numbers.get(place.key);
    if (known) known.push(at);
    else numbers.set(place.key, [at]);
  }
  return numbers;
};

const toAddresses = ({ value }: Spot): Addresses => ({ spans: pointSpans([value]) });
const NO_NUMBERS: readonly number[] = [];

/** Pairs of addresses, asked about by place. */
export class PlacePairs {
  readonly #families: readonly {
    readonly pairs: FamilyPairs;
    readonly from: ReadonlyMap<string, readonly number[]>;
    readonly to: ReadonlyMap<string, readonly number[]>;
  }[];

  constructor(families: readonly FamilyPairs[]) {
    this.#families = families.map((pairs) => ({
      pairs,
      from: numberByPlace(pairs.from.spots),
      to: numberByPlace(pairs.to.spots),
    }));
  }

  /** `ANSWER_BITS` of all packets between two places; 0 when they exchange none. */
  answers(source: string, destination: string): number {
    let answers = 0;
    for (const { pairs, from, to } of this.#families) {
      for (const one of from.get(source) ?? NO_NUMBERS) {
        for (const other of to.get(destination) ?? NO_NUMBERS) answers |= pairs.answers(one, other);
      }
    }
    return answers;
  }

  /** Between two places; null when they exchange no packets. */
  between(source: string, destination: string): Between | null {
    const found: Found[] = [];
    for (const { pairs, from, to } of this.#families) {
      for (const one of from.get(source) ?? NO_NUMBERS) {
        for (const other of to.get(destination) ?? NO_NUMBERS) {
          const [first, second] = [pairs.from.spots[one], pairs.to.spots[other]];
          if (!first || !second) continue;
          const ends = { sources: toAddresses(first), destinations: toAddresses(second) };
          const at = { source: one, destination: other };
          const pair = pairs.pair(one, other);
          if (!pair) continue;
          const { answers, best } = pair;
          const [accepted, unknown] = [pair.services('accept'), pair.services('unknown')];
          found.push({ pairs, answers, best, accepted, unknown, ...ends, at });
        }
      }
    }
    return summarize(found);
  }

  /** Frees what is known about a place: with hundreds of them that is most of a question's memory. */
  forget(key: string, side: 'source' | 'destination'): void {
    for (const { pairs, from, to } of this.#families)
      for (const at of (side === 'source' ? from : to).get(key) ?? NO_NUMBERS) pairs.forget(side, at);
  }

  /** Between a place and what is outside. @param side which of the ends the place is */
  outside(key: string, side: 'source' | 'destination'): Between | null {
    const found: Found[] = [];
    for (const { pairs, from, to } of this.#families) {
      for (const at of (side === 'source' ? from : to).get(key) ?? NO_NUMBERS) {
        const own = (side === 'source' ? pairs.from : pairs.to).spots[at];
        const { outside } = side === 'source' ? pairs.out(at) : pairs.into(at);
        if (!own) continue;
        for (const { answer, decider, open, services, addresses } of outside) {
          const slice = { verdict: answer, open, services, source: null, destination: null, [side]: decider };
          const passing = {
            answers: ANSWER_BITS[answer],
            accepted: answer === 'accept' ? services : [],
            unknown: answer === 'unknown' ? services : [],
            best: answer === 'deny' ? null : slice,
          };
          const near = toAddresses(own);
          const ends =
            side === 'source' ? { sources: near, destinations: addresses } : { sources: addresses, destinations: near };
          found.push({ pairs, ...passing, ...ends, at: { [side]: at } });
        }
      }
    }
    return summarize(found);
  }
}
