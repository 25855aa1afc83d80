import { z } from 'zod';
import { Time } from './time';

/**
 * What can happen to a workload:
 *
 * - `workload_added`, `workload_changed`, `interface_added`, `interface_changed`, `interface_removed`: as a sync read it
 * - `address_assigned`, `address_released`
 * - `group_joined`, `group_left`: manually
 * - `group_joined_by_tag`, `group_left_by_tag`: its tags, its project or the tags of the group changed
 * - `policy_saved`: a version of a policy that was applied to it at some time
 * - `deployment`: what became of it at the workload
 * - `change_step`: a change that writes to it was applied, confirmed or rolled back
 * - `drift_found`, `drift_resolved`: what is live differs from what was applied
 * - `rules_read`: its rules or switches were read otherwise than before; they changed after `not_before`
 * - `cluster_rules_read`: the same for what all workloads of the cluster share
 * - `hypervisor_edit`: it was edited on the hypervisor, by the access logs of nodes
 * - `agent_gap`: no agent observed it from `not_before` on, until `at`
 * - `first_traffic`, `last_traffic`: on the first day between `not_before` and `at`
 * - `escaped_traffic`: a conversation passed although the rules deny it
 */
export const TIMELINE_KINDS = [
  'workload_added',
  'workload_changed',
  'interface_added',
  'interface_changed',
  'interface_removed',
  'address_assigned',
  'address_released',
  'group_joined',
  'group_left',
  'group_joined_by_tag',
  'group_left_by_tag',
  'policy_saved',
  'deployment',
  'change_step',
  'drift_found',
  'drift_resolved',
  'rules_read',
  'cluster_rules_read',
  'hypervisor_edit',
  'agent_gap',
  'first_traffic',
  'last_traffic',
  'escaped_traffic',
] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** What an event leads to. */
export const TIMELINE_OBJECTS = ['policy', 'change', 'drift', 'group'] as const;

/** A field before and after, as text; null: it had no value, or it belonged to someone else. */
export const TimelineDifference = z.object({
  field: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type TimelineDifference = z.output<typeof TimelineDifference>;

export const TimelineEvent = z.object({
  id: z.string(),
  at: z.string(),
  /** It happened after this, and by `at` at the latest; null: it happened at `at`. */
  not_before: z.string().nullable(),
  kind: z.enum(TIMELINE_KINDS),
  /** Null: it concerns more than one workload. */
  workload_id: z.uuid().nullable(),
  /** Who did it, as far as is known. */
  actor_name: z.string().nullable(),
  /** The id is null if it is gone. */
  object: z.object({ kind: z.enum(TIMELINE_OBJECTS), id: z.uuid().nullable(), name: z.string() }).nullable(),
  /** What it is about: the address, interface, status, state, kind of drift or edited object. */
  subject: z.string().nullable(),
  differences: z.array(TimelineDifference),
});
export type TimelineEvent = z.output<typeof TimelineEvent>;

export const TimelineInput = z.strictObject({
  /** By default 30 days before `until`. */
  since: Time.optional(),
  until: Time.optional(),
  limit: z.coerce.number({ error: 'A number from 1 to 200.' }).int().min(1).max(200).default(50),
  cursor: z.string().max(600).optional(),
});
export type TimelineInput = z.output<typeof TimelineInput>;

export const Timeline = z.object({
  /** Newest first. */
  items: z.array(TimelineEvent),
  next_cursor: z.string().nullable(),
  since: z.string(),
  until: z.string(),
  /** Since when changes of the inventory, of groups and of rules are recorded: what was before is not known. */
  recorded_since: z.string(),
});
export type Timeline = z.output<typeof Timeline>;
