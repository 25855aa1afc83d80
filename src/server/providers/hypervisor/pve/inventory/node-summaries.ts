import { z } from 'zod';
import { countField, integerField, nodeNameField } from '../answers/fields';
import { type ParsedList, parseList } from '../answers/parse-list';
import type { GetOptions, PveClient } from '../client';
import { normalizeFingerprint } from '../http/certificate-trust';
import { apiPath } from '../http/encode';

const Summary = z.object({
  node: nodeNameField,
  status: z.enum(['online', 'offline', 'unknown']).catch('unknown'),
  ssl_fingerprint: z
    .string()
    .transform((text) => normalizeFingerprint(text))
    .nullish(),
  maxcpu: integerField.optional(),
  maxmem: integerField.optional(),
  uptime: countField.optional(),
});

export type NodeSummary = z.infer<typeof Summary>;

/** Every node of the cluster; any token may read this, statistics need Sys.Audit on the node. */
export async function readNodeSummaries(client: PveClient, options: GetOptions = {}): Promise<ParsedList<NodeSummary>> {
  const { data } = await client.get(apiPath`/nodes`, options);
  return parseList('nodes', Summary, data, 1000);
}
