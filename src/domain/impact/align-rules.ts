import type { AddressSet } from '../firewall/address-set';
import type { CompiledRule } from '../firewall/compiled-rule';
import { equalSpans } from '../firewall/space/spans';

/** Numbers of equal sets of addresses: two rules rarely have the same object, and often the same addresses. */
function internSets() {
  const known = new Map<string, AddressSet[]>();
  const ids = new Map<AddressSet, number>();
  const same = (a: AddressSet, b: AddressSet) => a.rest === b.rest && equalSpans(a[4], b[4]) && equalSpans(a[6], b[6]);
  return (set: AddressSet | null): number => {
    if (!set) return -1;
    const found = ids.get(set);
    if (found !== undefined) return found;
    const key = `${set[4].length} ${set[6].length} ${set[4][0]?.first} ${set[6][0]?.first}`;
    const candidates = known.get(key) ?? [];
    const equal = candidates.find((candidate) => same(candidate, set));
    const id = equal ? (ids.get(equal) ?? 0) : ids.size;
    if (!equal) known.set(key, [...candidates, set]);
    ids.set(set, id);
    return id;
  };
}

/** More pairs than this are not compared one by one; all rules between the first and the last difference then count as different. */
const MOST_PAIRS = 9_000_000;

/** Marks the elements of both lists that are in one longest common subsequence. */
function commonElements(a: readonly string[], b: readonly string[]): { a: Set<number>; b: Set<number> } {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] as number) + 1
          : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number);
    }
  }
  const common = { a: new Set<number>(), b: new Set<number>() };
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      common.a.add(i++);
      common.b.add(j++);
    } else if ((lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number)) i++;
    else j++;
  }
  return common;
}

/** Whether two rules are surely equal, in short: most of two lists is. */
function isSameRule(a: CompiledRule, b: CompiledRule): boolean {
  const isSamePort = (one: CompiledRule['source_ports'], other: CompiledRule['source_ports']) =>
    one === other ||
    (one !== null && other !== null && one.rest === other.rest && equalSpans(one.ranges, other.ranges));
  return (
    a.action === b.action &&
    a.protocol === b.protocol &&
    a.source === b.source &&
    a.destination === b.destination &&
    a.vague === b.vague &&
    a.icmp?.type === b.icmp?.type &&
    a.icmp?.code === b.icmp?.code &&
    isSamePort(a.source_ports, b.source_ports) &&
    isSamePort(a.destination_ports, b.destination_ports)
  );
}

/**
 * The rules in which two lists differ. A packet that meets none of them meets the same rules in the same order in both lists.
 */
export function findDifferentRules(before: readonly CompiledRule[], after: readonly CompiledRule[]): CompiledRule[] {
  const least = Math.min(before.length, after.length);
  const areSame = (a: CompiledRule | undefined, b: CompiledRule | undefined) => a && b && isSameRule(a, b);
  let start = 0;
  while (start < least && areSame(before[start], after[start])) start++;
  let end = 0;
  while (end < least - start && areSame(before.at(-1 - end), after.at(-1 - end))) end++;
  const rest = [before.slice(start, before.length - end), after.slice(start, after.length - end)] as const;
  const idOf = internSets();
  const toRuleKey = ({ place: _, source, destination, ...rule }: CompiledRule) =>
    JSON.stringify([idOf(source), idOf(destination), rule]);
  const [a, b] = [rest[0].map(toRuleKey), rest[1].map(toRuleKey)];
  const common =
    a.length * b.length > MOST_PAIRS ? { a: new Set<number>(), b: new Set<number>() } : commonElements(a, b);
  return [...rest[0].filter((_, at) => !common.a.has(at)), ...rest[1].filter((_, at) => !common.b.has(at))];
}
