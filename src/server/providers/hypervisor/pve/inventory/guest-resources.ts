import { z } from 'zod';
import { countField, flagField, integerField, nodeNameField, textField, vmidField } from '../answers/fields';
import { type ParsedList, parseList } from '../answers/parse-list';
import type { PveClient } from '../client';
import { apiPath } from '../http/encode';

const MAX_GUESTS = 50_000;

const Resource = z.object({
  type: z.enum(['qemu', 'lxc']),
  vmid: vmidField,
  node: nodeNameField,
  status: textField(40).optional(),
  name: textField().optional(),
  template: flagField.optional(),
  tags: z.string().max(8192).optional(),
  pool: textField().optional(),
  lock: textField(64).optional(),
  hastate: textField(64).optional(),
  maxcpu: countField.optional(),
  maxmem: integerField.optional(),
  uptime: countField.optional(),
});

/** A guest as the cluster-wide overview has it. */
export type GuestResource = z.infer<typeof Resource>;

/** The overview of all guests that the token may see: one cheap call, served from memory. */
export async function readGuestResources(client: PveClient): Promise<ParsedList<GuestResource>> {
  const { data } = await client.get(apiPath`/cluster/resources`, { params: { type: 'vm' } });
  return parseList('guests', Resource, data, MAX_GUESTS);
}
