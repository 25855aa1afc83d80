import type { z } from 'zod';
import { ProviderError } from '../../errors';
import type { LiveRuleList, LiveSet } from '../../firewall-types';
import { parseList } from '../answers/parse-list';
import type { GetOptions, PveClient } from '../client';
import type { ApiPath } from '../http/encode';
import { AliasAnswer, EMPTY_DIGEST, RuleAnswer, SetEntryAnswer, SetNameAnswer } from './answer-schemas';

/**
 * Reads a list of which every element counts: in a list of rules one that is not understood may decide everything.
 * @throws ProviderError `bad_answer` when an element cannot be read or there are more than `max`
 */
export async function readWholeList<T>(
  client: PveClient,
  path: ApiPath,
  what: string,
  schema: z.ZodType<T>,
  max: number,
  options: GetOptions = {},
): Promise<T[]> {
  const { data } = await client.get(path, options);
  const { items, problem } = parseList(what, schema, data, max);
  if (problem === null) return items;
  throw new ProviderError(
    'bad_answer',
    `The response for ${what} is not reliable: ${problem}`,
    'Check that the address is that of a supported Proxmox VE (8 or 9). If it is, report this message.',
  );
}

const MAX_RULES = 20_000;

/**
 * The rules at `path`, in their order. Rules of guests are answered by whichever node is asked, so a dead node does not
 * hide them.
 * @throws ProviderError
 */
export async function readRules(client: PveClient, path: ApiPath, options: GetOptions = {}): Promise<LiveRuleList> {
  const answers = await readWholeList(client, path, 'firewall rules', RuleAnswer, MAX_RULES, options);
  const items = answers.map(({ digest: _, ...rule }) => rule).sort((a, b) => a.pos - b.pos);
  return { items, digest: answers[0]?.digest ?? EMPTY_DIGEST };
}

const MAX_SETS = 1_000;
const MAX_ENTRIES = 100_000;
const MAX_ALIASES = 10_000;

/** Below a scope's `/firewall`: one segment more, encoded. */
export const appendSegments = (base: ApiPath, ...segments: string[]) =>
  [base, ...segments.map((segment) => encodeURIComponent(segment))].join('/') as ApiPath;

/** One set. @throws ProviderError */
export async function readSet(client: PveClient, base: ApiPath, name: string): Promise<LiveSet> {
  const path = appendSegments(base, 'ipset', name);
  const answers = await readWholeList(client, path, `the IP set ${name}`, SetEntryAnswer, MAX_ENTRIES);
  return {
    entries: answers.map(({ digest: _, ...entry }) => entry),
    digest: answers[0]?.digest ?? EMPTY_DIGEST,
  };
}

/** All sets of a scope with their entries, by name. @throws ProviderError */
export async function readSets(client: PveClient, base: ApiPath): Promise<Record<string, LiveSet>> {
  const names = await readWholeList(client, appendSegments(base, 'ipset'), 'sets', SetNameAnswer, MAX_SETS);
  const sets: [string, LiveSet][] = [];
  for (const { name } of names) sets.push([name, await readSet(client, base, name)]);
  return Object.fromEntries(sets);
}

/** All aliases of a scope: name to address or network. @throws ProviderError */
export async function readAliases(client: PveClient, base: ApiPath): Promise<Record<string, string>> {
  const aliases = await readWholeList(client, appendSegments(base, 'aliases'), 'aliases', AliasAnswer, MAX_ALIASES);
  return Object.fromEntries(aliases.map(({ name, cidr }) => [name, cidr]));
}
