import { z } from 'zod';
import {
  MAX_BULK_MEMBERS,
  MEMBER_SOURCES,
  SECURITY_GROUP_MEMBER_SORTS,
  SECURITY_GROUP_SORTS,
  TAG_MATCHES,
  WORKLOAD_KINDS,
  WORKLOAD_STATUSES,
} from './choices';
import { createPageSchema, listInput } from './list';
import { ManagedBy } from './managed-source';

const GroupName = z
  .string({ error: 'A name.' })
  .trim()
  .min(1, 'A name of 1 to 64 characters.')
  .max(64, 'A name of 1 to 64 characters.')
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'Printable characters only.');
const Description = z.string({ error: 'A text.' }).trim().max(2000, 'At most 2000 characters.');
const Tags = z
  .array(
    z
      .string({ error: 'A tag.' })
      .trim()
      .toLowerCase()
      .regex(/^[a-z0-9_][a-z0-9_+.-]{0,63}$/, 'A tag as in the cluster: letters, digits, _ + . -'),
    { error: 'A list of tags.' },
  )
  .max(20, 'At most 20 tags.')
  .transform((tags) => [...new Set(tags)].sort());

const WorkloadIds = z
  .array(z.uuid(), { error: 'A list of workload IDs.' })
  .max(MAX_BULK_MEMBERS, `At most ${MAX_BULK_MEMBERS} workloads.`)
  .transform((ids) => [...new Set(ids)]);

const fields = {
  name: GroupName,
  description: Description,
  /** Workloads with these tags are members as long as they have them. */
  member_tags: Tags,
  /** Whether one of the tags is enough. */
  member_tags_match: z.enum(TAG_MATCHES, { error: 'One of any, all.' }),
};

/**
 * `tenant_id`: if left out, the only tenant of the requesting user, or none when they may act for the whole
 * installation. `project_id`: the group belongs to this project of the tenant; if left out, to the whole tenant, or
 * to the only project of a user who acts for one alone.
 */
export const SecurityGroupInput = z.strictObject({
  ...fields,
  description: fields.description.default(''),
  member_tags: fields.member_tags.default([]),
  member_tags_match: fields.member_tags_match.default('any'),
  /** Its first members, added manually. */
  workload_ids: WorkloadIds.default([]),
  tenant_id: z.uuid().nullable().optional(),
  project_id: z.uuid().nullable().optional(),
});
export type SecurityGroupInput = z.output<typeof SecurityGroupInput>;

/** What is left out stays. `project_id`: as for policies. `version` is the one that was read: when it is no longer current, nothing is changed. */
export const SecurityGroupUpdate = z
  .strictObject({ ...fields, project_id: z.uuid().nullable(), version: z.int().min(1) })
  .partial();
export type SecurityGroupUpdate = z.output<typeof SecurityGroupUpdate>;

export const SecurityGroup = z.object({
  id: z.uuid(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  /** Set: it belongs to this project of the tenant, and has no other members. */
  project_id: z.uuid().nullable(),
  project_name: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  member_tags: z.array(z.string()),
  member_tags_match: z.enum(TAG_MATCHES),
  /** All members, those by tag included. */
  members_total: z.int(),
  /** Policies that name the group, including those not visible to the user. */
  policies_total: z.int(),
  /** Set: it is managed as code, and only what is applied from this source edits it. */
  managed_by: ManagedBy.nullable(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type SecurityGroup = z.output<typeof SecurityGroup>;

export const SecurityGroupListInput = listInput(SECURITY_GROUP_SORTS, {
  tenant_id: z.union([z.uuid(), z.literal('none')]).optional(),
  /** Groups that belong to this project; `none`: those of whole tenants and of the installation. */
  project_id: z.union([z.uuid(), z.literal('none')]).optional(),
  /** Groups that this workload is a member of. */
  workload_id: z.uuid().optional(),
});
export type SecurityGroupListInput = z.output<typeof SecurityGroupListInput>;
export const SecurityGroupPage = createPageSchema(SecurityGroup);

export const SecurityGroupMemberCreate = z.strictObject({ workload_id: z.uuid({ error: 'The ID of a workload.' }) });

/** One member. Members by tag have no row of their own, hence no times. */
export const SecurityGroupMember = z.object({
  security_group_id: z.uuid(),
  workload_id: z.uuid(),
  workload_name: z.string(),
  workload_external_id: z.string(),
  source: z.enum(MEMBER_SOURCES),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  vmid: z.int(),
  kind: z.enum(WORKLOAD_KINDS),
  status: z.enum(WORKLOAD_STATUSES),
  addresses: z.array(z.string()),
  missing_since: z.string().nullable(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
});
export type SecurityGroupMember = z.output<typeof SecurityGroupMember>;

export const SecurityGroupMemberListInput = listInput(SECURITY_GROUP_MEMBER_SORTS, {
  source: z.enum(MEMBER_SOURCES).optional(),
});
export type SecurityGroupMemberListInput = z.output<typeof SecurityGroupMemberListInput>;
export const SecurityGroupMemberPage = createPageSchema(SecurityGroupMember);

/** All of it happens or nothing. */
export const MembershipChange = z
  .strictObject({ add: WorkloadIds.default([]), remove: WorkloadIds.default([]) })
  .refine(({ add, remove }) => !add.some((id) => remove.includes(id)), {
    path: ['remove'],
    message: 'A workload cannot be both added and removed.',
  });
export type MembershipChange = z.output<typeof MembershipChange>;

/** `unchanged`: were members already, or were none. */
export const MembershipResult = z.object({ added: z.int(), removed: z.int(), unchanged: z.int() });
export type MembershipResult = z.output<typeof MembershipResult>;

/** Where a group is named. Policies not visible to the user are only counted. */
export const SecurityGroupUsage = z.object({
  policies: z.array(
    z.object({
      policy_id: z.uuid(),
      name: z.string(),
      enabled: z.boolean(),
      enforcement_mode: z.enum(['enforced', 'audit']),
      /** How the policy names it. */
      references: z.array(z.object({ side: z.enum(['source', 'target']), endpoint: z.string() })),
    }),
  ),
  hidden: z.int(),
});
export type SecurityGroupUsage = z.output<typeof SecurityGroupUsage>;
