import type { Service } from '../policy-tests/packet-set';
import type { DecidedBy } from '../policy-tests/place-parts';
import type { Answer, TestEnd, TestPlace } from '../policy-tests/test-end';
import { type Identify, type Profile, Profiles, profileSpot, type Slice, type SpotProfiles } from './profiles';
import { intersectServices, meetServices, type ServiceSet, uniteServices } from './services';
import { EndSpots, listOwnAddresses } from './spots';

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

const ANSWERS = ['accept', 'deny', 'unknown'] as const;

/** A packet has to pass both ends. */
const both = (a: Answer, b: Answer): Answer =>
  a === 'deny' || b === 'deny' ? 'deny' : a === 'unknown' || b === 'unknown' ? 'unknown' : 'accept';

/** All combinations of what two ends do. */
function* combineSlices(out: Profile, into: Profile): Generator<readonly [Slice, Slice, Answer]> {
  for (const first of out.slices) {
    for (const second of into.slices) yield [first, second, both(first.answer, second.answer)];
  }
}

const haveCommon = (a: readonly ServiceSet[], b: readonly ServiceSet[]): boolean =>
  a.some((one) => b.some((other) => meetServices(one, other)));
const intersectAll = (a: readonly ServiceSet[], b: readonly ServiceSet[]): ServiceSet[] =>
  a.flatMap((one) => b.flatMap((other) => intersectServices(one, other) ?? []));

/** `ANSWER_BITS` of all packets between two ends; 0: there are none. */
function sumAnswers(one: Profile, other: Profile): number {
  const [out, into] = [one.byAnswer, other.byAnswer];
  const has = (verdict: Answer) =>
    ANSWERS.some((a) => ANSWERS.some((b) => both(a, b) === verdict && haveCommon(out[a], into[b])));
  return ANSWERS.reduce((sum, verdict) => (has(verdict) ? sum | ANSWER_BITS[verdict] : sum), 0);
}

/** How much a slice says about why something passes, best first; null: nothing does. */
export const rankSlice = (verdict: Answer, open: boolean): number | null =>
  verdict === 'deny' ? null : (verdict === 'accept' ? 0 : 2) + (open ? 0 : 1);

/** What happens between two addresses. Equal ones are the same object. Most are only asked for their answers. */
export class Pair {
  #slices: readonly PairSlice[] | undefined;
  readonly #services = new Map<Answer, readonly ServiceSet[]>();
  #best: PairSlice | null | undefined;

  constructor(
    readonly id: number,
    readonly out: Profile,
    readonly into: Profile,
    readonly answers: number,
  ) {}

  /** All packets, by verdict and what decides them. */
  get slices(): readonly PairSlice[] {
    this.#slices ??= this.#combine();
    return this.#slices;
  }

  #combine(): PairSlice[] {
    const found = new Map<string, PairSlice>();
    for (const [first, second, verdict] of combineSlices(this.out, this.into)) {
      const services = intersectAll(first.services, second.services);
      if (services.length === 0) continue;
      const key = `${first.decider}\n${second.decider}`;
      const all = [...(found.get(key)?.services ?? []), ...services];
      found.set(key, toSlice(first, second, verdict, all));
    }
    return [...found.values()].map((slice) => ({ ...slice, services: uniteServices(slice.services) }));
  }

  /** Packets with one verdict, whatever decides them. */
  services(verdict: 'accept' | 'unknown'): readonly ServiceSet[] {
    const known = this.#services.get(verdict) ?? this.#unite(verdict);
    this.#services.set(verdict, known);
    return known;
  }

  #unite(verdict: 'accept' | 'unknown'): readonly ServiceSet[] {
    const [out, into] = [this.out.byAnswer, this.into.byAnswer];
    if (verdict === 'accept') return intersectAll(out.accept, into.accept);
    return [...intersectAll(out.unknown, [...into.accept, ...into.unknown]), ...intersectAll(out.accept, into.unknown)];
  }

  /** Of what passes or may pass, the slice that says most about why; null: nothing does. */
  get best(): PairSlice | null {
    this.#best ??= this.#findBest();
    return this.#best;
  }

  #findBest(): PairSlice | null {
    let best: { readonly rank: number; readonly ends: readonly [Slice, Slice, Answer] } | null = null;
    for (const ends of combineSlices(this.out, this.into)) {
      const [first, second, verdict] = ends;
      const rank = rankSlice(verdict, second.open);
      if (rank === null || (best && best.rank <= rank) || !haveCommon(first.services, second.services)) continue;
      best = { rank, ends };
      if (rank === 0) break;
    }
    if (!best) return null;
    const [first, second, verdict] = best.ends;
    return toSlice(first, second, verdict, intersectAll(first.services, second.services));
  }
}

const toSlice = (first: Slice, second: Slice, verdict: Answer, services: readonly ServiceSet[]): PairSlice => ({
  verdict,
  source: first.decider,
  destination: second.decider,
  open: second.open,
  services,
});

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

  /** Addresses about which is known what their place does with all services. */
  get loaded(): number {
    return this.#outs.size + this.#ins.size;
  }

  /** Frees what is known about an address, which is found out once more if it is asked about after all. */
  forget(side: 'source' | 'destination', at: number): void {
    (side === 'source' ? this.#outs : this.#ins).delete(at);
    this.#pairs.clear();
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

  /** `ANSWER_BITS` of all packets of a pair; 0: there are none. Where one end denies all of them, the other is not evaluated. */
  answers(source: number, destination: number): number {
    const [from, to] = [this.from.spots[source], this.to.spots[destination]];
    if (!from || !to || from.place.key === to.place.key) return 0;
    const isIntoKnown = this.#ins.has(destination);
    const profile = isIntoKnown ? this.into(destination).ofSpot[source] : this.out(source).ofSpot[destination];
    if (!profile) return 0;
    if (profile.slices.some(({ answer }) => answer !== 'deny')) return this.pair(source, destination)?.answers ?? 0;
    const own = isIntoKnown ? listOwnAddresses(from.place, this.to) : listOwnAddresses(to.place, this.from);
    return own.includes(isIntoKnown ? to.value : from.value) ? 0 : ANSWER_BITS.deny;
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
    const answers = sumAnswers(out, into);
    const made = answers === 0 ? null : new Pair(this.#pairs.size, out, into, answers);
    this.#pairs.set(key, made);
    return made;
  }
}

const FAMILIES = [4, 6] as const;

/**
 * What happens between the addresses of two ends.
 * @param keeps whether all of it is compared with each other: not where places are forgotten once they are answered
 */
export function buildPairs(
  from: TestEnd,
  to: TestEnd,
  service: Service,
  identify: Identify,
  keeps = true,
): FamilyPairs[] {
  const profiles = new Profiles(identify, keeps);
  return FAMILIES.map((family) => new FamilyPairs(family, from, to, service, profiles));
}
