import { z } from 'zod';
import { PolicyCreate } from '../policies';
import { ENFORCEMENT_MODES } from '../policy/choices';
import { PolicyDefinition, SecurityRuleInput } from '../policy/policy';
import { NO_RESPONSIBILITY, RESPONSIBILITY_FIELDS } from '../policy/responsibility';
import { checkPorts, PolicyTestFields } from '../policy-tests/definition';
import { SecurityGroupInput } from '../security-group';

/** Objects of one kind in a file. */
const MAX_OBJECTS = 5_000;

const Name = z
  .string({ error: 'A name.' })
  .trim()
  .min(1, 'A name, or leave this field out.')
  .max(100, 'At most 100 characters.')
  .nullable()
  .default(null);

/** Whose object it is, by name: a project of a tenant, a tenant, or (neither) the installation. */
const owner = { tenant: Name, project: Name };

const hasTenant = ({ tenant, project }: { tenant: string | null; project: string | null }) =>
  project === null || tenant !== null;
const NO_TENANT = { path: ['project'], message: 'Specify the tenant of the project, too.' };

const Members = z
  .array(z.string({ error: 'A workload, such as vmid:cluster/105.' }).trim().min(1).max(200), {
    error: 'A list of workloads.',
  })
  .max(10_000, 'At most 10000 members.')
  .transform((members) => [...new Set(members)]);

/** A security group with the members that were added manually. */
export const FileGroup = SecurityGroupInput.omit({ workload_ids: true, tenant_id: true, project_id: true })
  .extend({ ...owner, members: Members.default([]) })
  .refine(hasTenant, NO_TENANT);
export type FileGroup = z.output<typeof FileGroup>;

/** Where it says what enforces, a mistake is an error: a policy must not be audited silently. */
const Definition = PolicyDefinition.extend({
  enforcement_mode: z.enum(ENFORCEMENT_MODES, { error: 'One of enforced, audit.' }),
});

/** A policy with its rules. */
export const FilePolicy = PolicyCreate.omit({ tenant_id: true, project_id: true, reason: true })
  .extend({ ...owner, definition: Definition })
  .refine(hasTenant, NO_TENANT);
export type FilePolicy = z.output<typeof FilePolicy>;

/** A policy test. */
export const FileTest = PolicyTestFields.extend(owner).superRefine(checkPorts).refine(hasTenant, NO_TENANT);
export type FileTest = z.output<typeof FileTest>;

const createListSchema = <T extends z.ZodType>(schema: T) =>
  z.array(schema, { error: 'A list.' }).max(MAX_OBJECTS, `At most ${MAX_OBJECTS}.`).default([]);

/** The lists of a file, in the order in which they are written. */
export const FILE_LISTS = ['security_groups', 'policies', 'policy_tests'] as const;
export type FileList = (typeof FILE_LISTS)[number];

/** Policies, groups and policy tests as a document. It names everything by its name, and nothing by an ID. */
export const PolicyFile = z.strictObject({
  version: z.literal(1, { error: 'The version of the format, 1.' }),
  security_groups: createListSchema(FileGroup),
  policies: createListSchema(FilePolicy),
  policy_tests: createListSchema(FileTest),
});
export type PolicyFile = z.output<typeof PolicyFile>;

const RULE_DEFAULTS = SecurityRuleInput.parse({ action: 'accept' });
const DEFAULTS: Record<FileList, Record<string, unknown>> = {
  security_groups: {
    tenant: null,
    project: null,
    description: '',
    member_tags: [],
    member_tags_match: 'any',
    members: [],
  },
  policies: { tenant: null, project: null, description: '', enabled: true, ...NO_RESPONSIBILITY, rules: [] },
  policy_tests: { tenant: null, project: null, protocol: 'any', ports: [], reason: '', owner: '' },
};
const KEYS: Record<FileList, readonly string[]> = {
  security_groups: ['name', 'tenant', 'project', 'description', 'member_tags', 'member_tags_match', 'members'],
  policies: [
    ...['name', 'tenant', 'project', 'description', 'enabled', 'tier', 'tenant_visibility', 'priority'],
    ...[...RESPONSIBILITY_FIELDS, 'definition', 'rules'],
  ],
  policy_tests: ['name', 'tenant', 'project', 'expect', 'from', 'to', 'protocol', 'ports', 'reason', 'owner'],
};
const DEFINITION_KEYS = ['enforcement_mode', 'direction', 'sources', 'targets', 'default_action'];
const DEFINITION_DEFAULTS = { direction: 'in', default_action: 'none' };
const RULE_KEYS = Object.keys(RULE_DEFAULTS);

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The fields in this order, without those that have their defaults. */
const compact = (value: Readonly<Record<string, unknown>>, keys: readonly string[], defaults: object) =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const field = value[key];
      const hasDefault = key in defaults && isSame(field, (defaults as Record<string, unknown>)[key]);
      return field === undefined || hasDefault ? [] : [[key, field]];
    }),
  );

/** A document as it is written: lists and fields in one order, nothing that can be left out. */
export type WrittenFile = { version: 1 } & Partial<Record<FileList, Record<string, unknown>[]>>;

function writePolicy(policy: FilePolicy): Record<string, unknown> {
  const definition = compact(policy.definition, DEFINITION_KEYS, DEFINITION_DEFAULTS);
  const { action: _, ...rule_defaults } = RULE_DEFAULTS;
  const rules = policy.rules.map((rule) => compact(rule, RULE_KEYS, rule_defaults));
  return compact({ ...policy, definition, rules }, KEYS.policies, DEFAULTS.policies);
}

/** Writes a document. Reading what it returns gives the same document. */
export function writePolicyFile({ version, security_groups, policies, policy_tests }: PolicyFile): WrittenFile {
  const lists = {
    security_groups: security_groups.map((one) => compact(one, KEYS.security_groups, DEFAULTS.security_groups)),
    policies: policies.map(writePolicy),
    policy_tests: policy_tests.map((one) => compact(one, KEYS.policy_tests, DEFAULTS.policy_tests)),
  };
  const written = FILE_LISTS.filter((list) => lists[list].length > 0).map((list) => [list, lists[list]]);
  return { version, ...Object.fromEntries(written) };
}
