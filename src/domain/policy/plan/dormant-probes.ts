import { addressCuts } from '../../firewall/address-cuts';
import type { CompiledRule } from '../../firewall/compiled-rule';
import { hasPorts, ICMP, ICMPV6, TCP, UDP } from '../../firewall/data/protocols';
import type { Packet } from '../../firewall/packet';
import type { PortSet } from '../../firewall/port-match';
import { chainRules, type PreparedGuest } from '../../firewall/prepare-guest';
import type { IpAddress } from '../../net/ip-address';

/** A protocol that no rule names by number, as representative of all such protocols. */
const OTHER_PROTOCOL = 253;
/** Where the hypervisor's own chains tell ports apart. */
const OWN_PORTS = [0, 43, 53, 67, 68, 135, 137, 139, 445, 546, 547, 1024, 1900];
/** Types that these and connection tracking treat alike: answers, errors, requests, listener messages, discovery. */
const OWN_ICMP = {
  [ICMP]: [[0], [3], [8, 13, 15, 17], [11]],
  [ICMPV6]: [[1], [2], [4], [128, 139], [129], [130, 131, 132, 143], [133, 135, 136], [134], [137]],
} as const;

/** The first value of each range, and every cut within. Without ranges the whole line. */
function pointsIn<T extends number | bigint>(
  ranges: readonly { first: T; last: T }[] | null,
  cuts: Iterable<T>,
  zero: T,
): T[] {
  const points = new Set<T>(ranges?.map(({ first }) => first) ?? [zero]);
  for (const cut of cuts) {
    if (!ranges || ranges.some(({ first, last }) => first <= cut && cut <= last)) points.add(cut);
  }
  return [...points];
}

function portCuts(rules: readonly CompiledRule[], end: 'source_ports' | 'destination_ports'): Set<number> {
  const cuts = new Set(OWN_PORTS);
  for (const { [end]: set } of rules) {
    for (const { first, last } of set?.ranges ?? []) {
      cuts.add(first);
      if (last < 65_535) cuts.add(last + 1);
    }
  }
  return cuts;
}

const portRanges = (set: PortSet | null) => (set === null || set.rest === 'unknown' ? null : set.ranges);

type Dimensions = {
  sports: readonly number[];
  dports: readonly number[];
  icmp: readonly (readonly [number, number])[];
};

/** Ports, or types of ICMP, with which packets of a protocol have to be tried. */
function computeDimensions(part: CompiledRule, protocol: number, rules: readonly CompiledRule[]): Dimensions {
  const none: Dimensions = { sports: [0], dports: [0], icmp: [[0, 0]] };
  if (hasPorts(protocol)) {
    return {
      ...none,
      sports: pointsIn(portRanges(part.source_ports), portCuts(rules, 'source_ports'), 0),
      dports: pointsIn(portRanges(part.destination_ports), portCuts(rules, 'destination_ports'), 0),
    };
  }
  if (protocol !== ICMP && protocol !== ICMPV6) return none;
  return { ...none, icmp: computeIcmpKinds(part, protocol, rules) };
}

/** Each type and code that a rule names, and of those that are treated alike otherwise one that no rule names. */
function computeIcmpKinds(
  { icmp: own }: CompiledRule,
  protocol: typeof ICMP | typeof ICMPV6,
  rules: readonly CompiledRule[],
): [number, number][] {
  const codesOf = new Map<number, Set<number>>();
  for (const { icmp } of rules) {
    if (!icmp) continue;
    const codes = codesOf.get(icmp.type) ?? new Set();
    codesOf.set(icmp.type, icmp.code === undefined ? codes : codes.add(icmp.code));
  }
  const unnamed = OWN_ICMP[protocol].flatMap((alike) => alike.find((type) => !codesOf.has(type)) ?? []);
  const types = own ? [own.type] : [...unnamed, ...codesOf.keys()];
  return types.flatMap((type) => {
    if (own?.code !== undefined) return [[type, own.code]];
    const codes = [...(codesOf.get(type) ?? [])];
    // Of one code more than rules name, at least one is not named.
    const other =
      Array.from({ length: codes.length + 1 }, (_, code) => code).find((code) => !codes.includes(code)) ?? 0;
    return [...codes, other].map((code): [number, number] => [type, code]);
  });
}

/**
 * Packets that a compiled rule may match: one of each kind that the rules of the chain, and the hypervisor's own,
 * distinguish. What holds for all of them holds for every packet that the rule matches.
 */
export function* generateProbes(
  part: CompiledRule,
  guest: PreparedGuest,
  direction: 'in' | 'out',
  family: 4 | 6,
): Generator<Packet> {
  const rules = chainRules(guest, direction, family);
  const ends = (['source', 'destination'] as const).map((end) => {
    const set = part[end];
    const spans = set === null || set.rest === 'unknown' ? null : set[family];
    const cuts = addressCuts(guest, direction, family, end);
    return pointsIn(spans, cuts, 0n).map((value): IpAddress => ({ family, value }));
  });
  const [sources = [], destinations = []] = ends;
  const named = rules.flatMap(({ protocol }) => (protocol === null ? [] : [protocol]));
  const protocols =
    part.protocol === null
      ? new Set([TCP, UDP, family === 4 ? ICMP : ICMPV6, ...named, OTHER_PROTOCOL])
      : [part.protocol];
  for (const protocol of protocols) {
    const { sports, dports, icmp } = computeDimensions(part, protocol, rules);
    const ports = hasPorts(protocol);
    const isIcmp = protocol === ICMP || protocol === ICMPV6;
    for (const destination of destinations)
      for (const [type, code] of icmp)
        for (const dport of dports)
          for (const source of sources)
            for (const sport of sports)
              yield {
                direction,
                source,
                destination,
                protocol,
                ...(ports && { source_port: sport, destination_port: dport }),
                ...(isIcmp && { icmp_type: type, icmp_code: code }),
              };
  }
}
