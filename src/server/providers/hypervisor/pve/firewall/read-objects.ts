import type { LiveSet } from '../../firewall-types';
import type { PveClient } from '../client';
import type { ApiPath } from '../http/encode';
import { AliasAnswer, EMPTY_DIGEST, SetEntryAnswer, SetNameAnswer } from './answer-schemas';
import { readWholeList } from './read-whole-list';

const MAX_SETS = 1_000;
const MAX_ENTRIES = 100_000;
const MAX_ALIASES = 10_000;

/** Below a scope's `/firewall`: one segment more, encoded. */
export const below = (base: ApiPath, ...segments: string[]) =>
  [base, ...segments.map((segment) => encodeURIComponent(segment))].join('/') as ApiPath;

/** One set. @throws ProviderError */
export async function readSet(client: PveClient, base: ApiPath, name: string): Promise<LiveSet> {
  const path = below(base, 'ipset', name);
  const answers = await readWholeList(client, path, `the set ${name}`, SetEntryAnswer, MAX_ENTRIES);
  return {
    entries: answers.map(({ digest: _, ...entry }) => entry),
    digest: answers[0]?.digest ?? EMPTY_DIGEST,
  };
}

/** All sets of a scope with their entries, by name. @throws ProviderError */
export async function readSets(client: PveClient, base: ApiPath): Promise<Record<string, LiveSet>> {
  const names = await readWholeList(client, below(base, 'ipset'), 'sets', SetNameAnswer, MAX_SETS);
  const sets: [string, LiveSet][] = [];
  for (const { name } of names) sets.push([name, await readSet(client, base, name)]);
  return Object.fromEntries(sets);
}

/** All aliases of a scope: name to address or network. @throws ProviderError */
export async function readAliases(client: PveClient, base: ApiPath): Promise<Record<string, string>> {
  const aliases = await readWholeList(client, below(base, 'aliases'), 'aliases', AliasAnswer, MAX_ALIASES);
  return Object.fromEntries(aliases.map(({ name, cidr }) => [name, cidr]));
}
