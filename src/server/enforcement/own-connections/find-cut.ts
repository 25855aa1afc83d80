import { type Box, findWitness, isEmptyBox } from '@/domain/firewall/space/box';
import { joinSpans, subtractSpans } from '@/domain/firewall/space/spans';
import { type TestFinding, toStoredPacket } from '@/domain/policy-tests/decide';
import { hostSpans, type Service, serviceBox } from '@/domain/policy-tests/packet-set';
import {
  type FilterPart,
  type PlaceFilter,
  pointSpans,
  type TestEnd,
  type TestPlace,
  toAnswer,
} from '@/domain/policy-tests/test-end';

const FAMILIES = [4, 6] as const;
type Side = 'source' | 'destination';

/** What a change does to a connection at one place; `finding` shows one packet, null when its firewall was not read. */
export type Cut = { readonly effect: 'cut' | 'unknown'; readonly finding: TestFinding | null };

/** All addresses of an end that a place exchanges packets with. */
function listPeerAddresses(end: TestEnd, place: TestPlace, family: 4 | 6) {
  const known = end.places.flatMap(({ addresses }) => addresses[family]);
  const all = hostSpans(joinSpans([...end.outside[family], ...pointSpans(known)]), family);
  const own = [...place.addresses[family], ...(family === 4 ? place.broadcasts : [])].sort((a, b) => (a < b ? -1 : 1));
  return subtractSpans(all, joinSpans(pointSpans(own)));
}

type Lost = { readonly certain: boolean; readonly box: Box; readonly by: FilterPart['verdict'] };

/** Packets that one interface no longer accepts, or of which that is not known; a certain loss rather than a doubt. */
function findLost(before: PlaceFilter, after: PlaceFilter, direction: 'in' | 'out', box: Box): Lost | null {
  let doubt: Lost | null = null;
  for (const old of before.parts(direction, box)) {
    const was = toAnswer(old.verdict);
    if (was === 'deny') continue;
    for (const part of after.parts(direction, old.box)) {
      const is = toAnswer(part.verdict);
      if (is === 'accept') continue;
      const lost = { certain: was === 'accept' && is === 'deny', box: part.box, by: part.verdict };
      if (lost.certain) return lost;
      doubt ??= lost;
    }
  }
  return doubt;
}

const acceptsSome = (filter: PlaceFilter, direction: 'in' | 'out', box: Box): boolean => {
  for (const part of filter.parts(direction, box)) if (toAnswer(part.verdict) !== 'deny') return true;
  return false;
};

function toFinding(lost: Lost, side: Side, nic: string | null, place: TestPlace, other: TestEnd): TestFinding | null {
  const packet = findWitness(lost.box, side === 'source' ? 'out' : 'in');
  if (!packet) return null;
  const far = side === 'source' ? packet.destination : packet.source;
  const holder = other.places.find(({ addresses }) => addresses[far.family].includes(far.value))?.ref ?? null;
  return {
    packet: toStoredPacket(packet),
    source_place: side === 'source' ? place.ref : holder,
    destination_place: side === 'destination' ? place.ref : holder,
    side,
    interface: nic,
    decided_by: lost.by.decided_by,
  };
}

/**
 * Whether a place accepts packets of a connection before a change and not after it. Only the place itself is looked at: what the
 * other end does with them is no concern of the change.
 * @param anyClient the other end is not known, so that losing some of its addresses may matter to no client
 */
export function findCut(
  service: Service,
  side: Side,
  before: TestPlace,
  after: TestPlace,
  other: TestEnd,
  anyClient: boolean,
): Cut | null {
  const direction = side === 'source' ? 'out' : 'in';
  let doubt: Cut | null = null;
  for (const family of FAMILIES) {
    const near = pointSpans(after.addresses[family]);
    const far = listPeerAddresses(other, after, family);
    const box = side === 'source' ? serviceBox(family, service, near, far) : serviceBox(family, service, far, near);
    if (isEmptyBox(box)) continue;
    if (after.filters.length === 0) doubt ??= { effect: 'unknown', finding: null };
    // Which interface has the address is not known: only what all lose that accepted any of it is lost for sure.
    const lost = after.filters.flatMap((filter, at) => {
      const old = before.filters[at];
      if (!old || !acceptsSome(old, direction, box)) return [];
      return [{ interface: filter.interface, lost: findLost(old, filter, direction, box) }];
    });
    const first = lost.find((one) => one.lost?.certain) ?? lost.find((one) => one.lost);
    if (!first?.lost) continue;
    const finding = toFinding(first.lost, side, first.interface, after, other);
    const everywhere = lost.every((one) => one.lost?.certain);
    const partial = anyClient && after.filters.some((filter) => acceptsSome(filter, direction, box));
    if (everywhere && !partial) return { effect: 'cut', finding };
    doubt ??= { effect: 'unknown', finding };
  }
  return doubt;
}
