import type { Packet } from '../firewall/packet';
import { type Addresses, findWitness } from '../firewall/space/box';
import { pointSpans } from '../policy-tests/test-end';
import { decideStage, type PartEnd, type Stage } from './decide-reach';
import { ANSWER_BITS, type FamilyPairs, type PairSlice } from './pairs';
import { type ServiceSet, uniteServices } from './services';
import type { Spot } from './spots';

/** Everything between two places, or a place and what is outside: all addresses together. */
export type Between = {
  /** `ANSWER_BITS` of all packets. */
  readonly answers: number;
  readonly accepted: readonly ServiceSet[];
  readonly unknown: readonly ServiceSet[];
  /** Something is accepted that no rule lets in. */
  readonly open: boolean;
  /** A packet that is accepted, best one that no rule lets in; else one that is undecided; null: all are denied. */
  readonly proof: { readonly packet: Packet; readonly stages: readonly Stage[] } | null;
};

type Found = { readonly slice: PairSlice; readonly from: PartEnd; readonly to: PartEnd };

/** Slices that say most about why something passes, first. */
const RANK = { accept: 0, unknown: 2, deny: 4 } as const;
const rank = ({ slice }: Found) => RANK[slice.verdict] + (slice.open ? 0 : 1);

const toAddresses = (end: PartEnd): Addresses =>
  'outside' in end ? end.outside : { spans: pointSpans(end.spots.map(({ value }) => value)) };

function prove(found: readonly Found[]): Between['proof'] {
  const [best] = found.filter(({ slice }) => slice.verdict !== 'deny').sort((a, b) => rank(a) - rank(b));
  const service = best?.slice.services[0];
  if (!best || !service) return null;
  const packet = findWitness({ ...service, sources: toAddresses(best.from), destinations: toAddresses(best.to) }, 'in');
  if (!packet) throw new Error('expected a packet between two places');
  const stages = [decideStage(best.from, 'source', packet), decideStage(best.to, 'destination', packet)];
  return { packet, stages: stages.filter((one) => one !== null) };
}

function summarize(found: readonly Found[]): Between | null {
  if (found.length === 0) return null;
  const listServices = (verdict: PairSlice['verdict']) =>
    uniteServices(found.flatMap(({ slice }) => (slice.verdict === verdict ? slice.services : [])));
  return {
    answers: found.reduce((sum, { slice }) => sum | ANSWER_BITS[slice.verdict], 0),
    accepted: listServices('accept'),
    unknown: listServices('unknown'),
    open: found.some(({ slice }) => slice.verdict === 'accept' && slice.open),
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

  /** Between two places; null when they exchange no packets. */
  between(source: string, destination: string): Between | null {
    return summarize(
      this.#families.flatMap(({ pairs, from, to }) =>
        (from.get(source) ?? []).flatMap((one) =>
          (to.get(destination) ?? []).flatMap((other): Found[] => {
            const pair = pairs.pair(one, other);
            const [first, second] = [pairs.from.spots[one], pairs.to.spots[other]];
            if (!pair || !first || !second) return [];
            return pair.slices.map((slice) => ({ slice, from: { spots: [first] }, to: { spots: [second] } }));
          }),
        ),
      ),
    );
  }

  /** Between a place and what is outside. @param side which of the ends the place is */
  outside(key: string, side: 'source' | 'destination'): Between | null {
    return summarize(
      this.#families.flatMap(({ pairs, from, to }) =>
        ((side === 'source' ? from : to).get(key) ?? []).flatMap((at) => {
          const own = (side === 'source' ? pairs.from : pairs.to).spots[at];
          const { outside } = side === 'source' ? pairs.out(at) : pairs.into(at);
          if (!own) return [];
          return outside.map(({ answer, decider, open, services, addresses }): Found => {
            const slice = { verdict: answer, source: decider, destination: decider, open, services };
            const [near, far] = [{ spots: [own] }, { outside: addresses }];
            return side === 'source' ? { slice, from: near, to: far } : { slice, from: far, to: near };
          });
        }),
      ),
    );
  }
}
