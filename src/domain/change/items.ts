import { z } from 'zod';
import { MAX_BULK, MAX_BULK_MEMBERS } from '../choices';
import { ManagedBy } from '../managed-source';
import { PolicyCreate, PolicySnapshot } from '../policies';
import { PolicyTestInput, TestContent } from '../policy-tests/definition';
import { SecurityGroupInput } from '../security-group';

export const CHANGE_ITEM_KINDS = [
  'policy',
  'policy_delete',
  'group',
  'group_members',
  'group_delete',
  'policy_test',
  'policy_test_delete',
  'move',
  'residual_removal',
  'adopt',
] as const;

const base = { base_version: z.int().min(1).optional() };
const Ids = z
  .array(z.uuid(), { error: 'A list of workload IDs.' })
  .max(MAX_BULK_MEMBERS, `At most ${MAX_BULK_MEMBERS} workloads.`);
const unique = (ids: string[]) => [...new Set(ids)];
const WorkloadIds = Ids.transform(unique).default([]);
/** Some drift at the same time. */
export const DriftIds = z
  .array(z.uuid(), { error: 'A list of drift IDs.' })
  .min(1, 'At least one drift.')
  .max(MAX_BULK, `At most ${MAX_BULK} at the same time.`);

/**
 * One edit of a change. `base_version` is the version that the edit was made from; if left out, the one stored when the item is
 * added. Without `policy_id` the policy is created; without `policy` it is applied as it is stored.
 */
export const ChangeItemInput = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('policy'),
      policy_id: z.uuid().optional(),
      ...base,
      policy: PolicyCreate.optional(),
    }),
    z.strictObject({ kind: z.literal('policy_delete'), policy_id: z.uuid(), ...base }),
    z.strictObject({ kind: z.literal('group'), group_id: z.uuid().optional(), ...base, group: SecurityGroupInput }),
    z.strictObject({
      kind: z.literal('group_members'),
      group_id: z.uuid(),
      ...base,
      add: WorkloadIds,
      remove: WorkloadIds,
    }),
    z.strictObject({ kind: z.literal('group_delete'), group_id: z.uuid(), ...base }),
    z.strictObject({
      kind: z.literal('policy_test'),
      policy_test_id: z.uuid().optional(),
      ...base,
      test: PolicyTestInput,
    }),
    z.strictObject({ kind: z.literal('policy_test_delete'), policy_test_id: z.uuid(), ...base }),
    z.strictObject({
      kind: z.literal('move'),
      workload_ids: Ids.min(1, 'At least one workload.').transform(unique),
      /** Null: no project. */
      project_id: z.uuid().nullable(),
    }),
    z.strictObject({ kind: z.literal('residual_removal'), workload_id: z.uuid() }),
    z.strictObject({
      kind: z.literal('adopt'),
      policy_id: z.uuid(),
      workload_id: z.uuid(),
      ...base,
      /** What becomes of the policy: its content for all its workloads, or an exception for this one. */
      as: z.enum(['policy', 'exception']),
      /** Some of its differences there; if left out, all that are open. */
      drift_ids: DriftIds.optional(),
    }),
  ],
  { error: `kind: one of ${CHANGE_ITEM_KINDS.join(', ')}.` },
);
export type ChangeItemInput = z.output<typeof ChangeItemInput>;

/** A workload whose live rules an edit adopts. */
const AdoptedFrom = z.object({ id: z.uuid(), name: z.string() });
export type AdoptedFrom = z.output<typeof AdoptedFrom>;

/**
 * An edit to store: what is adopted is expanded. @property at the item of the request that it comes from, if that has another place
 * there
 */
export type ChangeEdit = Exclude<ChangeItemInput, { kind: 'adopt' }> & {
  readonly at?: number;
  readonly adopted_from?: readonly AdoptedFrom[];
};

/** A group as a change stores it. */
export const GroupContent = z.object({
  name: z.string(),
  description: z.string(),
  member_tags: z.array(z.string()),
  member_tags_match: z.enum(['any', 'all']),
});
export type GroupContent = z.output<typeof GroupContent>;

const owner = { tenant_id: z.uuid().nullable(), project_id: z.uuid().nullable() };
const before = { version: z.int() };
const moved = {
  /**
   * Present when the object gets another project, which `project_id` is: the one that it leaves; null: it belongs to the whole tenant.
   * `project_id` is left out for readers who do not see that project.
   */
  moved_from: z.object({ project_id: z.uuid().nullable().optional() }).optional(),
};

/** In a change that comes from a source: what managed the object before; null: nothing did. */
const managed = { managed_from: ManagedBy.nullable().optional() };

const kept = {
  /**
   * What a deleted policy was besides its content, and is again when it returns; noted when the deletion is applied. Absent: the policy is
   * new, or an older version stored the change.
   */
  kept: z
    .object({
      /** Decides the order among policies of equal priority. */
      created_at: z.string(),
      confirmations: z.array(
        z.object({
          policy_version: z.int(),
          confirmed_at: z.string(),
          user_id: z.uuid().nullable(),
          user_name: z.string(),
          note: z.string(),
        }),
      ),
    })
    .optional(),
};
export type KeptOfPolicy = NonNullable<Extract<ChangeItem, { kind: 'policy_delete' }>['kept']>;

/**
 * An item as it is stored: ids assigned, content normalized, the owner known. `before` is the content that it was made from; null:
 * it is created. An item `adopt` is stored as the `policy` items that it results in.
 */
export const ChangeItem = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('policy'),
    policy_id: z.uuid(),
    name: z.string(),
    ...owner,
    ...managed,
    ...moved,
    ...kept,
    /** Null: the policy is created. */
    base_version: z.int().nullable(),
    before: PolicySnapshot.extend(before).nullable(),
    /** What the policy is to be; the same as `before` applies it as it is stored. */
    after: PolicySnapshot,
    /** The workloads whose live rules it adopts; null: none. */
    adopted_from: z.array(AdoptedFrom).nullable(),
  }),
  z.object({
    kind: z.literal('policy_delete'),
    policy_id: z.uuid(),
    name: z.string(),
    ...owner,
    ...managed,
    ...kept,
    base_version: z.int(),
    before: PolicySnapshot.extend(before),
  }),
  z.object({
    kind: z.literal('group'),
    group_id: z.uuid(),
    name: z.string(),
    ...owner,
    ...managed,
    ...moved,
    base_version: z.int().nullable(),
    before: GroupContent.extend(before).nullable(),
    after: GroupContent,
    /** Its first members when it is created. */
    add: z.array(z.uuid()),
  }),
  z.object({
    kind: z.literal('group_members'),
    group_id: z.uuid(),
    name: z.string(),
    ...owner,
    ...managed,
    base_version: z.int(),
    /** Only workloads that really change: those to add are no members yet, those to remove are. */
    add: z.array(z.uuid()),
    remove: z.array(z.uuid()),
    /** Of these, whom applying it added and removed: others may have done so before. Absent: not applied, or by an older version. */
    added: z.array(z.uuid()).optional(),
    removed: z.array(z.uuid()).optional(),
  }),
  z.object({
    kind: z.literal('group_delete'),
    group_id: z.uuid(),
    name: z.string(),
    ...owner,
    ...managed,
    base_version: z.int(),
    before: GroupContent.extend(before),
    /** Its members that were added manually. */
    remove: z.array(z.uuid()),
    /** Those of them when it was applied; a rollback adds them again. Absent: not applied, or by an older version. */
    removed: z.array(z.uuid()).optional(),
  }),
  z.object({
    kind: z.literal('policy_test'),
    policy_test_id: z.uuid(),
    name: z.string(),
    ...owner,
    ...managed,
    base_version: z.int().nullable(),
    before: TestContent.extend(before).nullable(),
    after: TestContent,
  }),
  z.object({
    kind: z.literal('policy_test_delete'),
    policy_test_id: z.uuid(),
    name: z.string(),
    ...owner,
    ...managed,
    base_version: z.int(),
    before: TestContent.extend(before),
  }),
  z.object({
    kind: z.literal('move'),
    /** Of the project that the workloads get; empty: they get none. */
    name: z.string(),
    /** The tenant that has the workloads before and after; a move between tenants belongs to the installation. */
    ...owner,
    base_version: z.null(),
    to: z.object({ id: z.uuid(), tenant_id: z.uuid() }).nullable(),
    workloads: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        ...owner,
        /** Who assigned its project; null: it has none, or this is not known. */
        assigned_by: z.enum(['hand', 'rule']).nullable(),
      }),
    ),
  }),
  z.object({
    kind: z.literal('residual_removal'),
    workload_id: z.uuid(),
    /** Of the workload. Its residual rules are never named: their policies are another owner's. */
    name: z.string(),
    ...owner,
    base_version: z.null(),
  }),
]);
export type ChangeItem = z.output<typeof ChangeItem>;
