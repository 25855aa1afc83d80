import { z } from 'zod';
import { countField, flagField, integerField, nodeNameField, textField, vmidField } from '../answers/fields';
import { type ParsedList, parseList } from '../answers/parse-list';
import type { PveClient } from '../client';
import { apiPath } from '../http/encode';

const MAX_GUESTS = 50_000;

/** Facts that are taken as reported, by the name that Proxmox VE gives each; null while it does not report them. */
const PLAIN = {
  lock: ['lock', textField(64)],
  ha_state: ['hastate', textField(64)],
} as const;
type PlainFacts = { [K in keyof typeof PLAIN]: z.output<(typeof PLAIN)[K][1]> | null };

const Resource = z.object({
  type: z.enum(['qemu', 'lxc']),
  vmid: vmidField,
  node: nodeNameField,
  status: textField(40).optional(),
  name: textField().optional(),
  template: flagField.optional(),
  tags: z.string().max(8192).optional(),
  pool: textField().optional(),
  maxcpu: countField.optional(),
  maxmem: integerField.optional(),
  uptime: countField.optional(),
  ...(Object.fromEntries(Object.values(PLAIN).map(([reported, field]) => [reported, field.optional()])) as Record<
    never,
    never
  >),
});

/** A guest as the cluster-wide overview has it. */
export type GuestResource = z.infer<typeof Resource>;

/** The facts of a guest that need no reading between the lines. */
export const plainFacts = (resource: GuestResource): PlainFacts =>
  Object.fromEntries(
    Object.entries(PLAIN).map(([name, [reported]]) => [name, (resource as Record<string, unknown>)[reported] ?? null]),
  ) as PlainFacts;

/** The overview of all guests that the token may see: one cheap call, served from memory. */
export async function readGuestResources(client: PveClient): Promise<ParsedList<GuestResource>> {
  const { data } = await client.get(apiPath`/cluster/resources`, { params: { type: 'vm' } });
  return parseList('guests', Resource, data, MAX_GUESTS);
}
