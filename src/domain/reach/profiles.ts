import type { LiveRule } from '../firewall/live-state';
import { type Addresses, allAddresses, isEmptyBox } from '../firewall/space/box';
import { intersectSpans, joinSpans, spansHave, subtractSpans } from '../firewall/space/spans';
import { parseMarker } from '../policy/marker';
import { type Service, serviceBox } from '../policy-tests/packet-set';
import { type DecidedBy, type PlacePart, partsAt } from '../policy-tests/place-parts';
import { type Answer, pointSpans, type TestPlace } from '../policy-tests/test-end';
import { joinPorts, type ServiceSet, serviceText, toServiceSet, uniteServices } from './services';
import { type EndSpots, listOwnAddresses, type Spot } from './spots';

/** Packets that a place treats alike, by service. */
export type Slice = {
  readonly answer: Answer;
  /** The answer with what decides, as a text: equal texts are the same to the reader. */
  readonly decider: string;
  /** No rule decides: a default policy, or nothing filters. */
  readonly open: boolean;
  readonly services: readonly ServiceSet[];
};

/** All that a place does with the packets of one pair of addresses. Equal profiles are the same object. */
export class Profile {
  #byAnswer: Readonly<Record<Answer, readonly ServiceSet[]>> | undefined;

  constructor(
    readonly id: number,
    readonly slices: readonly Slice[],
  ) {}

  /** Its packets by what happens to them, whatever decides it. */
  get byAnswer(): Readonly<Record<Answer, readonly ServiceSet[]>> {
    this.#byAnswer ??= {
      accept: this.#listServices('accept'),
      deny: this.#listServices('deny'),
      unknown: this.#listServices('unknown'),
    };
    return this.#byAnswer;
  }

  #listServices(answer: Answer): readonly ServiceSet[] {
    return uniteServices(joinPorts(this.slices.flatMap((slice) => (slice.answer === answer ? slice.services : []))));
  }
}

/** What a place does with packets of addresses that no place has. */
export type OutsideSlice = Slice & { readonly addresses: Addresses };

/** What decides at a place. */
export type Decided = Pick<PlacePart, 'answer' | 'interface' | 'decided_by'>;

/** What a place does with packets between one of its addresses and each of the other end. */
export type SpotProfiles = {
  /** By the number of the spot; null: no packets are exchanged. */
  readonly ofSpot: readonly (Profile | null)[];
  readonly outside: readonly OutsideSlice[];
  /** What decides there, by the text of the slices. */
  readonly decided: ReadonlyMap<string, Decided>;
};

/** What decides, as a text. */
export type Identify = (place: TestPlace, by: DecidedBy) => string;

/** Rules of different places differ, whatever they say. */
export const identifyByPlace: Identify = (place, by) =>
  by.kind === 'rule' || by.kind === 'unknown' ? `${place.key} ${JSON.stringify(by)}` : JSON.stringify(by);

/**
 * A rule that a policy has placed at several workloads is one rule to the reader.
 * @param findRule the live rule that decides at a place; null: it is not known
 */
export const identifyByPolicy =
  (findRule: (place: TestPlace, by: DecidedBy) => LiveRule | null): Identify =>
  (place, by) => {
    const marker = by.kind === 'rule' ? parseMarker(findRule(place, by)?.comment) : null;
    if (!marker) return identifyByPlace(place, by);
    return `policy ${marker.instance} ${marker.policy_id} ${marker.version} ${marker.rule_hash}`;
  };

const inText = ({ decider, services }: Slice) => `${decider} ${services.map(serviceText).sort().join(' ')}`;

/** Profiles and the text of deciders, shared by all spots of one question. */
export class Profiles {
  readonly #byText = new Map<string, Profile>();
  #count = 0;

  /** @param keeps whether equal profiles of different places are found; a question that forgets places needs none of that */
  constructor(
    readonly identify: Identify,
    readonly keeps: boolean,
  ) {}

  intern(slices: readonly Slice[]): Profile {
    const merged = mergeSlices(slices);
    if (!this.keeps) return new Profile(this.#count++, merged);
    const text = merged.map(inText).sort().join('\n');
    const known = this.#byText.get(text) ?? new Profile(this.#count++, merged);
    this.#byText.set(text, known);
    return known;
  }
}

function mergeSlices(slices: readonly Slice[]): Slice[] {
  const byDecider = new Map<string, Slice>();
  for (const slice of slices) {
    const known = byDecider.get(slice.decider);
    byDecider.set(slice.decider, known ? { ...known, services: [...known.services, ...slice.services] } : slice);
  }
  return [...byDecider.values()].map((slice) => ({ ...slice, services: uniteServices(joinPorts(slice.services)) }));
}

/** Outside addresses that are treated alike are one slice. */
function mergeOutside(slices: readonly OutsideSlice[]): OutsideSlice[] {
  const byAddresses = new Map<string, OutsideSlice[]>();
  for (const slice of slices) {
    const { spans, last_octet } = slice.addresses;
    const key = `${last_octet} ${spans.map(({ first, last }) => `${first.toString(36)}-${last.toString(36)}`).join()}`;
    byAddresses.set(key, [...(byAddresses.get(key) ?? []), slice]);
  }
  return [...byAddresses.values()].flatMap((group) => {
    const addresses = group[0]?.addresses ?? { spans: [] };
    return mergeSlices(group).map((slice) => ({ ...slice, addresses }));
  });
}

/** Addresses of the other end up to which filters are asked about these only, not about all there are. */
const FEW_ADDRESSES = 32;

/**
 * What the filters of a place do with packets between one of its addresses and those of the other end, in one direction. Each part
 * leads the addresses that it holds one step down a tree, so that addresses with the same parts end at the same node.
 */
export function profileSpot(
  { place, value }: Spot,
  direction: 'in' | 'out',
  other: EndSpots,
  service: Service,
  profiles: Profiles,
): SpotProfiles {
  const near = pointSpans([value]);
  const { family } = other;
  // Filters distinguish few addresses: to divide all of them takes less time than to look up thousands.
  const far = other.all.length > FEW_ADDRESSES ? allAddresses(family) : other.all;
  const box = direction === 'in' ? serviceBox(family, service, far, near) : serviceBox(family, service, near, far);
  const own = listOwnAddresses(place, other);
  const strangers = own.some((address) => spansHave(other.outside, address))
    ? subtractSpans(other.outside, joinSpans(pointSpans(own)))
    : other.outside;
  const nodeOf = new Int32Array(other.spots.length);
  const parents = [0];
  const partOf = [-1];
  const steps = new Map<number, number>();
  const slices: Slice[] = [];
  const outside: OutsideSlice[] = [];
  const decided = new Map<string, Decided>();
  const addSlice = ({ answer, interface: nic, decided_by, box: packets }: PlacePart): Slice => {
    const decider = `${answer} ${profiles.identify(place, decided_by)}`;
    if (!decided.has(decider)) decided.set(decider, { answer, interface: nic, decided_by });
    const open = decided_by.kind === 'default' || decided_by.kind === 'not_enforced';
    return { answer, decider, open, services: [toServiceSet(packets)] };
  };
  for (const part of partsAt(place, direction, box)) {
    const side = direction === 'in' ? part.box.sources : part.box.destinations;
    let at = -1;
    let [from, to] = [-1, -1];
    steps.clear();
    other.visit(side, (spot) => {
      // Neighbors usually took the same steps.
      if (nodeOf[spot] !== from) {
        from = nodeOf[spot] as number;
        to = steps.get(from) ?? -1;
      }
      if (to < 0) {
        if (at < 0) at = slices.push(addSlice(part)) - 1;
        to = parents.push(from) - 1;
        partOf.push(at);
        steps.set(from, to);
      }
      nodeOf[spot] = to;
    });
    if (strangers.length === 0) continue;
    const addresses = { ...side, spans: intersectSpans(side.spans, strangers) };
    const alone = { ...part.box, [direction === 'in' ? 'sources' : 'destinations']: addresses };
    if (!isEmptyBox(alone)) outside.push({ ...(slices[at] ?? addSlice(part)), addresses });
  }
  const known: (Profile | null | undefined)[] = [null];
  const profileAt = (node: number): Profile | null => {
    const found = known[node];
    if (found !== undefined) return found;
    const chain: Slice[] = [];
    for (let step = node; step !== 0; step = parents[step] as number)
      chain.push(slices[partOf[step] as number] as Slice);
    const profile = profiles.intern(chain);
    known[node] = profile;
    return profile;
  };
  other.visit({ spans: pointSpans(own) }, (spot) => {
    nodeOf[spot] = 0;
  });
  return { ofSpot: Array.from(nodeOf, profileAt), outside: mergeOutside(outside), decided };
}
