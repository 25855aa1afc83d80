import type { Service } from '../policy-tests/packet-set';
import type { DecidedBy } from '../policy-tests/place-parts';
import type { Answer, TestEnd, TestPlace } from '../policy-tests/test-end';
import { type Identify, type Profile, Profiles, profileSpot, type SpotProfiles } from './profiles';
import { intersectServices, type ServiceSet, uniteServices } from './services';
import { EndSpots } from './spots';

/** Packets of a pair of ends with one verdict, decided by the same at each end. */
export type PairSlice = {
  readonly verdict: Answer;
  /** Texts of what decides at the source and at the destination; null: no place is there. */
  readonly source: string | null;
  readonly destination: string | null;
  /** No rule lets packets in: a default policy, or nothing filters. At the source, where the destination is outside. */
  readonly open: boolean;
  readonly services: readonly ServiceSet[];
};

/** What happens between two addresses. Equal ones are the same object. */
export type Pair = { readonly id: number; readonly slices: readonly PairSlice[]; readonly answers: number };

/** Whether the filters of one place let a packet through, and what of them decides. */
export type Stage = {
  readonly at: 'source' | 'destination';
  readonly place: TestPlace;
  readonly answer: Answer;
  readonly interface: string | null;
  readonly decided_by: DecidedBy;
};

/** Answers as bits, to be summed up. */
export const ANSWER_BITS: Readonly<Record<Answer, number>> = { accept: 1, deny: 2, unknown: 4 };

/** A packet has to pass both ends. */
const both = (a: Answer, b: Answer): Answer =>
  a === 'deny' || b === 'deny' ? 'deny' : a === 'unknown' || b === 'unknown' ? 'unknown' : 'accept';

function combine(out: Profile, into: Profile): Omit<Pair, 'id'> {
  const found = new Map<string, PairSlice>();
  for (const first of out.slices) {
    for (const second of into.slices) {
      const services = first.services.flatMap((a) => second.services.flatMap((b) => intersectServices(a, b) ?? []));
      if (services.length === 0) continue;
      const verdict = both(first.answer, second.answer);
      const key = `${first.decider}\n${second.decider}`;
      const known = found.get(key);
      const all = known ? [...known.services, ...services] : services;
      const { open } = second;
      found.set(key, { verdict, source: first.decider, destination: second.decider, open, services: all });
    }
  }
  const slices = [...found.values()].map((slice) => ({ ...slice, services: uniteServices(slice.services) }));
  return { slices, answers: slices.reduce((sum, { verdict }) => sum | ANSWER_BITS[verdict], 0) };
}

/** What happens between the addresses of two ends, in one family. Filters of a place are evaluated when first asked about. */
export class FamilyPairs {
  readonly from: EndSpots;
  readonly to: EndSpots;
  readonly #outs = new Map<number, SpotProfiles>();
  readonly #ins = new Map<number, SpotProfiles>();
  readonly #pairs = new Map<number, Pair | null>();

  constructor(
    readonly family: 4 | 6,
    from: TestEnd,
    to: TestEnd,
    readonly service: Service,
    readonly profiles: Profiles,
  ) {
    this.from = new EndSpots(from, family);
    this.to = new EndSpots(to, family);
  }

  /** What the filters of a source do with what it sends. */
  out(at: number): SpotProfiles {
    return this.#load(this.#outs, this.from, at, 'out');
  }

  /** What the filters of a destination do with what it is sent. */
  into(at: number): SpotProfiles {
    return this.#load(this.#ins, this.to, at, 'in');
  }

  #load(known: Map<number, SpotProfiles>, side: EndSpots, at: number, direction: 'in' | 'out'): SpotProfiles {
    const found = known.get(at);
    if (found) return found;
    const spot = side.spots[at];
    if (!spot) throw new Error(`expected an address with the number ${at}`);
    const other = side === this.from ? this.to : this.from;
    const made = profileSpot(spot, direction, other, this.service, this.profiles);
    known.set(at, made);
    return made;
  }

  /** What decides at an end, by the text of a slice there. @param at the number of the address */
  stage(side: 'source' | 'destination', at: number, text: string): Stage {
    const end = side === 'source' ? this.from : this.to;
    const { decided } = side === 'source' ? this.out(at) : this.into(at);
    const [place, found] = [end.spots[at]?.place, decided.get(text)];
    if (!place || !found) throw new Error(`expected something to decide at the ${side}`);
    const { answer, interface: nic, decided_by } = found;
    return { at: side, place, answer, interface: nic, decided_by };
  }

  /** Between a source and a destination; null when they exchange no packets. */
  pair(source: number, destination: number): Pair | null {
    const into = this.into(destination).ofSpot[source];
    const out = this.out(source).ofSpot[destination];
    if (!into || !out) return null;
    if (this.from.spots[source]?.place.key === this.to.spots[destination]?.place.key) return null;
    const key = out.id * 0x1000000 + into.id;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const combined = combine(out, into);
    const made = combined.slices.length === 0 ? null : { id: this.#pairs.size, ...combined };
    this.#pairs.set(key, made);
    return made;
  }
}

const FAMILIES = [4, 6] as const;

/** What happens between the addresses of two ends. */
export function buildPairs(from: TestEnd, to: TestEnd, service: Service, identify: Identify): FamilyPairs[] {
  const profiles = new Profiles(identify);
  return FAMILIES.map((family) => new FamilyPairs(family, from, to, service, profiles));
}
