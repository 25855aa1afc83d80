import { z } from 'zod';
import { MAX_BULK_MEMBERS } from '../choices';
import { PolicySnapshot, SecurityRule } from '../policies';
import { plainText } from '../policy/policy';
import { createTimeSchema } from '../time';
import { LEFT_OUT_REASONS } from './observed';
import { ADDRESS_WIDTHS } from './prefixes';

/** Workloads of a scope; more are a task for several suggestions. */
export const MAX_SCOPE = 500;
/**
 * A draft is made from this part of the time between the first and the last conversation of the range. The rest is held out. Hours
 * without agents do not count: otherwise a new installation would hold out everything.
 */
export const TRAINING_SHARE = 0.75;

const instant = createTimeSchema('2026-11-25T00:00:00Z').transform((text) => new Date(text).toISOString());

const WorkloadIds = z.array(z.uuid()).min(1).max(MAX_SCOPE);

/** The workloads that rules are suggested for: exactly one of these. */
export const SuggestionScope = z.union(
  [
    z.strictObject({ tag: z.string().trim().min(1).max(64) }),
    z.strictObject({ workload_ids: WorkloadIds }),
    z.strictObject({ group_id: z.uuid() }),
    z.strictObject({ project_id: z.uuid() }),
    z.strictObject({ network_id: z.uuid() }),
  ],
  {
    error: `Exactly one of workload_ids (1 to ${MAX_SCOPE} IDs), group_id, project_id, network_id (an ID each), tag (a text).`,
  },
);
export type SuggestionScope = {
  readonly tag?: string;
  readonly workload_ids?: readonly string[];
  readonly group_id?: string;
  readonly project_id?: string;
  readonly network_id?: string;
};

const Share = z.number('A number from 0 to 1.').min(0, 'From 0 to 1.').max(1, 'From 0 to 1.');

export const SuggestionCreate = z.strictObject({
  scope: SuggestionScope,
  /** Without it a day before `until`. Conversations that have expired are not part of it. */
  since: instant.optional(),
  /** Without it now. */
  until: instant.optional(),
  /** Position of the slider, from few broad rules (0) to many tight ones (1); without it the recommended one. */
  tightness: Share.optional(),
});
export type SuggestionCreate = z.output<typeof SuggestionCreate>;

export const SuggestionReadInput = z.strictObject({
  /** Another position of the slider, to compare; nothing is stored. */
  tightness: z.coerce.number('A number from 0 to 1.').min(0, 'From 0 to 1.').max(1, 'From 0 to 1.').optional(),
});
export type SuggestionReadInput = z.output<typeof SuggestionReadInput>;

/** The name of a proposed group: what an endpoint `sg:name` reads as it is. */
const GroupName = z
  .string({ error: 'A name.' })
  .trim()
  .min(1, 'A name of 1 to 64 characters.')
  .max(64, 'A name of 1 to 64 characters.')
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u, 'Letters, digits, spaces, and . _ - only.');

export const SuggestionChange = z.strictObject({
  /** Position of the slider. The groups are those of the position, unless `groups` is given as well. */
  tightness: Share.optional(),
  /** All groups, merged, split or renamed: each workload of the suggestion in exactly one. Null: those of the position. */
  groups: z
    .array(
      z.strictObject({
        /** Null: it gets one. */
        name: GroupName.nullable(),
        workload_ids: z
          .array(z.uuid(), { error: 'A list of workload IDs.' })
          .min(1, 'At least one workload.')
          .max(MAX_BULK_MEMBERS, `At most ${MAX_BULK_MEMBERS} workloads.`),
      }),
      { error: 'A list of groups.' },
    )
    .max(MAX_BULK_MEMBERS, `At most ${MAX_BULK_MEMBERS} groups.`)
    .nullable()
    .optional(),
  /** How addresses without a workload are written, for services as in `width_keys`: `{"in tcp/443": "anywhere"}`. */
  widths: z
    .record(
      z.string().max(80, 'At most 80 characters.'),
      z.enum(ADDRESS_WIDTHS, { error: `One of ${ADDRESS_WIDTHS.join(', ')}.` }),
    )
    .optional(),
  /** Whether policies drop what the others do not allow. */
  close: z.boolean({ error: 'One of true, false.' }).optional(),
  /** The version that was read. */
  version: z.int().min(1).optional(),
});
export type SuggestionChange = z.output<typeof SuggestionChange>;

export const SuggestionApply = z.strictObject({
  title: plainText(120).min(1, 'A title of 1 to 120 characters.').optional(),
  /** Whether policy tests are created that assert what was seen. Requires `policy_test:write`. */
  with_tests: z.boolean({ error: 'One of true, false.' }).default(false),
  /** The version that was read. */
  version: z.int().min(1).optional(),
});
export type SuggestionApply = z.output<typeof SuggestionApply>;

export const SuggestionScores = z.object({
  coverage: z.object({
    /** Share of the conversations that the draft is made from, and of the held-out part of the window, that it allows; null: none. */
    training: z.number().nullable(),
    held_out: z.number().nullable(),
  }),
  /** Share of the connections that it allows that were used; null: nothing that is measured. */
  tightness: z.number().nullable(),
});

export const SuggestionPosition = SuggestionScores.extend({
  position: z.number(),
  groups_total: z.int(),
  policies_total: z.int(),
  rules_total: z.int(),
});
export type SuggestionPosition = z.output<typeof SuggestionPosition>;

export const SuggestedGroup = z.object({
  name: z.string(),
  /** How policies name it. */
  endpoint: z.string(),
  /** `workload`: a single one, which needs no group. `known`: a group that exists has these members. */
  kind: z.enum(['new', 'known', 'workload']),
  security_group_id: z.uuid().nullable(),
  in_scope: z.boolean(),
  workloads: z.array(z.object({ id: z.uuid(), name: z.string() })),
});
export type SuggestedGroup = z.output<typeof SuggestedGroup>;

/** What a rule was made from. */
export const SuggestionEvidence = z.object({
  conversations: z.int(),
  /** Of the held-out part that it allows. */
  held_out: z.int(),
  bytes: z.number().nullable(),
  first_seen_at: z.string(),
  last_seen_at: z.string(),
  /** Connections, by workload or /24 at each end; null: everywhere, which is not measured. */
  allowed: z.number().nullable(),
  used: z.int(),
  /** Pairs with most conversations. */
  peers: z.array(z.object({ client: z.string(), server: z.string(), conversations: z.int() })),
  peers_total: z.int(),
});
export type SuggestionEvidence = z.output<typeof SuggestionEvidence>;

export const SuggestedPolicy = z.object({
  kind: z.enum(['traffic', 'infrastructure', 'outside', 'close']),
  policy: PolicySnapshot.pick({ name: true, definition: true }),
  rules: z.array(
    z.object({ rule: SecurityRule.omit({ id: true, position: true }), evidence: SuggestionEvidence.nullable() }),
  ),
  /** What `widths` can choose for its addresses. */
  width_keys: z.array(z.string()),
});
export type SuggestedPolicy = z.output<typeof SuggestedPolicy>;

export const SuggestionLeftOut = z.object({
  reason: z.enum(LEFT_OUT_REASONS),
  client: z.string(),
  server: z.string(),
  service: z.string(),
  conversations: z.int(),
  bytes: z.number().nullable(),
  last_seen_at: z.string(),
});
export type SuggestionLeftOut = z.output<typeof SuggestionLeftOut>;

export const Suggestion = SuggestionScores.extend({
  id: z.uuid(),
  status: z.enum(['running', 'done', 'failed']),
  progress: z.number(),
  error: z.string().nullable(),
  scope: z.object({
    tag: z.string().optional(),
    workload_ids: z.array(z.uuid()).optional(),
    group_id: z.uuid().optional(),
    project_id: z.uuid().optional(),
    network_id: z.uuid().optional(),
  }),
  scope_name: z.string(),
  tenant_id: z.uuid().nullable(),
  project_id: z.uuid().nullable(),
  since: z.string(),
  /** Conversations that began later are held out: they measure the draft and are no part of it. */
  held_out_since: z.string(),
  until: z.string(),
  version: z.int(),
  position: z.number().nullable(),
  recommended: z.number().nullable(),
  /** Whether the groups are edited ones. */
  is_edited: z.boolean(),
  widths: z.record(z.string(), z.enum(ADDRESS_WIDTHS)),
  close: z.boolean(),
  positions: z.array(SuggestionPosition),
  groups: z.array(SuggestedGroup),
  policies: z.array(SuggestedPolicy),
  /** Conversations without a rule, most first, and how many there are by reason. */
  left_out: z.array(SuggestionLeftOut),
  left_out_totals: z.array(z.object({ reason: z.enum(LEFT_OUT_REASONS), conversations: z.int() })),
  /** Workloads of the scope without a conversation that a rule could be written for: no policy concerns them. */
  silent_workloads: z.array(z.object({ id: z.uuid(), name: z.string() })),
  /** How far the traffic of the window was observed at the workload with the least evidence; null: at none. */
  evidence_score: z.number().nullable(),
  change_id: z.uuid().nullable(),
  /** Of the change, as if its policies were enforced. */
  impact_id: z.uuid().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type Suggestion = z.output<typeof Suggestion>;
