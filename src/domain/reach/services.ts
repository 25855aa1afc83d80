import { type Box, intersectBoxes, isEmptyBox } from '../firewall/space/box';
import { equalSpans, joinSpans, type Span } from '../firewall/space/spans';

/** Packets by protocol, ports and ICMP types only: a box whose addresses mean nothing. */
export type ServiceSet = Box;

const ANY_HOST = { spans: [{ first: 1n, last: 1n }] } as const;

/** What a box says besides addresses. */
export const toServiceSet = (box: Box): ServiceSet => ({ ...box, sources: ANY_HOST, destinations: ANY_HOST });

/** What both sets have; null: nothing. */
export function intersectServices(a: ServiceSet, b: ServiceSet): ServiceSet | null {
  const both = intersectBoxes(a, b);
  return isEmptyBox(both) ? null : both;
}

const sameList = (a: readonly number[], b: readonly number[]) =>
  a === b || (a.length === b.length && a.every((value, at) => value === b[at]));
const sameSpans = (a: readonly Span<number>[], b: readonly Span<number>[]) => a === b || equalSpans(a, b);

const FIELDS = ['destination_ports', 'source_ports', 'icmp'] as const;

/** One set for two that differ in one dimension only; null for others. */
function uniteTwo(a: ServiceSet, b: ServiceSet): ServiceSet | null {
  const differing = FIELDS.filter((field) => !sameSpans(a[field], b[field]));
  const protocols = sameList(a.protocols, b.protocols);
  if (protocols && differing.length === 0) return a;
  if (protocols && differing.length === 1) {
    const [field = 'icmp'] = differing;
    return { ...a, [field]: joinSpans([...a[field], ...b[field]]) };
  }
  if (differing.length > 0) return null;
  return { ...a, protocols: [...new Set([...a.protocols, ...b.protocols])].sort((x, y) => x - y) };
}

/** The same packets in fewer sets. */
export function uniteServices(sets: readonly ServiceSet[]): ServiceSet[] {
  const united: ServiceSet[] = [];
  for (const set of sets) {
    let whole = set;
    for (let at = 0; at < united.length; ) {
      const merged = uniteTwo(united[at] as ServiceSet, whole);
      if (merged) {
        whole = merged;
        united.splice(at, 1);
        at = 0;
      } else at++;
    }
    united.push(whole);
  }
  return united;
}

const listText = (list: readonly Span<number>[]): string => list.map(({ first, last }) => `${first}-${last}`).join();

/** Equal sets of equal shape have equal texts. */
export const serviceText = (set: ServiceSet): string =>
  `${set.family} ${set.protocols.join()} ${FIELDS.map((field) => listText(set[field])).join(' ')}`;
