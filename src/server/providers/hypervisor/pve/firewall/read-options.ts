import { z } from 'zod';
import type { LiveOptions } from '../../firewall-types';
import type { GuestRef } from '../../types';
import { parseObject } from '../answers/parse-list';
import type { GetOptions, PveClient } from '../client';
import { type ApiPath, apiPath } from '../http/encode';
import { OptionsAnswer } from './answer-schemas';

/** Options of a guest as they are stored; its node is asked. @throws ProviderError */
export async function readOptions(client: PveClient, { node, kind, vmid }: GuestRef): Promise<LiveOptions> {
  const { data } = await client.get(apiPath`/nodes/${node}/${kind}/${vmid}/firewall/options`, { node });
  const { digest, ...value } = parseObject(`the firewall options of workload ${vmid}`, OptionsAnswer, data ?? {});
  return { value, digest };
}

/** Switches come as numbers, as text of digits from some versions, or as booleans. */
const Stored = z.record(
  z.string().max(100),
  z.union([z.number(), z.string().max(2_000), z.boolean()]).transform((value) => {
    if (typeof value === 'boolean') return Number(value);
    return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  }),
);

/** Options of the data center, a node or a VNet as they are stored. @throws ProviderError */
export async function readStoredOptions(
  client: PveClient,
  path: ApiPath,
  what: string,
  options: GetOptions = {},
): Promise<Record<string, string | number>> {
  const { data } = await client.get(path, options);
  const { digest: _, ...stored } = parseObject(what, Stored, data ?? {});
  return stored;
}
