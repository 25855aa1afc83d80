import { z } from 'zod';
import { orNull } from '../../errors';
import { flagField, nodeNameField, textField } from '../answers/fields';
import { parseList } from '../answers/parse-list';
import type { GetOptions, PveClient } from '../client';
import { apiPath } from '../http/encode';

const Element = z.discriminatedUnion('type', [
  z.object({ type: z.literal('cluster'), name: textField(100), quorate: flagField.optional() }),
  z.object({
    type: z.literal('node'),
    name: nodeNameField,
    ip: z.union([z.ipv4(), z.ipv6()]).optional(),
    online: flagField.optional(),
    local: flagField.optional(),
  }),
]);

export type ClusterStatus = {
  /** null for a node that belongs to no cluster. */
  name: string | null;
  quorate: boolean | null;
  nodes: { name: string; ip: string | null; online: boolean | null; local: boolean }[];
  problem: string | null;
};

/** Membership and quorum, or null when the token may not read them (it needs Sys.Audit on /). */
export async function readClusterStatus(client: PveClient, options: GetOptions = {}): Promise<ClusterStatus | null> {
  const answer = await orNull(client.get(apiPath`/cluster/status`, options), 'forbidden');
  if (answer === null) return null;
  const { items, problem } = parseList('cluster members', Element, answer.data, 1000);
  const cluster = items.find((item) => item.type === 'cluster');
  const nodes = items.filter((item) => item.type === 'node');
  return {
    name: cluster?.name ?? null,
    // A standalone node needs no quorum.
    quorate: cluster ? (cluster.quorate ?? null) : nodes.length === 1 ? true : null,
    nodes: nodes.map(({ name, ip, online, local }) => ({
      name,
      ip: ip ?? null,
      online: online ?? null,
      local: local ?? false,
    })),
    problem,
  };
}
