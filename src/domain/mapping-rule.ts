import { z } from 'zod';
import { DEFAULT_MAPPING_PRIORITY, MAPPING_RULE_SORTS, MAPPING_SOURCES } from './choices';
import { createPageSchema, listInput } from './list';
import { Description } from './tenant';

export type MappingSource = (typeof MAPPING_SOURCES)[number];

const fields = {
  source: z.enum(MAPPING_SOURCES, 'One of pool, tag.'),
  value: z
    .string('The name of a pool, or a tag.')
    .trim()
    .min(1, 'Enter the name of the pool, or the tag.')
    .max(128, 'At most 128 characters.'),
  cluster_id: z.uuid('The ID of a cluster, or null for all.').nullable(),
  project_id: z.uuid('The ID of a project.'),
  priority: z.int('A whole number.').min(0, 'From 0 to 10000.').max(10_000, 'From 0 to 10000.'),
  enabled: z.boolean('One of true, false.'),
  description: Description,
};

// As the cluster has them: with a name that cannot exist, the rule would never apply and no error would show it.
const FORMS: Record<MappingSource, { form: RegExp; message: string }> = {
  pool: { form: /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+){0,2}$/, message: 'Letters, digits, _ . - and / between levels.' },
  tag: {
    form: /^[a-z0-9_][a-z0-9_+.-]{0,63}$/,
    message: 'A tag as in the cluster: lower-case letters, digits, _ + . -',
  },
};

/** What is wrong with the name of a pool or a tag; null when nothing is. */
export function findMappingValueError(source: MappingSource, value: string): string | null {
  const { form, message } = FORMS[source];
  return form.test(value) ? null : message;
}

/** Gives the workloads of a pool, or with a tag, to a project; in one cluster, or in all without `cluster_id`. */
export const MappingRuleInput = z
  .strictObject({
    ...fields,
    cluster_id: fields.cluster_id.default(null),
    /** Of several rules that match a workload the one with the lowest number decides. */
    priority: fields.priority.default(DEFAULT_MAPPING_PRIORITY),
    enabled: fields.enabled.default(true),
    description: fields.description.default(''),
  })
  .superRefine(({ source, value }, context) => {
    const message = findMappingValueError(source, value);
    if (message !== null) context.addIssue({ code: 'custom', path: ['value'], message });
  });
export type MappingRuleInput = z.output<typeof MappingRuleInput>;

/** What is left out stays. */
export const MappingRuleUpdate = z.strictObject({ ...fields, version: z.int().min(1) }).partial();
export type MappingRuleUpdate = z.output<typeof MappingRuleUpdate>;

export const MappingRule = z.object({
  id: z.uuid(),
  source: z.enum(MAPPING_SOURCES),
  value: z.string(),
  cluster_id: z.uuid().nullable(),
  cluster_name: z.string().nullable(),
  project_id: z.uuid(),
  project_name: z.string(),
  tenant_id: z.uuid(),
  tenant_name: z.string(),
  priority: z.int(),
  enabled: z.boolean(),
  description: z.string(),
  /** Workloads with this pool or tag, whatever assigns their project. */
  workloads_matched: z.int(),
  /** Workloads that have their project by this rule. */
  workloads_assigned: z.int(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type MappingRule = z.output<typeof MappingRule>;

export const MappingRuleListInput = listInput(MAPPING_RULE_SORTS, {
  source: fields.source.optional(),
  project_id: fields.project_id.optional(),
  cluster_id: z.uuid('The ID of a cluster.').optional(),
});
export type MappingRuleListInput = z.output<typeof MappingRuleListInput>;
export const MappingRulePage = createPageSchema(MappingRule);

/** Rules that may exist: all of them are weighed at every sync. */
export const MAX_MAPPING_RULES = 1_000;

const RuleName = z.object({
  id: z.uuid(),
  source: z.enum(MAPPING_SOURCES),
  value: z.string(),
  cluster_id: z.uuid().nullable(),
  priority: z.int(),
  project_id: z.uuid(),
  project_name: z.string(),
  tenant_id: z.uuid(),
  tenant_name: z.string(),
});

/** A workload that rules would give to different projects. The first of the rules decides. */
export const MappingConflict = z.object({
  id: z.uuid(),
  name: z.string(),
  vmid: z.int(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  rules: z.array(RuleName),
});
export type MappingConflict = z.output<typeof MappingConflict>;
export const MappingConflictListInput = listInput(['name'], {
  cluster_id: z.uuid('The ID of a cluster.').optional(),
});
export type MappingConflictListInput = z.output<typeof MappingConflictListInput>;
export const MappingConflictPage = createPageSchema(MappingConflict);

/** What would happen if `rule` were stored (in place of `rule_id`, when given), or without `rule` if `rule_id` were deleted. */
export const MappingPreviewInput = z
  .strictObject({ rule_id: z.uuid('The ID of a mapping rule.').optional(), rule: MappingRuleInput.optional() })
  .refine(({ rule, rule_id }) => rule !== undefined || rule_id !== undefined, {
    path: ['rule'],
    message: 'Specify the rule, or the ID of the rule to delete.',
  });
export type MappingPreviewInput = z.output<typeof MappingPreviewInput>;

const Place = z
  .object({ project_id: z.uuid(), project_name: z.string(), tenant_id: z.uuid(), tenant_name: z.string() })
  .nullable();

export const MappingPreview = z.object({
  /** Workloads that the rule matches. */
  matched: z.int(),
  /** Of those, assigned manually: they stay where they are. */
  kept_by_hand: z.int(),
  /** Of those, decided by a rule that goes before this one. */
  overruled: z.int(),
  moves_total: z.int(),
  /** The first workloads by name that get another project than they have. `to` null is none. */
  moves: z.array(
    z.object({
      workload_id: z.uuid(),
      workload_name: z.string(),
      vmid: z.int(),
      cluster_id: z.uuid(),
      cluster_name: z.string(),
      from: Place,
      to: Place,
      /** What policies of the tenant that loses the workload have there, and what becomes of it. Null: nothing. */
      rules_left: z.object({ policies: z.int(), mode: z.enum(['remove', 'keep']) }).nullable(),
    }),
  ),
});
export type MappingPreview = z.output<typeof MappingPreview>;

/** How many workloads have another project than before. */
export const FollowRulesResult = z.object({ changed: z.int() });
