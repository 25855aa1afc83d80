import { z } from 'zod';
import { ESCAPE_REASONS, ESCAPED_SORTS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { CHAIN_LINKS, FIX_NAMES, type Fix, getDetail, type LinkDetail } from './link-details';
import { COMPILE_MS } from './ruleset-age';

/**
 * Why a conversation probably passed although the rules deny it:
 * - `older_connection`: it began, or may have begun, before the rules were live. Firewalls do not look at it again.
 * - `broken_link`: a link between the rules and the interface is broken.
 * - `log_disagrees`: the firewall log says that it was accepted.
 * - `not_explained`: none of these.
 */
export type EscapeReason = (typeof ESCAPE_REASONS)[number];

/** A conversation that passed although the rules that were read deny it. Times are ISO 8601. */
export type EscapeCandidate = {
  readonly filter_hash: string;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  /** Whether its start was seen; otherwise it may have begun before `first_seen_at`. */
  readonly start_known: boolean;
  /** Since when connections on the node are seen. */
  readonly watched_since: string;
  /** When it was evaluated. */
  readonly found_at: string;
  readonly broken_link: string | null;
  readonly log_accepted: boolean;
};

/** The filter of the workload as it was read: since when, and until when it is certain. */
export type CertainFilter = { readonly filter_hash: string; readonly changed_at: string; readonly read_at: string };

/**
 * Whether the rules were live that deny a conversation, and why it probably passed. `pending`: the cluster has to be read once more.
 * `none`: other rules may have been live. What is not certain never counts as escaped.
 */
export function classifyEscape(
  found: EscapeCandidate,
  filter: CertainFilter | null,
): EscapeReason | 'pending' | 'none' {
  const time = (text: string) => Date.parse(text);
  if (!filter) return 'pending';
  const read = time(filter.read_at);
  if (filter.filter_hash !== found.filter_hash) return read > time(found.found_at) ? 'none' : 'pending';
  const live = time(filter.changed_at) + COMPILE_MS;
  if (time(found.last_seen_at) <= live) return 'none';
  const watched = found.start_known || time(found.watched_since) < time(filter.changed_at);
  if (!watched || time(found.first_seen_at) < live) return 'older_connection';
  if (read < time(found.first_seen_at)) return 'pending';
  if (found.broken_link !== null) return 'broken_link';
  return found.log_accepted ? 'log_disagrees' : 'not_explained';
}

/** What to do about a conversation that escaped; null: not known. @param detail what was found of the broken link */
export function getEscapeFix(reason: EscapeReason, detail: LinkDetail | null): Fix | null {
  if (reason === 'older_connection') return 'close_connections';
  if (reason === 'log_disagrees') return 'compare_rules';
  return reason === 'not_explained' ? 'test_packet' : ((detail && getDetail(detail).fix) ?? null);
}

/** A conversation that was seen to pass although the rules of a workload that were live then deny it. */
export const EscapedConversation = z.object({
  id: z.uuid(),
  workload_id: z.uuid(),
  workload_name: z.string(),
  vmid: z.int(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  /** The interface that saw it; null: not known which. */
  nic: z.string().nullable(),
  /** Of the packet that opened it, at the workload. */
  direction: z.enum(['in', 'out']),
  client_ip: z.string(),
  client_port: z.int().nullable(),
  server_ip: z.string(),
  server_port: z.int().nullable(),
  protocol: z.string(),
  service_name: z.string().nullable(),
  /** The other end: a workload, if one that is visible to the reader had the address. */
  peer: z.object({ ip: z.string(), workload: z.object({ id: z.uuid(), name: z.string() }).nullable() }),
  reason: z.enum(ESCAPE_REASONS),
  /** With `broken_link`: the first that was broken. */
  broken_link: z.enum(CHAIN_LINKS).nullable(),
  /** What to do. */
  remedy: z.object({ action: z.enum(FIX_NAMES), text: z.string() }).nullable(),
  /** What denies it; null for those who may not see rules. */
  denied_by: z.string().nullable(),
  /** The policy of the rule that denies it, as far as the reader may know it. */
  policy: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  first_seen_at: z.string(),
  last_seen_at: z.string(),
});
export type EscapedConversation = z.output<typeof EscapedConversation>;

/** Escaped conversations are kept for so many days. */
export const ESCAPED_DAYS = 7;

export const EscapedListInput = listInput(ESCAPED_SORTS, {
  workload_id: z.uuid().optional(),
  cluster_id: z.uuid().optional(),
  tenant_id: z.uuid().optional(),
  project_id: z.uuid().optional(),
  /** A list, in a query string with commas. */
  reason: z
    .union([z.string().transform((text) => text.split(',').filter(Boolean)), z.array(z.string())])
    .pipe(z.array(z.enum(ESCAPE_REASONS, `One or more of ${ESCAPE_REASONS.join(', ')}.`)).max(ESCAPE_REASONS.length))
    .optional(),
  broken_link: z.enum(CHAIN_LINKS, `One of ${CHAIN_LINKS.join(', ')}.`).optional(),
  /** Seen in so many days. */
  days: z.coerce
    .number({ error: `A number from 1 to ${ESCAPED_DAYS}.` })
    .int()
    .min(1)
    .max(ESCAPED_DAYS)
    .default(ESCAPED_DAYS),
});
export type EscapedListInput = z.output<typeof EscapedListInput>;
export const EscapedPage = createPageSchema(EscapedConversation);
export type EscapedPage = z.output<typeof EscapedPage>;

/** Escaped conversations of visible workloads since a time. */
export const EscapedSummary = z.object({
  since: z.string(),
  /** Without connections that are older than the rules. */
  conversations: z.int(),
  workloads: z.int(),
  older_connections: z.int(),
  /** The workloads with most of them, and the reason that most of theirs have. */
  most: z.array(
    z.object({
      workload_id: z.uuid(),
      workload_name: z.string(),
      conversations: z.int(),
      reason: z.enum(ESCAPE_REASONS),
      broken_link: z.enum(CHAIN_LINKS).nullable(),
    }),
  ),
});
export type EscapedSummary = z.output<typeof EscapedSummary>;
