import { z } from 'zod';
import { summedVerdict } from '../summed-verdict';
import { SENSITIVE_SERVICES, SEVERITIES } from './sensitive-ports';

/** Flows of one source outside all known subnets to one sensitive port that went the same way. */
export const SuspiciousTraffic = z.object({
  id: z.string(),
  severity: z.enum(SEVERITIES),
  cluster_id: z.uuid(),
  cluster_name: z.string().nullable(),
  source_ip: z.string(),
  source_label: z.string(),
  destination_ip: z.string(),
  destination_label: z.string(),
  destination_workload_id: z.uuid().nullable(),
  destination_workload_name: z.string().nullable(),
  service: z.enum(SENSITIVE_SERVICES),
  port: z.int(),
  protocol: z.string(),
  /** The outcome: a log line's verdict, else what the guest's rules say about it, else `observed`. */
  decision: z.string(),
  ...summedVerdict,
  /** Each conversation once, however many nodes saw it. */
  flows: z.number(),
  /** null: not counted, never 0. */
  bytes: z.number().nullable(),
  packets: z.number().nullable(),
  first_seen_at: z.string(),
  last_seen_at: z.string(),
});
export type SuspiciousTraffic = z.output<typeof SuspiciousTraffic>;

/** How many entries there are of each class, whatever `suspicious_limit` leaves out. */
export const SuspiciousSummary = z.object({
  total: z.int(),
  critical: z.int(),
  high: z.int(),
  medium: z.int(),
  low: z.int(),
});
export type SuspiciousSummary = z.output<typeof SuspiciousSummary>;
