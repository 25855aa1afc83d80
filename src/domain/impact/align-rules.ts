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

/**
 * The rules in which two lists differ. A packet that meets none of them meets the same rules in the same order in both lists.
 */
export function findDifferentRules(before: readonly CompiledRule[], after: readonly CompiledRule[]): CompiledRule[] {
  const idOf = internSets();
  const keyOf = ({ place: _, source, destination, ...rule }: CompiledRule) =>
    JSON.stringify([idOf(source), idOf(destination), rule]);
  const [a, b] = [before.map(keyOf), after.map(keyOf)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [middleA, middleB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const common =
    middleA.length * middleB.length > MOST_PAIRS
      ? { a: new Set<number>(), b: new Set<number>() }
      : commonElements(middleA, middleB);
  return [
    ...before.slice(start, before.length - end).filter((_, at) => !common.a.has(at)),
    ...after.slice(start, after.length - end).filter((_, at) => !common.b.has(at)),
  ];
}
