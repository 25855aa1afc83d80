import { type Box, getProtocolKind, type Kind } from '../firewall/space/box';
import { equalSpans, intersectSpans, joinSpans, overlap, type Span } from '../firewall/space/spans';

/** Packets by protocol, ports and ICMP types only: a box whose addresses mean nothing. */
export type ServiceSet = Box;

const ANY_HOST = { spans: [{ first: 1n, last: 1n }] } as const;

/** What a box says besides addresses. */
export const toServiceSet = (box: Box): ServiceSet => ({ ...box, sources: ANY_HOST, destinations: ANY_HOST });

/** Packets of a set that a filter divides are of one kind: with ports, ICMP, or with neither. */
const getKind = ({ protocols, family }: ServiceSet): Kind => getProtocolKind(protocols[0] ?? 0, family);

const intersectLists = (a: readonly number[], b: readonly number[]): readonly number[] => {
  if (a === b || sameList(a, b)) return a;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length === 1
    ? long.includes(short[0] as number)
      ? short
      : []
    : short.filter((one) => long.includes(one));
};

/** Whether some packet is in both sets. Each is of one kind. */
export function meetServices(a: ServiceSet, b: ServiceSet): boolean {
  const kind = getKind(a);
  if (kind !== getKind(b)) return false;
  if (kind === 'icmp' && !overlap(a.icmp, b.icmp)) return false;
  if (kind === 'ports' && !overlap(a.destination_ports, b.destination_ports)) return false;
  if (kind === 'ports' && !overlap(a.source_ports, b.source_ports)) return false;
  return intersectLists(a.protocols, b.protocols).length > 0;
}

/** What both sets have; null: nothing. Each is of one kind. */
export function intersectServices(a: ServiceSet, b: ServiceSet): ServiceSet | null {
  if (!meetServices(a, b)) return null;
  const kind = getKind(a);
  const protocols = intersectLists(a.protocols, b.protocols);
  return {
    ...a,
    protocols,
    ...(kind === 'icmp' && { icmp: intersectSpans(a.icmp, b.icmp) }),
    ...(kind === 'ports' && {
      destination_ports: intersectSpans(a.destination_ports, b.destination_ports),
      source_ports: intersectSpans(a.source_ports, b.source_ports),
    }),
  };
}

const sameList = (a: readonly number[], b: readonly number[]) =>
  a === b || (a.length === b.length && a.every((value, at) => value === b[at]));
const sameSpans = (a: readonly Span<number>[], b: readonly Span<number>[]) => a === b || equalSpans(a, b);

const FIELDS = ['destination_ports', 'source_ports', 'icmp'] as const;

/** One set for two that differ in one dimension only; null for others. */
function uniteTwo(a: ServiceSet, b: ServiceSet, acrossKinds: boolean): ServiceSet | null {
  if (!acrossKinds && getKind(a) !== getKind(b)) return null;
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

/** The same packets in fewer sets. @param acrossKinds sets of all kinds may become one, which is for readers only */
export function uniteServices(sets: readonly ServiceSet[], acrossKinds = false): readonly ServiceSet[] {
  if (sets.length < 2) return sets;
  const united: ServiceSet[] = [];
  for (const set of sets) {
    let whole = set;
    for (let at = 0; at < united.length; ) {
      const merged = uniteTwo(united[at] as ServiceSet, whole, acrossKinds);
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

/** Sets that differ in their destination ports only become one each: of rules that is nearly all of them. */
export function joinPorts(sets: readonly ServiceSet[]): readonly ServiceSet[] {
  if (sets.length < 2) return sets;
  const byRest = new Map<string, ServiceSet[]>();
  for (const set of sets) {
    const key = serviceText({ ...set, destination_ports: [] });
    const known = byRest.get(key);
    if (known) known.push(set);
    else byRest.set(key, [set]);
  }
  return [...byRest.values()].flatMap((group) => {
    const [first] = group;
    return first ? { ...first, destination_ports: joinSpans(group.flatMap((set) => set.destination_ports)) } : [];
  });
}

const listText = (list: readonly Span<number>[]): string => {
  let text = '';
  for (const { first, last } of list) text += `${first}-${last},`;
  return text;
};

/** Runs of numbers, because most sets have one protocol, and the others nearly all. */
function runText(numbers: readonly number[]): string {
  let text = '';
  for (let at = 0; at < numbers.length; at++) {
    const first = numbers[at] as number;
    while (numbers[at + 1] === (numbers[at] as number) + 1) at++;
    text += `${first}-${numbers[at]},`;
  }
  return text;
}

/** Equal sets of equal shape have equal texts. */
export const serviceText = (set: ServiceSet): string =>
  `${set.family} ${runText(set.protocols)} ${listText(set.destination_ports)} ${listText(set.source_ports)} ${listText(set.icmp)}`;
