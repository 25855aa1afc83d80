import { findServiceName } from '../firewall/data/services';
import type { Service } from './classify';
import type { SuggestionWorkload } from './observed';

const MAX_NAME = 48;
/** Shorter common beginnings of names are left out. */
const MIN_COMMON = 3;

/** Only what an endpoint `sg:name` reads as it is. */
const clean = (text: string) =>
  text
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-_.]+|[-_.]+$/g, '')
    .slice(0, MAX_NAME);

/** The tag that all of them have and the fewest others; null: none, or all others have it as well. */
function findCommonTag(members: readonly SuggestionWorkload[], counts: ReadonlyMap<string, number>, all: number) {
  const [first, ...others] = members;
  const common = (first?.tags ?? []).filter((tag) => others.every(({ tags }) => tags.includes(tag)));
  const [best] = common
    .filter((tag) => (counts.get(tag) ?? 0) < all || all === members.length)
    .sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || (a < b ? -1 : 1));
  return best ?? null;
}

/** What the names of all of them begin with, without the number that differs and separators before it. */
function findCommonStart(names: readonly string[]): string | null {
  const [first = '', ...others] = names;
  let length = first.length;
  for (const name of others) {
    let same = 0;
    while (same < length && name[same] === first[same]) same++;
    length = same;
  }
  const isInNumber = names.some((name) => /\d/.test(name[length] ?? ''));
  const start = clean(first.slice(0, length).replace(isInNumber ? /\d+$/ : /$/, ''));
  return start.length >= MIN_COMMON ? start : null;
}

const describeService = ({ protocol, port }: Service) =>
  port === null ? protocol : (findServiceName(protocol, port) ?? `${protocol}-${port}`);

/** What is named: the members of a group, and the services that they serve and use, most used first. */
export type Unnamed = {
  readonly members: readonly SuggestionWorkload[];
  readonly serves: readonly Service[];
  readonly uses: readonly Service[];
};

function proposeName({ members, serves, uses }: Unnamed, tags: ReadonlyMap<string, number>, all: number): string {
  const [served] = serves;
  const [used] = uses;
  return (
    clean(findCommonTag(members, tags, all) ?? '') ||
    findCommonStart(members.map(({ name }) => name)) ||
    clean(served ? `${describeService(served)}-servers` : used ? `${describeService(used)}-clients` : '') ||
    'workloads'
  );
}

/** Names without those that are taken, whatever their case: a number makes them different. */
export function createNames(taken: Iterable<string>, most: number): (proposed: string) => string {
  const used = new Set([...taken].map((name) => name.toLowerCase()));
  return (proposed) => {
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : `-${number}`;
      const name = `${proposed.slice(0, most - end.length).trim()}${end}`;
      if (used.has(name.toLowerCase())) continue;
      used.add(name.toLowerCase());
      return name;
    }
  };
}

/** Names of groups, from a tag that only they have, what their names begin with, or what they serve. Each is a new one. */
export function nameGroups(
  groups: readonly Unnamed[],
  workloads: readonly SuggestionWorkload[],
  taken: Iterable<string>,
): string[] {
  const counts = new Map<string, number>();
  for (const { tags } of workloads) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const create = createNames(taken, MAX_NAME);
  return groups.map((group) => create(proposeName(group, counts, workloads.length)));
}
