import { z } from 'zod';
import { CONVERSATION_SORTS } from '../choices';
import { FilterText } from '../filter-language/filter-text';
import { ACTIONS } from '../flow-action';
import { flowVerdict } from '../flow-verdict';
import { createPageSchema, listInput } from '../list';
import { flowFilters } from './flow-filter';

export const ConversationEnd = z.object({
  ip: z.string(),
  port: z.int().nullable(),
  /** Null: not known, or not visible to the reader. */
  workload: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  /** The longest known subnet that holds the end, as far as the reader may see it. */
  cidr: z.string().nullable(),
  /** Outside all known subnets. */
  external: z.boolean(),
});
export type ConversationEnd = z.output<typeof ConversationEnd>;

/** Both directions of one connection, each packet once however many nodes reported it. */
export const Conversation = z
  .object({
    id: z.uuid(),
    cluster_id: z.uuid(),
    cluster_name: z.string().nullable(),
    /** The end that opened it, as an agent reported; otherwise the one whose port does not look like that of a service. */
    client: ConversationEnd,
    server: ConversationEnd,
    service: z.object({
      protocol: z.string(),
      port: z.int().nullable(),
      /** By the services file of a node. */
      name: z.string().nullable(),
    }),
    icmp_type: z.int().nullable(),
    icmp_code: z.int().nullable(),
    /** Of both directions, and of what each end sent; null: not counted, never 0. */
    bytes: z.number().nullable(),
    packets: z.number().nullable(),
    client_bytes: z.number().nullable(),
    client_packets: z.number().nullable(),
    server_bytes: z.number().nullable(),
    server_packets: z.number().nullable(),
    first_seen_at: z.string(),
    last_seen_at: z.string(),
    /** Null: it is active. */
    ended_at: z.string().nullable(),
    duration_ms: z.number(),
    /** Why the action is known: a line of a firewall log, replies that were seen, or nothing of the kind. */
    reason: z.enum(['logged', 'replied', 'not_known']),
    /** Nodes that reported it. */
    nodes: z.array(z.object({ id: z.uuid(), name: z.string().nullable() })),
  })
  .extend(flowVerdict);
export type Conversation = z.output<typeof Conversation>;

/** Conversations page by page, the newest first unless sorted otherwise. `source` and `destination` are client and server. */
export const ConversationListInput = listInput(CONVERSATION_SORTS, {
  ...flowFilters,
  /** What was observed; a list, in a query string with commas. */
  action: z
    .union([z.string().transform((text) => text.split(',').filter(Boolean)), z.array(z.string())])
    .pipe(z.array(z.enum(ACTIONS, `One or more of ${ACTIONS.join(', ')}.`)).max(ACTIONS.length))
    .optional(),
  /** A condition of the filter language: `client = group:web and service = tcp/5432`. */
  q: FilterText,
});
export type ConversationListInput = z.output<typeof ConversationListInput>;

/** More than this are not counted. */
export const MAX_CONVERSATIONS_COUNTED = 10_000;

export const ConversationPage = createPageSchema(Conversation).extend({
  /** Whether there are more than `total`. */
  is_total_capped: z.boolean(),
  /** Conversations that were last seen before have expired, whatever the range. */
  kept_since: z.string(),
  retention_hours: z.int(),
  /** Until when conversations can be missing because they are being moved from another store; null: none are. */
  missing_until: z.string().nullable(),
});
export type ConversationPage = z.output<typeof ConversationPage>;
