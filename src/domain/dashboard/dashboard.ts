import { z } from 'zod';
import { AgentSummary } from '../agent';
import { NODE_STATUSES, RUN_STATUSES, SYNC_STATUSES } from '../choices';
import { EscapedSummary } from '../enforcement-chain/escaped';
import { TALKER_SOURCES, TopTalker, TopTalkers, TrafficSeries } from '../flow/traffic-sums';
import { DEPLOYMENT_REASONS, DEPLOYMENT_STATUSES } from '../policy/status';
import { summedVerdict } from '../summed-verdict';
import { RUN_TRIGGERS } from '../sync';
import { Time } from '../time';
import { EDGE_VERDICTS, type EdgeVerdict } from '../topology/edge-verdict';
import { RangeMonitoring } from './monitoring';
import { SecurityPosture } from './security-posture';
import { SuspiciousSummary, SuspiciousTraffic } from './suspicious-traffic';

const covered = {
  /** The range that the answer is about; `until` is not part of it. */
  since: z.string(),
  until: z.string(),
  tenant_id: z.uuid().nullable(),
};

/** Visible policies by mode and by deployment status. */
export const PolicyStandings = z.object({
  total: z.int(),
  enforced: z.int(),
  audit: z.int(),
  disabled: z.int(),
  active: z.int(),
  /** Without those that wait for their first apply. */
  stale: z.int(),
  partial: z.int(),
  unresolved: z.int(),
  /** Enforced, but never applied. */
  pending: z.int(),
  /** Nothing is to be deployed and nothing of them is live. */
  none: z.int(),
  /** The worst of those that are not as they should be. */
  attention: z.array(
    z.object({
      policy_id: z.uuid(),
      policy_name: z.string(),
      status: z.enum(DEPLOYMENT_STATUSES),
      reasons: z.array(z.enum(DEPLOYMENT_REASONS)),
    }),
  ),
});
export type PolicyStandings = z.output<typeof PolicyStandings>;

/** What concerns security now and in the range. */
export const DashboardSecurity = z.object({
  ...covered,
  security_posture: SecurityPosture,
  /** Whether what is missing below would have been seen. */
  monitoring: RangeMonitoring,
  suspicious_traffic: z.array(SuspiciousTraffic),
  suspicious_summary: SuspiciousSummary,
  /** Flows are stored from this time on; earlier suspicious traffic has expired. */
  suspicious_since: z.string(),
  /** null: not visible to the user. */
});
export type DashboardSecurity = z.output<typeof DashboardSecurity>;

/** The newest run of one kind; totals of its counters. */
const LastRun = z.object({
  run_id: z.uuid(),
  status: z.enum(RUN_STATUSES),
  trigger: z.enum(RUN_TRIGGERS),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  created: z.int(),
  changed: z.int(),
  removed: z.int(),
  errors: z.int(),
});

/** How up to date a cluster's inventory is. */
export const LastSync = z.object({
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  sync_status: z.enum(SYNC_STATUSES),
  last_sync_at: z.string().nullable(),
  last_sync_error: z.string().nullable(),
  last_sync_error_code: z.string().nullable(),
  /** What the API token lacks to apply policies, as of the last sync: not empty means read-only. Null: not known. */
  missing_write_privileges: z.array(z.string()).nullable(),
  inventory: LastRun.nullable(),
  ipam: LastRun.nullable(),
});
export type LastSync = z.output<typeof LastSync>;

export const FaultyNode = z.object({
  node_id: z.uuid(),
  node_name: z.string(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  status: z.enum(NODE_STATUSES),
  /** Why it counts as faulty. */
  fault: z.string(),
  missing_since: z.string().nullable(),
  workloads_running: z.int(),
});
export type FaultyNode = z.output<typeof FaultyNode>;

export const SilentAgent = z.object({
  node_id: z.uuid(),
  node_name: z.string(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  agent_version: z.string().nullable(),
  last_heartbeat_at: z.string().nullable(),
  interval_seconds: z.int().nullable(),
  workloads_running: z.int(),
});
export type SilentAgent = z.output<typeof SilentAgent>;

/** Nodes by what their agents do. */
const AgentCounts = AgentSummary.pick({
  nodes: true,
  ok: true,
  degraded: true,
  silent: true,
  pending: true,
  none: true,
});

/** Conversations about which the firewall's log says something else than the rules that were read. */
export const VerdictConflicts = z.object({
  /** The first of the days (UTC) that are looked at: yesterday. */
  since: z.string(),
  flows: z.int(),
  workloads: z.int(),
  /** The workloads with most of them. */
  most: z.array(z.object({ workload_id: z.uuid(), workload_name: z.string(), flows: z.int() })),
});
export type VerdictConflicts = z.output<typeof VerdictConflicts>;

/** Health of the installation itself. What is not visible to the user is null, never empty. */
export const DashboardOperations = z.object({
  tenant_id: z.uuid().nullable(),
  last_syncs: z.array(LastSync).nullable(),
  faulty_nodes: z.array(FaultyNode).nullable(),
  policies: PolicyStandings.nullable(),
  silent_agents: z.array(SilentAgent).nullable(),
  agents: AgentCounts.nullable(),
  /** Open conflicts of address management. */
  conflicts: z
    .object({
      open: z.int(),
      duplicate_address: z.int(),
      duplicate_mac: z.int(),
      outside_subnet: z.int(),
      reserved_in_use: z.int(),
      moved_address: z.int(),
      spoofed_address: z.int(),
      stale_address: z.int(),
      unmanaged_address: z.int(),
    })
    .nullable(),
  verdict_conflicts: VerdictConflicts,
  /** Conversations of the last day that passed although rules deny them. */
  escaped: EscapedSummary,
  inventory: z.object({
    clusters: z.int().nullable(),
    nodes: z.int().nullable(),
    workloads: z.int(),
    workloads_running: z.int(),
  }),
});
export type DashboardOperations = z.output<typeof DashboardOperations>;

/** Connections of one service that one network outside all known subnets opened to one workload, with one outcome. */
export const OutsideConnection = z.object({
  id: z.string(),
  /** The /24 (IPv4) or /48 that the sources are in. */
  source_prefix: z.string(),
  destination_workload_id: z.uuid(),
  destination_workload_name: z.string(),
  protocol: z.string(),
  port: z.int().nullable(),
  /** As on the topology map. */
  verdict: z.enum(EDGE_VERDICTS),
  ...summedVerdict,
  bytes: z.number(),
  packets: z.number(),
  flows: z.number(),
  last_seen_at: z.string(),
});
export type OutsideConnection = z.output<typeof OutsideConnection>;

/** Connections that were opened from outside. */
export const FromOutside = z.object({
  /** What passed, or may have passed, first; then the largest. */
  items: z.array(OutsideConnection),
  /** All there are; at least so many when `complete` is false. */
  total: z.int(),
  complete: z.boolean(),
  /** By outcome. */
  verdicts: z.object(Object.fromEntries(EDGE_VERDICTS.map((name) => [name, z.int()])) as Record<EdgeVerdict, z.ZodInt>),
});
export type FromOutside = z.output<typeof FromOutside>;

/** Who carried how much in the range, and when. */
export const DashboardTraffic = z.object({
  ...covered,
  /** The workloads with the most bytes, in and out together. */
  top_talkers: z.array(TopTalker),
  /** What they were counted from; the interface counters where no flow is known at all. */
  top_talkers_source: z.enum(TALKER_SOURCES),
  /** Of all visible workloads, not only of those listed. */
  top_talkers_sums: TopTalkers.shape.sums,
  /** Its own range is that of whole buckets; `as_of` tells up to when everything is counted. */
  traffic: TrafficSeries,
  from_outside: FromOutside,
});
export type DashboardTraffic = z.output<typeof DashboardTraffic>;

/** The whole dashboard, which the page reads in parts. */
export const Dashboard = DashboardSecurity.extend(DashboardOperations.shape).extend(DashboardTraffic.shape);
export type Dashboard = z.output<typeof Dashboard>;

/** Without `since` the hour before `until`, without `until` up to now. */
export const DashboardInput = z.strictObject({
  since: Time.optional(),
  until: Time.optional(),
  /** Only what belongs to this tenant. */
  tenant_id: z.uuid('The ID of a tenant.').optional(),
  /** At most so many entries of suspicious traffic, the worst first; all of them when left out. */
  suspicious_limit: z.coerce.number('A number, 0 or more.').int().min(0, 'A number, 0 or more.').optional(),
});
export type DashboardInput = z.output<typeof DashboardInput>;

/** The same for traffic. */
export const DashboardTrafficInput = DashboardInput.omit({ suspicious_limit: true });
export type DashboardTrafficInput = z.output<typeof DashboardTrafficInput>;

/** The same for what is reported as of now. */
export const DashboardOperationsInput = DashboardInput.pick({ tenant_id: true });
export type DashboardOperationsInput = z.output<typeof DashboardOperationsInput>;
