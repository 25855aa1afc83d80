import type { z } from 'zod';
import { ProviderError } from '../../errors';
import { parseList } from '../answers/parse-list';
import type { GetOptions, PveClient } from '../client';
import type { ApiPath } from '../http/encode';

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
    `The answer with ${what} cannot be relied on: ${problem}`,
    'Check that the address leads to a supported Proxmox VE (8 or 9); if it does, report this message.',
  );
}
