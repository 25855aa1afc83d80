import { z } from 'zod';
import { RULE_PLACEMENTS } from './choices';
import { DEPLOYMENT_REASONS, DEPLOYMENT_STATUSES } from './policy/status';

/** How far a policy is deployed on one cluster, as last read. */
export const ClusterDeployment = z.object({
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  /** `below`: unmanaged rules are evaluated before those of every policy there. */
  rule_placement: z.enum(RULE_PLACEMENTS),
  /** Null: nothing is to be deployed there and nothing of the policy is known to be live. */
  status: z.enum(DEPLOYMENT_STATUSES).nullable(),
  reasons: z.array(z.enum(DEPLOYMENT_REASONS)),
  /** Numbers of rules. */
  expected: z.int(),
  live: z.int(),
  missing: z.int(),
  outdated: z.int(),
  leftover: z.int(),
  /** Guests where the policy wants rules or has some. */
  guests: z.int(),
  /** When the oldest snapshot of these guests was read; null when one of them was never read. */
  read_at: z.string().nullable(),
});
export type ClusterDeployment = z.output<typeof ClusterDeployment>;

/** The newest apply or cleanup of a policy. */
export const LastDeployment = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  kind: z.enum(['apply', 'cleanup']),
  status: z.enum(['queued', 'running', 'ok', 'partial', 'failed']),
  policy_version: z.int(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type LastDeployment = z.output<typeof LastDeployment>;

/** Work that a change caused: rules of the policy are removed from this cluster. */
export const CleanupRequest = z.object({ deployment_id: z.uuid(), cluster_id: z.uuid() });
export type CleanupRequest = z.output<typeof CleanupRequest>;
