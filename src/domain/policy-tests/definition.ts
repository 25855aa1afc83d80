import { z } from 'zod';
import { POLICY_TEST_EXPECTATIONS, POLICY_TEST_RESULTS, POLICY_TEST_SORTS } from '../choices';
import { Decider } from '../flow-verdict';
import { createPageSchema, listInput } from '../list';
import { ManagedBy } from '../managed-source';
import { protocolHasPorts, RULE_PROTOCOLS } from '../policy/choices';
import { Ports, plainText } from '../policy/policy';
import { canonicalTestEndpoint, isExcepted, parseTestEndpoint } from './test-endpoint';

const MAX_ENDPOINTS = 200;

const Endpoint = z.string({ error: 'An endpoint.' }).transform((text, context) => {
  const parsed = parseTestEndpoint(text);
  if (!('error' in parsed)) return canonicalTestEndpoint(text) ?? text;
  context.addIssue({ code: 'custom', message: parsed.error });
  return z.NEVER;
});

/** The endpoints of one end. */
export const TestEndpoints = z
  .array(Endpoint, { error: 'A list of endpoints.' })
  .min(1, 'Specify at least one endpoint; `any` matches every address.')
  .max(MAX_ENDPOINTS, `At most ${MAX_ENDPOINTS} endpoints.`)
  .transform((endpoints) => [...new Set(endpoints)])
  .refine((endpoints) => !endpoints.every(isExcepted), 'Specify an endpoint that is not an exception.');

export const TestPorts = Ports;

const fields = {
  name: plainText(100).min(1, 'A name of 1 to 100 characters.'),
  expect: z.enum(POLICY_TEST_EXPECTATIONS, { error: 'One of allow, deny.' }),
  from: TestEndpoints,
  to: TestEndpoints,
  protocol: z.enum(RULE_PROTOCOLS, { error: `One of ${RULE_PROTOCOLS.join(', ')}.` }),
  /** Ports of the destination; none means all. */
  ports: Ports,
  /** Why this must hold. */
  reason: plainText(500),
  /** The person or team to ask. */
  owner: plainText(100),
};

type Asserted = { protocol?: (typeof RULE_PROTOCOLS)[number] | undefined; ports?: readonly string[] | undefined };

/** What is wrong with the ports of a test; null when nothing is. */
export const portsProblem = ({ protocol, ports = [] }: Asserted): string | null =>
  ports.length > 0 && protocol !== undefined && !protocolHasPorts(protocol)
    ? `Protocol ${protocol} has no ports.`
    : null;

/** Refuses ports of a protocol that has none. */
export const checkPorts = (value: Asserted, context: z.RefinementCtx) => {
  const message = portsProblem(value);
  if (message) context.addIssue({ code: 'custom', path: ['ports'], message });
};

/** What a test says, as it is stored. */
export const TestContent = z.object({
  name: z.string(),
  expect: z.enum(POLICY_TEST_EXPECTATIONS),
  from: z.array(z.string()),
  to: z.array(z.string()),
  protocol: z.enum(RULE_PROTOCOLS),
  ports: z.array(z.string()),
  reason: z.string(),
  owner: z.string(),
});
export type TestContent = z.output<typeof TestContent>;

/** What a test says, of a row with more. */
export const toTestContent = ({
  name,
  expect,
  from,
  to,
  protocol,
  ports,
  reason,
  owner,
}: TestContent): TestContent => ({
  ...{ name, expect, from, to, protocol, ports, reason, owner },
});

/** A test as it is written, with what may be left out. */
export const PolicyTestFields = z.strictObject({
  ...fields,
  protocol: fields.protocol.default('any'),
  ports: fields.ports.default([]),
  reason: fields.reason.default(''),
  owner: fields.owner.default(''),
});

/** What is needed to create a test; `tenant_id` and `project_id` as for policies. */
export const PolicyTestInput = PolicyTestFields.extend({
  tenant_id: z.uuid().nullable().optional(),
  project_id: z.uuid().nullable().optional(),
}).superRefine(checkPorts);
export type PolicyTestInput = z.output<typeof PolicyTestInput>;

/** What is left out stays. `version` is the one that was read: when it is no longer current, nothing is changed. */
export const PolicyTestUpdate = z
  .strictObject({ ...fields, version: z.int().min(1) })
  .partial()
  .superRefine(checkPorts);
export type PolicyTestUpdate = z.output<typeof PolicyTestUpdate>;

/** Why nothing can be said about a test. */
export const TEST_UNKNOWN_REASONS = [
  /** An end resolves to nothing. */
  'nothing_resolved',
  /** No pair of addresses of which Fabric knows a firewall: other families, the same address, or no workload and no node. */
  'no_pair',
  /** A workload of an end has no known address. */
  'workload_without_address',
  /** The addresses of a node were not read. */
  'node_without_address',
  /** A part of the packets is undecided; `deciding` says why. */
  'undecided',
  /** The test was not evaluated yet. */
  'not_evaluated',
] as const;
export type TestUnknownReason = (typeof TEST_UNKNOWN_REASONS)[number];

export const Named = z.object({ id: z.uuid(), name: z.string() });

/** One packet that shows why a test fails or is unknown. */
export const TestPacket = z.object({
  source: z.string(),
  /** The workload or node that has the address; null: none that the reader sees. */
  source_workload: Named.nullable(),
  source_node: z.string().nullable(),
  destination: z.string(),
  destination_workload: Named.nullable(),
  destination_node: z.string().nullable(),
  /** Protocol number. */
  protocol: z.int(),
  source_port: z.int().nullable(),
  destination_port: z.int().nullable(),
  icmp_type: z.int().nullable(),
});
export type TestPacket = z.output<typeof TestPacket>;

export const TEST_SIDES = ['source', 'destination'] as const;

/** What decides the packet, and at whose firewall. */
export const TestDecider = Decider.omit({ kind: true }).extend({
  kind: z.enum(['rule', 'default', 'builtin', 'not_enforced', 'not_filtered', 'unknown']),
  side: z.enum(TEST_SIDES),
  interface: z.string().nullable(),
});
export type TestDecider = z.output<typeof TestDecider>;

/** A workload or node of the test at which nothing filters, and why. */
export const NotFilteredNote = z.object({
  side: z.enum(TEST_SIDES),
  name: z.string(),
  reason: z.string(),
});
export type NotFilteredNote = z.output<typeof NotFilteredNote>;

/** `created`: it failed when it was created or changed. `live_rules`: someone edited the firewall of the cluster. */
export const CAUSE_KINDS = ['created', 'audit', 'sync', 'discovery', 'deployment', 'live_rules', 'unknown'] as const;

/** The event that made a test fail. */
export const TestCause = z.object({
  kind: z.enum(CAUSE_KINDS),
  at: z.string(),
  /** What happened, as text. */
  text: z.string(),
  /** Who did it; null: the system, someone on the hypervisor, or not visible to the reader. */
  actor_name: z.string().nullable(),
  /** `security_group.members_changed` … of the audit record. */
  action: z.string().nullable(),
  object_kind: z.string().nullable(),
  object_id: z.string().nullable(),
  object_name: z.string().nullable(),
});
export type TestCause = z.output<typeof TestCause>;

/** The event of a cause of which neither who did it nor what was changed is known. */
export const NO_EVENT = {
  actor_name: null,
  action: null,
  object_kind: null,
  object_id: null,
  object_name: null,
} as const;

/** As it is stored, with whose event it was: others do not read it. */
export type StoredCause = TestCause & { readonly tenant_id: string | null };

export const PolicyTest = z.object({
  id: z.uuid(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  project_id: z.uuid().nullable(),
  project_name: z.string().nullable(),
  name: z.string(),
  expect: z.enum(POLICY_TEST_EXPECTATIONS),
  from: z.array(z.string()),
  to: z.array(z.string()),
  protocol: z.enum(RULE_PROTOCOLS),
  ports: z.array(z.string()),
  reason: z.string(),
  owner: z.string(),
  /** Part of the product: changed and overridden with the installation's permission only. */
  protected: z.boolean(),
  /** Set: it is managed as code, and only what is applied from this source edits it. */
  managed_by: ManagedBy.nullable(),
  version: z.int(),
  result: z.enum(POLICY_TEST_RESULTS),
  /** With `unknown`, why. */
  unknown_reason: z.enum(TEST_UNKNOWN_REASONS).nullable(),
  counterexample: TestPacket.nullable(),
  deciding: TestDecider.nullable(),
  /** The first of the places where nothing filters, and how many there are. */
  not_filtered: z.array(NotFilteredNote),
  not_filtered_total: z.int(),
  failing_since: z.string().nullable(),
  caused_by: TestCause.nullable(),
  checked_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type PolicyTest = z.output<typeof PolicyTest>;

export const PolicyTestListInput = listInput(POLICY_TEST_SORTS, {
  result: z.enum(POLICY_TEST_RESULTS).optional(),
  expect: z.enum(POLICY_TEST_EXPECTATIONS).optional(),
  tenant_id: z.union([z.uuid(), z.literal('none')]).optional(),
  /** Tests of this project; `none`: those of whole tenants and of the installation. */
  project_id: z.union([z.uuid(), z.literal('none')]).optional(),
  /** Tests with an end that includes this workload. */
  workload_id: z.uuid().optional(),
  /** Tests whose ends include a workload with rules of this policy. */
  policy_id: z.uuid().optional(),
});
export type PolicyTestListInput = z.output<typeof PolicyTestListInput>;
export const PolicyTestPage = createPageSchema(PolicyTest);
