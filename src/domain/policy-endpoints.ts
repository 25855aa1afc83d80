import { z } from 'zod';
import { UNRESOLVED_REASONS } from './policy/resolve';

/** Texts that may become sources or targets, as users type them. */
export const ResolveInput = z.strictObject({
  endpoints: z.array(z.string().max(520, 'At most 520 characters.')).max(200, 'At most 200 endpoints.'),
  tenant_id: z.uuid().nullable().optional(),
  project_id: z.uuid().nullable().optional(),
});
export type ResolveInput = z.output<typeof ResolveInput>;

/** What an endpoint resolves to now. */
export const ResolvedEndpoint = z.object({
  endpoint: z.string(),
  /** The form in which it would be stored; null when it is none. */
  canonical: z.string().nullable(),
  kind: z.enum(['any', 'security_group', 'vmid', 'network', 'tag', 'address', 'workload']).nullable(),
  /** Why rules cannot be placed there: as a place of rules it resolves to nothing. Null: they can. */
  place_reason: z.enum(UNRESOLVED_REASONS).nullable(),
  /** Why it gives no addresses to match. Null: it does. */
  peer_reason: z.enum(UNRESOLVED_REASONS).nullable(),
  /** What is wrong with the text. */
  error: z.string().nullable(),
  workloads_total: z.int(),
  /** The first of them, by name. */
  workloads: z.array(
    z.object({ workload_id: z.uuid(), name: z.string(), vmid: z.int(), cluster_name: z.string(), addresses: z.int() }),
  ),
  cidrs_total: z.int(),
  cidrs: z.array(z.string()),
  /** Workloads of it whose address is not known: their traffic is not matched. */
  without_address: z.int(),
});
export type ResolvedEndpoint = z.output<typeof ResolvedEndpoint>;
export const ResolveResult = z.object({ endpoints: z.array(ResolvedEndpoint) });

export const EndpointSearch = z.strictObject({
  q: z.string().trim().max(520, 'At most 520 characters.').default(''),
  limit: z.coerce.number().int().min(1).max(50).default(20),
  tenant_id: z.uuid().optional(),
  /** For a policy of this project. */
  project_id: z.uuid().optional(),
});
export type EndpointSearch = z.output<typeof EndpointSearch>;

/** Something that can be a source or target. */
export const EndpointSuggestion = z.object({
  endpoint: z.string(),
  kind: z.enum(['any', 'security_group', 'vmid', 'network', 'tag', 'address', 'workload']),
  label: z.string(),
  /** What it is in a few words: members, cluster and number, subnets. */
  detail: z.string(),
});
export type EndpointSuggestion = z.output<typeof EndpointSuggestion>;
export const EndpointSuggestions = z.object({ items: z.array(EndpointSuggestion) });
