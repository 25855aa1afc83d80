import { z } from 'zod';
import { MAX_BULK_MEMBERS } from './choices';
import { ENFORCEMENT_MODES, POLICY_DIRECTIONS, RULE_ACTIONS, RULE_PROTOCOLS } from './policy/choices';
import { observedAddress } from './policy/endpoint';

const Address = z
  .string({ error: 'An address or prefix.' })
  .max(64, 'An address or a prefix such as 10.0.0.0/24.')
  .transform((text, context) => {
    const address = observedAddress(text);
    if (address !== null) return address;
    context.addIssue({ code: 'custom', message: 'An address or a prefix such as 10.0.0.0/24.' });
    return z.NEVER;
  });

/** One end of the traffic that a policy is drafted for. What is left out stays out of the draft: it never becomes `any`. */
export const DraftEnd = z.strictObject({
  /** The workload at this end. A group that has it as a member is proposed, the smallest first. */
  workload_id: z.uuid().optional(),
  /** These workloads together. A group is proposed only if it has exactly these members, otherwise each of them. */
  workload_ids: z
    .array(z.uuid(), { error: 'A list of workload IDs.' })
    .min(1, 'At least one workload.')
    .max(MAX_BULK_MEMBERS, `At most ${MAX_BULK_MEMBERS} workloads.`)
    .optional(),
  /** This group. */
  security_group_id: z.uuid().optional(),
  /** Used when no workload is named, or none that is visible. */
  address: Address.optional(),
});
export type DraftEnd = z.output<typeof DraftEnd>;

/** The traffic that a policy is drafted for. */
export const PolicyDraftInput = z.strictObject({
  source: DraftEnd.default({}),
  destination: DraftEnd.default({}),
  /** As flows report it. Without it, or with one that rules do not know, the draft has no rule. */
  protocol: z.string().trim().toLowerCase().max(32, 'At most 32 characters.').optional(),
  /** Of the service. */
  port: z.coerce.number('A port from 1 to 65535.').int().min(1).max(65_535).optional(),
  icmp_type: z.coerce.number('A number from 0 to 255.').int().min(0).max(255).optional(),
  action: z.enum(RULE_ACTIONS, `One of ${RULE_ACTIONS.join(', ')}.`).default('accept'),
  /** Left out: where the workload is, at the destination if both ends are workloads. */
  direction: z.enum(POLICY_DIRECTIONS, `One of ${POLICY_DIRECTIONS.join(', ')}.`).optional(),
});
export type PolicyDraftInput = z.output<typeof PolicyDraftInput>;

/** What is proposed for one end, and why. */
export const DraftProposal = z.object({
  /** null: nothing can be proposed, or several workloads. Without `endpoints`, choose one before you create the policy. */
  endpoint: z.string().nullable(),
  /** All that is proposed: the endpoint, or those of several workloads. */
  endpoints: z.array(z.string()),
  kind: z.enum(['security_group', 'workload', 'workloads', 'address']).nullable(),
  security_group_id: z.uuid().nullable(),
  /** Name or address. */
  label: z.string().nullable(),
  /** Workloads that the endpoint resolves to. */
  workloads_total: z.int(),
  /** With a group: the endpoint of the workload alone. */
  workload_endpoint: z.string().nullable(),
  workload_name: z.string().nullable(),
});
export type DraftProposal = z.output<typeof DraftProposal>;

/** A policy as `POST /policies` takes it once both ends are filled in. Always in audit mode. */
export const PolicyDraft = z.object({
  name: z.string(),
  tenant_id: z.uuid().nullable(),
  project_id: z.uuid().nullable(),
  definition: z.object({
    enforcement_mode: z.enum(ENFORCEMENT_MODES).extract(['audit']),
    direction: z.enum(POLICY_DIRECTIONS),
    default_action: z.literal('none'),
    sources: z.array(z.string()),
    targets: z.array(z.string()),
  }),
  rules: z.array(
    z.object({
      action: z.enum(RULE_ACTIONS),
      protocol: z.enum(RULE_PROTOCOLS),
      destination_ports: z.array(z.string()),
      icmp_type: z.string().nullable(),
    }),
  ),
  source: DraftProposal,
  target: DraftProposal,
  /**
   * How far the traffic of the last day was observed at the named workload with the least evidence, 0 to 1; null: no workload is named
   * whose flows the caller may see.
   */
  evidence_score: z.number().nullable(),
});
export type PolicyDraft = z.output<typeof PolicyDraft>;
