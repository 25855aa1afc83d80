import type { AddressSet } from './address-set';
import { matchRule, needsRuleMatch } from './compile-rule';
import type { CompiledRule } from './compiled-rule';
import { hasPorts } from './data/protocols';
import { buildIntervalIndex, type IntervalIndex, lookUpInterval, type RuleBits } from './interval-index';
import type { Packet } from './packet';
import type { PortSet } from './port-match';

/** The rules of one direction and family, ready to be searched: five indexes whose bits are intersected. */
export type RuleIndex = {
  readonly family: 4 | 6;
  readonly rules: readonly CompiledRule[];
  /** Rules that need a closer look after their bits matched. */
  readonly closer: RuleBits;
  /** By protocol number. */
  readonly protocols: readonly RuleBits[];
  readonly sources: IntervalIndex<number> | IntervalIndex<bigint>;
  readonly destinations: IntervalIndex<number> | IntervalIndex<bigint>;
  readonly source_ports: IntervalIndex<number>;
  readonly destination_ports: IntervalIndex<number>;
};

function toRuleBits(rules: readonly CompiledRule[], has: (rule: CompiledRule) => boolean): RuleBits {
  const bits = new Uint32Array(Math.ceil(rules.length / 32));
  for (const [at, rule] of rules.entries()) if (has(rule)) bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
  return bits;
}

function indexProtocols(rules: readonly CompiledRule[]): RuleBits[] {
  const any = toRuleBits(rules, (rule) => rule.protocol === null);
  const named = new Set(rules.map((rule) => rule.protocol));
  return Array.from({ length: 256 }, (_, number) =>
    named.has(number) ? toRuleBits(rules, (rule) => rule.protocol === null || rule.protocol === number) : any,
  );
}

const indexPorts = (sets: readonly (PortSet | null)[]) =>
  buildIntervalIndex<number>(
    sets.map((set) => {
      if (!set || set.rest === 'unknown') return null;
      // Ranges of one rule may overlap; the index wants each value once.
      const sorted = [...set.ranges].sort((a, b) => a.first - b.first);
      const apart: { first: number; last: number }[] = [];
      for (const range of sorted) {
        const previous = apart.at(-1);
        if (previous && range.first <= previous.last) previous.last = Math.max(previous.last, range.last);
        else apart.push({ ...range });
      }
      return apart;
    }),
    (port) => port + 1,
  );

function indexAddresses(sets: readonly (AddressSet | null)[], family: 4 | 6) {
  const spans = sets.map((set) => (!set || set.rest === 'unknown' ? null : set[family]));
  if (family === 6) return buildIntervalIndex<bigint>(spans, (address) => address + 1n);
  // Numbers hold an IPv4 address exactly and are several times as fast as big integers.
  const small = spans.map(
    (list) => list?.map(({ first, last }) => ({ first: Number(first), last: Number(last) })) ?? null,
  );
  return buildIntervalIndex<number>(small, (address) => address + 1);
}

function build(rules: readonly CompiledRule[], family: 4 | 6): RuleIndex {
  const of = <K extends keyof CompiledRule>(key: K) => rules.map((rule) => rule[key]);
  return {
    family,
    rules,
    closer: toRuleBits(rules, needsRuleMatch),
    protocols: indexProtocols(rules),
    sources: indexAddresses(of('source'), family),
    destinations: indexAddresses(of('destination'), family),
    source_ports: indexPorts(of('source_ports')),
    destination_ports: indexPorts(of('destination_ports')),
  };
}

/** Indexes without rules. One is 5 KB, and most guests have no rules in some direction or family. */
const EMPTY = { 4: build([], 4), 6: build([], 6) };

/** Makes the rules of one direction and family searchable. */
export const buildRuleIndex = (rules: readonly CompiledRule[], family: 4 | 6): RuleIndex =>
  rules.length === 0 ? EMPTY[family] : build(rules, family);

function addressPlace(index: IntervalIndex<number> | IntervalIndex<bigint>, family: 4 | 6, value: bigint): number {
  // No rule looks at this address, so it need not be converted.
  if (index.starts.length === 0) return index.any;
  return family === 4
    ? lookUpInterval(index as IntervalIndex<number>, Number(value))
    : lookUpInterval(index as IntervalIndex<bigint>, value);
}

/**
 * The first rule that certainly matches, or null. Rules before it that may match are given to `undecided`.
 * The packet's family must be that of the index.
 */
export function firstMatch(
  index: RuleIndex,
  packet: Packet,
  undecided: (rule: CompiledRule, what: 'packet' | 'reference') => void,
): CompiledRule | null {
  const { rules, closer } = index;
  const words = closer.length;
  if (words === 0) return null;
  const { source_port: sport, destination_port: dport, protocol } = packet;
  const withPorts = hasPorts(protocol);
  const vague = withPorts && (sport === undefined || dport === undefined);
  const { sources, destinations, source_ports, destination_ports } = index;
  const a = index.protocols[protocol & 255] as RuleBits;
  const source = addressPlace(sources, index.family, packet.source.value);
  const destination = addressPlace(destinations, index.family, packet.destination.value);
  const from = withPorts && sport !== undefined ? lookUpInterval(source_ports, sport) : source_ports.any;
  const to = withPorts && dport !== undefined ? lookUpInterval(destination_ports, dport) : destination_ports.any;
  for (let word = 0; word < words; word++) {
    let left =
      (a[word] as number) &
      (sources.rows[source + word] as number) &
      (destinations.rows[destination + word] as number) &
      (source_ports.rows[from + word] as number) &
      (destination_ports.rows[to + word] as number);
    while (left !== 0) {
      const bit = 31 - Math.clz32(left & -left);
      left &= left - 1;
      const rule = rules[word * 32 + bit] as CompiledRule;
      if (!vague && (((closer[word] as number) >>> bit) & 1) === 0) return rule;
      const answer = matchRule(rule, packet);
      if (answer === 'yes') return rule;
      if (answer !== 'no') undecided(rule, answer);
    }
  }
  return null;
}
