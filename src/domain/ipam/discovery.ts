import { z } from 'zod';
import { RUN_STATUSES } from '../choices';

/** The network that holds addresses outside all known prefixes. */
export const DISCOVERED_NETWORK = 'discovered-ipam';

/** Clusters to look through; all that have a token when left out. */
export const DiscoverInput = z.strictObject({
  cluster_ids: z.array(z.uuid()).min(1, 'Specify at least one cluster.').max(200).optional(),
});
export type DiscoverInput = z.output<typeof DiscoverInput>;

/** One run per cluster; `run_id` is the first of them. Clusters that cannot be asked are `refused`. */
export const DiscoverAccepted = z.object({
  run_id: z.uuid(),
  runs: z.array(z.object({ cluster_id: z.uuid(), run_id: z.uuid() })),
  refused: z.array(z.object({ cluster_id: z.uuid(), message: z.string() })),
});
export type DiscoverAccepted = z.output<typeof DiscoverAccepted>;

export const DiscoverResult = z.object({
  clusters: z.array(
    z.object({
      cluster_id: z.uuid(),
      cluster_name: z.string(),
      run_id: z.uuid().nullable(),
      status: z.enum([...RUN_STATUSES, 'refused']),
      created: z.int(),
      updated: z.int(),
      removed: z.int(),
      /** Addresses of container networks, loopback and the like. */
      ignored: z.int(),
      conflicts: z.int(),
      errors: z.array(
        z.object({
          object: z.string().optional(),
          code: z.string(),
          message: z.string(),
          remedy: z.string().optional(),
        }),
      ),
    }),
  ),
});
export type DiscoverResult = z.output<typeof DiscoverResult>;
