import type { LiveSetEntry } from '../firewall/live-state';
import { formatCidr, parseCidr } from '../net/cidr';
import type { DesiredSet } from './desired';
import { SET_PREFIX } from './split-rule';

/** How a guest's sets differ from the desired ones. Only sets with Fabric's prefix are compared. */
export type SetsDiff = {
  readonly created: readonly DesiredSet[];
  readonly changed: readonly {
    readonly name: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
  }[];
  /** Names of managed sets that no desired rule refers to. */
  readonly removed: readonly string[];
};

const canonical = (text: string) => {
  const cidr = parseCidr(text);
  return cidr ? formatCidr(cidr) : text;
};

/** Whether the texts are the same; if so, nothing needs to be parsed. */
function hasSameTexts(cidrs: readonly string[], entries: readonly LiveSetEntry[]): boolean {
  if (entries.length !== cidrs.length || entries.some(({ nomatch, errors }) => nomatch || errors)) return false;
  const texts = new Set(entries.map(({ cidr }) => cidr));
  return texts.size === cidrs.length && cidrs.every((cidr) => texts.has(cidr));
}

function diffEntries({ name, cidrs }: DesiredSet, entries: readonly LiveSetEntry[]) {
  if (hasSameTexts(cidrs, entries)) return { name, added: [], removed: [] };
  const desired = new Map(cidrs.map((cidr) => [canonical(cidr), cidr]));
  const right = new Set<string>();
  const removed: string[] = [];
  for (const { cidr, nomatch, errors } of entries) {
    const key = canonical(cidr);
    if (desired.has(key) && !nomatch && !errors && !right.has(key)) right.add(key);
    else removed.push(cidr);
  }
  return { name, added: [...desired].filter(([key]) => !right.has(key)).map(([, cidr]) => cidr), removed };
}

/**
 * Compares the desired sets of one guest with its live ones, entry by entry. An entry that excludes addresses, or is
 * broken, is to be removed and added again.
 */
export function diffSets(
  desired: readonly DesiredSet[],
  live: Readonly<Record<string, readonly LiveSetEntry[]>>,
): SetsDiff {
  const names = new Set(desired.map(({ name }) => name));
  const findLive = (name: string) => (Object.hasOwn(live, name) ? live[name] : undefined);
  return {
    created: desired.filter(({ name }) => !findLive(name)),
    changed: desired
      .map((set) => diffEntries(set, findLive(set.name) ?? set.cidrs.map((cidr) => ({ cidr }))))
      .filter(({ added, removed }) => added.length + removed.length > 0),
    removed: Object.keys(live)
      .filter((name) => name.startsWith(SET_PREFIX) && !names.has(name))
      .sort(),
  };
}
