import { z } from 'zod';
import { AGENT_SORTS, AGENT_STATUSES, ENROLLMENT_LIMITS, NODE_STATUSES } from './choices';
import { booleanFilter } from './inventory';
import { createPageSchema, listInput, MAX_INTEGER } from './list';

/** The token of a node was replaced by another enrollment while its agent reported. */
export const TokenReplacement = z.object({
  at: z.string(),
  enrolment_id: z.uuid(),
  /** Who created the enrollment token; null: the service itself. */
  user_id: z.uuid().nullable(),
  user_name: z.string().nullable(),
  /** Of the agent whose token it was. */
  last_heartbeat_at: z.string().nullable(),
  machine_id: z.string(),
  /** Another machine than before: the former one cannot report any more. */
  previous_machine_id: z.string().nullable(),
});

/** The agent of a node, or with `status` null a node without one. */
export const Agent = z.object({
  /** The node's: a node has one agent. */
  id: z.uuid(),
  node_id: z.uuid(),
  node_name: z.string(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  /** `pending` has not reported yet, `degraded` lacks a collector, `silent` misses heartbeats; null: not installed. */
  status: z.enum(AGENT_STATUSES).nullable(),
  agent_version: z.string().nullable(),
  machine_id: z.string().nullable(),
  enrolled_at: z.string().nullable(),
  last_heartbeat_at: z.string().nullable(),
  interval_seconds: z.int().nullable(),
  /** Agent's clock minus the service's. */
  clock_offset_ms: z.int().nullable(),
  /** As the agent reported it; null: unknown, never off. */
  firewall_status: z.record(z.string(), z.unknown()).nullable(),
  nftables_ruleset_hash: z.string().nullable(),
  /** What the newest heartbeat reports about each collector; empty before the first one. */
  collectors: z.array(z.object({ name: z.string(), state: z.string() })),
  /** Whether this service brings a newer agent; null when either version is not known. */
  outdated: z.boolean().nullable(),
  /** The last time that the token of an agent that reported was replaced; null: never. */
  token_replacement: TokenReplacement.nullable(),
  /** Flows about workloads that the inventory places on other nodes: they count nowhere. */
  unconfirmed: z.object({ waiting: z.int(), refused: z.int() }),
});
export type Agent = z.output<typeof Agent>;

/** What the heartbeats of the last day brought. */
export const AgentActivity = z.object({
  heartbeats: z.int(),
  accepted: z.int(),
  updated: z.int(),
  rejected: z.int(),
});
export type AgentActivity = z.output<typeof AgentActivity>;

/** One hour of heartbeats; hours without any are left out. */
export const AgentHour = AgentActivity.extend({ hour_at: z.string() });
export type AgentHour = z.output<typeof AgentHour>;

/** A flow of a heartbeat that could not be stored, and why. */
export const AgentRejection = z.object({ received_at: z.string(), index: z.int(), reason: z.string() });
export type AgentRejection = z.output<typeof AgentRejection>;

/** What an agent reported about one guest that the inventory places on another node. */
export const UnconfirmedGuest = z.object({
  vmid: z.int(),
  workload_id: z.uuid(),
  /** Null when the workload is gone. */
  workload_name: z.string().nullable(),
  /** Where the inventory places it now. */
  placed_node_id: z.uuid().nullable(),
  placed_node_name: z.string().nullable(),
  waiting: z.int(),
  refused: z.int(),
  first_observed_at: z.string(),
  last_observed_at: z.string(),
});
export type UnconfirmedGuest = z.output<typeof UnconfirmedGuest>;

export const UNCONFIRMED_STATES = ['waiting', 'refused'] as const;

/** A flow that is kept until the place of its workload is known, or was refused. */
export const UnconfirmedFlow = z.object({
  id: z.string(),
  /** Whose agent reported it. */
  node_id: z.uuid(),
  state: z.enum(UNCONFIRMED_STATES),
  vmid: z.int(),
  workload_id: z.uuid(),
  placed_node_id: z.uuid().nullable(),
  received_at: z.string(),
  observed_at: z.string(),
  refused_at: z.string().nullable(),
  interface: z.string().nullable(),
  source_ip: z.string(),
  destination_ip: z.string(),
  protocol: z.string(),
  source_port: z.int().nullable(),
  destination_port: z.int().nullable(),
  decision: z.string(),
  bytes: z.number().nullable(),
  packets: z.number().nullable(),
});
export type UnconfirmedFlow = z.output<typeof UnconfirmedFlow>;

export const UnconfirmedFlowInput = listInput(['received_at'], {
  node_id: z.uuid().optional(),
  state: z.enum(UNCONFIRMED_STATES, `One of ${UNCONFIRMED_STATES.join(', ')}.`).optional(),
  vmid: z.coerce.number('A VMID.').int('A VMID.').min(0, 'A VMID.').max(MAX_INTEGER, 'A VMID.').optional(),
});
export type UnconfirmedFlowInput = z.output<typeof UnconfirmedFlowInput>;
export const UnconfirmedFlowPage = createPageSchema(UnconfirmedFlow);

const count = z.int().nonnegative();
const FlowTotals = z.object({ flows: count, bytes: count, packets: count });

/** What the newest heartbeat says, as far as this version understands it. Null: not reported, or in another form; never off. */
export const AgentReport = z.object({
  /** Why flows are, or are not, what one would expect on the node. */
  diagnostics: z
    .object({
      conntrack_path: z.string().nullable(),
      bridge_nf_call_iptables: z.boolean().nullable(),
      bridge_nf_call_ip6tables: z.boolean().nullable(),
      nf_conntrack_acct: z.boolean().nullable(),
      nf_conntrack_count: count.nullable(),
      nf_conntrack_max: count.nullable(),
      capabilities: z.array(z.string()),
      collectors: z.array(
        z.object({
          name: z.string(),
          state: z.string(),
          detail: z.string().optional(),
          counts: z.record(z.string(), count).optional(),
        }),
      ),
      /** What was seen since the heartbeat before, and the part of it that is not in the flows. */
      seen: FlowTotals,
      left_out: FlowTotals,
    })
    .nullable(),
  firewall: z
    .object({
      implementation: z.enum(['iptables', 'nftables']).nullable(),
      service_running: z.boolean().nullable(),
      cluster_enabled: z.boolean().nullable(),
      rules_loaded: z.boolean().nullable(),
      guest_chains: count.nullable(),
      detail: z.string().optional(),
    })
    .nullable(),
  flow_count: count.nullable(),
  interface_count: count.nullable(),
});
export type AgentReport = z.output<typeof AgentReport>;

export const AgentDetail = Agent.extend({
  /** As the cluster reports it: a node that is offline explains a stale agent. */
  node_status: z.enum(NODE_STATUSES),
  /** The newest heartbeat, compacted: at most 50 flows, with `flow_count` and `flows_truncated`. */
  payload: z.record(z.string(), z.unknown()).nullable(),
  reported: AgentReport,
  last_day: AgentActivity,
  hours: z.array(AgentHour),
  /** Guests of other nodes that it reported about, those with the latest report first; at most 50. */
  unconfirmed_guests: z.array(UnconfirmedGuest),
  /** The latest, newest first. */
  rejections: z.array(AgentRejection),
});
export type AgentDetail = z.output<typeof AgentDetail>;

/** Nodes with their agents; `status=none` finds nodes without one. */
export const AgentListInput = listInput(AGENT_SORTS, {
  cluster_id: z.uuid().optional(),
  status: z.enum([...AGENT_STATUSES, 'none'], `One of ${[...AGENT_STATUSES, 'none'].join(', ')}.`).optional(),
  outdated: booleanFilter,
  /** Agents with a collector that is degraded or unavailable. */
  lacking: booleanFilter,
});
export type AgentListInput = z.output<typeof AgentListInput>;

export const AgentSummaryInput = z.strictObject({ cluster_id: z.uuid().optional() });
export type AgentSummaryInput = z.output<typeof AgentSummaryInput>;

/** How many nodes there are in each state. */
export const AgentSummary = z.object({
  nodes: z.int(),
  ok: z.int(),
  degraded: z.int(),
  silent: z.int(),
  pending: z.int(),
  none: z.int(),
  outdated: z.int(),
  lacking: z.int(),
  /** The version that this service hands out; null when it was built without the agent. */
  agent_version: z.string().nullable(),
});
export type AgentSummary = z.output<typeof AgentSummary>;

export const AgentPage = createPageSchema(Agent);

export const AgentInstallInput = z.strictObject({ node_id: z.uuid('The ID of a node.') });
export type AgentInstallInput = z.output<typeof AgentInstallInput>;

/** The command that installs the agent on one node; its token works once and not for long. */
export const AgentInstall = z.object({
  node_id: z.uuid(),
  node_name: z.string(),
  base_url: z.string(),
  command: z.string(),
  enrolment_token: z.string(),
  expires_at: z.string(),
});
export type AgentInstall = z.output<typeof AgentInstall>;

export const AgentInstallInfo = z.object({
  base_url: z.string(),
  script_url: z.string(),
  heartbeat_url: z.string(),
  /** Version of the agent that the installer brings; null when this service was built without it. */
  agent_version: z.string().nullable(),
  files: z.array(z.object({ name: z.string(), sha256: z.string(), bytes: z.int(), url: z.string() })),
  requirements: z.array(z.string()),
});
export type AgentInstallInfo = z.output<typeof AgentInstallInfo>;

export const ENROLLMENT_STATES = ['active', 'used', 'expired', 'revoked'] as const;

const { minutes } = ENROLLMENT_LIMITS;

/** A token for many nodes of one cluster: bounded uses, bounded time. */
export const AgentEnrollmentInput = z.strictObject({
  cluster_id: z.uuid('The ID of a cluster.'),
  /** Only these nodes of the cluster; omitted: every node without an agent that reports. */
  node_ids: z
    .array(z.uuid('The ID of a node.'))
    .min(1, 'Choose at least one node.')
    .max(ENROLLMENT_LIMITS.uses)
    .optional(),
  /** Omitted: as many as there are nodes that it can enroll now. */
  max_uses: z
    .int()
    .min(1, 'At least one use.')
    .max(ENROLLMENT_LIMITS.uses, `At most ${ENROLLMENT_LIMITS.uses} uses.`)
    .optional(),
  expires_in_minutes: z
    .int()
    .min(minutes.least, `At least ${minutes.least} minutes.`)
    .max(minutes.most, `At most ${minutes.most} minutes (7 days).`)
    .default(minutes.default),
  description: z.string().trim().max(200, 'At most 200 characters.').default(''),
});
export type AgentEnrollmentInput = z.output<typeof AgentEnrollmentInput>;

/** An enrollment token for many nodes, without its secret. */
export const AgentEnrollment = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  /** Null: every node of the cluster. */
  node_ids: z.array(z.uuid()).nullable(),
  description: z.string(),
  state: z.enum(ENROLLMENT_STATES),
  max_uses: z.int(),
  uses: z.int(),
  /** The nodes that enrolled with it, oldest first. */
  enrolled: z.array(z.object({ node_id: z.uuid(), node_name: z.string(), machine_id: z.string(), at: z.string() })),
  created_by: z.uuid().nullable(),
  created_by_name: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
  used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  revoked_by_name: z.string().nullable(),
});
export type AgentEnrollment = z.output<typeof AgentEnrollment>;

/** A new enrollment token; the token is in this answer only. */
export const AgentEnrollmentCreated = AgentEnrollment.extend({
  base_url: z.string(),
  enrolment_token: z.string(),
  /** For a root shell on each node. */
  command: z.string(),
});
export type AgentEnrollmentCreated = z.output<typeof AgentEnrollmentCreated>;

export const AgentEnrollmentListInput = listInput(['created_at', 'expires_at'], {
  cluster_id: z.uuid().optional(),
  state: z.enum(ENROLLMENT_STATES, `One of ${ENROLLMENT_STATES.join(', ')}.`).optional(),
});
export type AgentEnrollmentListInput = z.output<typeof AgentEnrollmentListInput>;
export const AgentEnrollmentPage = createPageSchema(AgentEnrollment);

const NUMBERS = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(\+.*)?$/;

/**
 * Whether version `a` came before `b`: `1.10.0` after `1.9.0`, a pre-release before its release. Null when one of
 * them is not a version of three numbers: they cannot be compared.
 */
export function isOlderVersion(a: string, b: string): boolean | null {
  const [left, right] = [NUMBERS.exec(a), NUMBERS.exec(b)];
  if (!left || !right) return null;
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part]);
    if (difference !== 0) return difference < 0;
  }
  const [before, after] = [left[4], right[4]];
  if (before === after) return false;
  if (before === undefined || after === undefined) return before !== undefined;
  return before < after;
}
