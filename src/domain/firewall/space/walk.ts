import { areDisjoint, type Bits, eachBit, firstBit, intersectBits, isSubset, onlyBit, subtractBits } from './bits';
import { DIMENSIONS, ENDS_IN_255, ENDS_OTHERWISE, type Region, type RegionCut } from './dimensions';

/** A set of packets as classes of each dimension, in the order of `DIMENSIONS`; none of them empty. */
export type Piece = readonly Bits[];

/** Of each address: the classes with one that ends in .255, and with one that does not. */
export type OctetClasses = Readonly<
  Record<'sources' | 'destinations', { readonly in_255: Bits; readonly other: Bits }>
>;

const getDimensionIndex = (dimension: (typeof DIMENSIONS)[number]) => DIMENSIONS.indexOf(dimension);
export const OCTET_PLACES = [
  { octet: getDimensionIndex('destination_255'), addresses: getDimensionIndex('destinations'), end: 'destinations' },
  { octet: getDimensionIndex('source_255'), addresses: getDimensionIndex('sources'), end: 'sources' },
] as const;

export function meets(piece: Piece, region: Region): boolean {
  for (let at = 0; at < piece.length; at++) {
    const limit = region[at];
    if (limit && areDisjoint(piece[at] as Bits, limit)) return false;
  }
  return true;
}

/** Without the classes that have no address with such an ending; null when that leaves none. */
function fitOctets(piece: Piece, octets: OctetClasses): Piece | null {
  let fitted = piece;
  for (const { octet, addresses, end } of OCTET_PLACES) {
    const ending = fitted[octet] as Bits;
    const possible = !isSubset(ENDS_OTHERWISE, ending)
      ? octets[end].in_255
      : !isSubset(ENDS_IN_255, ending)
        ? octets[end].other
        : null;
    const classes = fitted[addresses] as Bits;
    if (!possible || isSubset(classes, possible)) continue;
    const left = intersectBits(classes, possible);
    if (firstBit(left) < 0) return null;
    fitted = fitted.with(addresses, left);
  }
  return fitted;
}

/** The part of a piece that is in a region (null when there is none), and the rest as pieces apart from each other. */
export function splitPiece(
  piece: Piece,
  region: Region,
  octets: OctetClasses,
): { inside: Piece | null; outside: Piece[] } {
  if (!meets(piece, region)) return { inside: null, outside: [piece] };
  const outside: Piece[] = [];
  let inside = piece;
  for (let at = 0; at < piece.length; at++) {
    const [bits, limit] = [piece[at] as Bits, region[at]];
    if (!limit || isSubset(bits, limit)) continue;
    const fitted = fitOctets(inside.with(at, subtractBits(bits, limit)), octets);
    if (fitted) outside.push(fitted);
    inside = inside.with(at, intersectBits(bits, limit));
  }
  return { inside: fitOctets(inside, octets), outside };
}

/** A stage of a walk. @property selects packets that meet none of its steps are left out */
export type WalkStage = { readonly cuts: readonly RegionCut[]; readonly selects: boolean };

type Task = { readonly piece: Piece; readonly stage: number; readonly at: number };

/** Dimensions in which rules differ most, the most different one first. */
const TELLING = (['destination_ports', 'sources', 'destinations'] as const).map(getDimensionIndex);

/** Places of steps, in order: of those without a limit in a dimension, and of the others by class. */
type Places = { readonly any: readonly number[]; readonly byClass: ReadonlyMap<number, readonly number[]> };

function listPlaces(cuts: readonly RegionCut[], dimension: number): Places {
  const any: number[] = [];
  const byClass = new Map<number, number[]>();
  for (const [at, { when }] of cuts.entries()) {
    const limit = when[dimension];
    if (!limit) any.push(at);
    else {
      eachBit(limit, (id) => {
        const places = byClass.get(id);
        if (places) places.push(at);
        else byClass.set(id, [at]);
      });
    }
  }
  return { any, byClass };
}

/** Finds the steps of a stage that pieces meet. Most pieces are of one service or network, and few of many rules are about that. */
class StepFinder {
  readonly #cuts: readonly RegionCut[];
  readonly #places: (Places | undefined)[] = [];

  constructor(cuts: readonly RegionCut[]) {
    this.#cuts = cuts;
  }

  /** The place of the first step from some place on that some of the packets meet; none: how many there are. */
  find(piece: Piece, from: number): number {
    const cuts = this.#cuts;
    for (const dimension of TELLING) {
      const only = onlyBit(piece[dimension] as Bits);
      if (only < 0) continue;
      this.#places[dimension] ??= listPlaces(cuts, dimension);
      const { any, byClass } = this.#places[dimension];
      const first = this.#findAmong(piece, any, from, cuts.length);
      return this.#findAmong(piece, byClass.get(only) ?? [], from, first);
    }
    let at = from;
    while (at < cuts.length && !meets(piece, (cuts[at] as RegionCut).when)) at++;
    return at;
  }

  #findAmong(piece: Piece, places: readonly number[], from: number, before: number): number {
    for (const at of places) {
      if (at >= before) break;
      if (at >= from && meets(piece, (this.#cuts[at] as RegionCut).when)) return at;
    }
    return before;
  }
}

/** Divides a piece by the steps of all stages. Packets of a part meet the same steps. */
export function* walk(start: Piece, all: readonly WalkStage[], octets: OctetClasses): Generator<Piece> {
  // Most steps are about other addresses or services than those in question: what the whole does not meet, no part of it does.
  const stages = all.map(({ cuts: each, selects }) => {
    const cuts = each.filter(({ when }) => meets(start, when));
    return { selects, cuts, steps: new StepFinder(cuts) };
  });
  const tasks: Task[] = [{ piece: start, stage: 0, at: 0 }];
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const { piece, stage } = task;
    const current = stages[stage];
    if (!current) {
      yield piece;
      continue;
    }
    const { cuts, selects, steps } = current;
    const at = steps.find(piece, task.at);
    const found = cuts[at];
    if (!found) {
      if (!selects) tasks.push({ piece, stage: stage + 1, at: 0 });
      continue;
    }
    const { inside, outside } = splitPiece(piece, found.when, octets);
    for (const rest of outside) tasks.push({ piece: rest, stage, at: at + 1 });
    for (const part of inside ? divide(inside, found.divides, octets) : []) {
      tasks.push(found.ends ? { piece: part, stage: stage + 1, at: 0 } : { piece: part, stage, at: at + 1 });
    }
  }
}

/** Divides a piece by the first region that its packets are in. */
export function divide(piece: Piece, regions: readonly Region[], octets: OctetClasses): Piece[] {
  let rest: Piece[] = [piece];
  const parts: Piece[] = [];
  for (const region of regions) {
    const left: Piece[] = [];
    for (const candidate of rest) {
      const { inside, outside } = splitPiece(candidate, region, octets);
      if (inside) parts.push(inside);
      left.push(...outside);
    }
    rest = left;
  }
  return [...parts, ...rest];
}
