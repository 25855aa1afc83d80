import { z } from 'zod';

/** `failing_before`: it failed before the change was applied, so the change is not the reason. */
export const CHECK_STATES = ['holding', 'failing', 'failing_before', 'unknown'] as const;
export const CHECK_KINDS = ['policy_test', 'protected_connection', 'agent'] as const;

const Check = z.object({
  kind: z.enum(CHECK_KINDS),
  /** The test or the node; null: not visible to the reader. */
  id: z.uuid().nullable(),
  name: z.string().nullable(),
  state: z.enum(CHECK_STATES),
  /** Since when it fails, or the last heartbeat. */
  since: z.string().nullable(),
});
export type ChangeCheck = z.output<typeof Check>;

const ConversationEnd = z.object({ workload_id: z.uuid().nullable(), address: z.string() });

/** A conversation with a touched workload that is worth a look. */
export const WatchedConversation = z.object({
  reason: z.enum(['dropped', 'silent', 'new_drop']),
  client: ConversationEnd,
  server: ConversationEnd,
  protocol: z.string(),
  port: z.int().nullable(),
  last_seen_at: z.string(),
});
export type WatchedConversation = z.output<typeof WatchedConversation>;

/**
 * What happened at the workloads of a change since it was written. A connection that was open before passes by its old entry,
 * whatever the new rules say: only conversations that were opened since verify them.
 */
export const ChangeWatch = z.object({
  written_at: z.string().nullable(),
  confirm_until: z.string().nullable(),
  rollback_on_failed_check: z.boolean(),
  checks: z.array(Check),
  conversations: z
    .object({
      /** Those that were seen in the hour before the change was applied. */
      watched: z.int(),
      /** Of these: opened again since the last write, and accepted. */
      opened_anew: z.int(),
      /** Seen since, but only in connections that were open before. Not verified. */
      on_old_entries: z.int(),
      /** Dropped or rejected since, and not opened again. */
      dropped: z.int(),
      /** Not seen since. */
      silent: z.int(),
      /** Dropped or rejected since, but not in the hour before, and not among those watched. */
      new_drops: z.int(),
      listed: z.array(WatchedConversation),
    })
    .nullable(),
});
export type ChangeWatch = z.output<typeof ChangeWatch>;
