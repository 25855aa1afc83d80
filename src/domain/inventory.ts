import { z } from 'zod';
import {
  NETWORK_KINDS,
  NETWORK_SORTS,
  NODE_SORTS,
  NODE_STATUSES,
  WORKLOAD_ENFORCEMENTS,
  WORKLOAD_KINDS,
  WORKLOAD_SORTS,
  WORKLOAD_STATUSES,
} from './choices';
import { COMPILE_FAILURE_REASONS } from './firewall/compile-failure';
import { PROTECTIONS, UNPROTECTED_REASONS } from './firewall/protection';
import { createPageSchema, listInput } from './list';

/** `true` or `false` of a query string. */
const flag = z.enum(['true', 'false'], { error: 'One of true, false.' }).transform((text) => text === 'true');
/** A filter that tRPC sends as a boolean and a query string as text. */
export const booleanFilter = z.union([z.boolean(), flag], { error: 'One of true, false.' }).optional();

/** What keeps the firewall of a node from compiling: its old rules stay enforced for every guest. */
export const NodeCompileFailure = z.object({
  /** When it was first read. */
  since: z.string(),
  /** All of it as text, with the remedy. */
  message: z.string(),
  /** Whether the node's agent saw its packet filter change since; `none`: no agent reports. */
  agent_evidence: z.enum(['ruleset_unchanged', 'ruleset_changed_since', 'service_stopped', 'none']),
  failures: z.array(
    z.object({
      reason: z.enum(COMPILE_FAILURE_REASONS),
      /** Where it is stored; `group`: in a PVE security group. */
      scope: z.enum(['guest', 'group', 'node', 'data_center']),
      vmid: z.int().optional(),
      workload_id: z.uuid().nullable(),
      workload_name: z.string().nullable(),
      group: z.string().optional(),
      /** Position of the rule. */
      position: z.int().optional(),
      /** Name of the IP set. */
      set: z.string().optional(),
      /** The interface whose configuration is refused. */
      nic: z.string().optional(),
      detail: z.string(),
    }),
  ),
});
export type NodeCompileFailure = z.output<typeof NodeCompileFailure>;

export const Node = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  name: z.string(),
  status: z.enum(NODE_STATUSES),
  address: z.string().nullable(),
  provider_version: z.string().nullable(),
  nftables: z.boolean().nullable(),
  cpu_count: z.int().nullable(),
  memory_bytes: z.number().nullable(),
  started_at: z.string().nullable(),
  fault: z.string().nullable(),
  /** null: nothing is known to keep its firewall from being compiled. */
  compile_failure: NodeCompileFailure.nullable(),
  missing_since: z.string().nullable(),
  agent_status: z.enum(['pending', 'ok', 'degraded', 'silent']).nullable(),
  last_heartbeat_at: z.string().nullable(),
  workloads_total: z.int(),
  workloads_running: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Node = z.output<typeof Node>;

export const NodeListInput = listInput(NODE_SORTS, {
  cluster_id: z.uuid().optional(),
  status: z.enum(NODE_STATUSES).optional(),
  faulty: booleanFilter,
  missing: booleanFilter,
});
export type NodeListInput = z.output<typeof NodeListInput>;
export const NodePage = createPageSchema(Node);

export const Workload = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  node_id: z.uuid().nullable(),
  node_name: z.string().nullable(),
  project_id: z.uuid().nullable(),
  project_name: z.string().nullable(),
  /** How the project was assigned: manually, by a mapping rule, or not at all. */
  project_assigned_by: z.enum(['hand', 'rule']).nullable(),
  tenant_id: z.uuid().nullable(),
  vmid: z.int(),
  kind: z.enum(WORKLOAD_KINDS),
  external_id: z.string(),
  name: z.string(),
  status: z.enum(WORKLOAD_STATUSES),
  template: z.boolean(),
  tags: z.array(z.string()),
  pool: z.string().nullable(),
  lock: z.string().nullable(),
  ha_state: z.string().nullable(),
  cpu_count: z.int().nullable(),
  memory_bytes: z.number().nullable(),
  started_at: z.string().nullable(),
  /** The first addresses, those of trusted sources first; `addresses_total` says how many there are. */
  primary_addresses: z.array(z.string()),
  addresses_total: z.int(),
  interfaces_total: z.int(),
  /** How many of the interfaces have the firewall flag. */
  interfaces_firewalled: z.int(),
  /** What becomes of inbound packets that no rule is about, at the worst of its interfaces; null: it has none. */
  protection: z.enum(PROTECTIONS).nullable(),
  /** Why it is not `default_deny`, at whichever interface; empty if it is, or has no interface. */
  protection_reasons: z.array(z.enum(UNPROTECTED_REASONS)),
  /** The interfaces that are not, each with its reasons; empty while they are not known. */
  unprotected_interfaces: z.array(z.object({ name: z.string(), reasons: z.array(z.enum(UNPROTECTED_REASONS)) })),
  config_read_at: z.string().nullable(),
  missing_since: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Workload = z.output<typeof Workload>;

export const WorkloadInterface = z.object({
  id: z.uuid(),
  name: z.string(),
  guest_name: z.string().nullable(),
  model: z.string().nullable(),
  mac: z.string().nullable(),
  bridge: z.string().nullable(),
  network_id: z.uuid().nullable(),
  vlan_tag: z.int().nullable(),
  trunks: z.string().nullable(),
  firewall: z.boolean(),
  link_down: z.boolean(),
  mtu: z.int().nullable(),
  rate_mbytes: z.string().nullable(),
  ip_config: z
    .object({
      ip: z.string().optional(),
      gw: z.string().optional(),
      ip6: z.string().optional(),
      gw6: z.string().optional(),
    })
    .nullable(),
  pending: z.boolean(),
  /** What becomes of inbound packets that no rule is about, as last read. */
  protection: z.enum(PROTECTIONS),
  /** Why it is not `default_deny`. */
  protection_reasons: z.array(z.enum(UNPROTECTED_REASONS)),
});
export type WorkloadInterface = z.output<typeof WorkloadInterface>;

export const WorkloadAddress = z.object({
  id: z.uuid(),
  address: z.string(),
  subnet_id: z.uuid(),
  subnet_cidr: z.string(),
  network_id: z.uuid(),
  interface_id: z.uuid().nullable(),
  state: z.enum(['active', 'reserved', 'dhcp', 'stale', 'conflict']),
  source: z.enum(['agent', 'sdn', 'config', 'cloudinit', 'manual']),
});
export type WorkloadAddress = z.output<typeof WorkloadAddress>;

export const WorkloadDetail = Workload.extend({
  interfaces: z.array(WorkloadInterface),
  ip_addresses: z.array(WorkloadAddress),
});
export type WorkloadDetail = z.output<typeof WorkloadDetail>;

export type WorkloadEnforcement = (typeof WORKLOAD_ENFORCEMENTS)[number];

/** One or several of some words; in a query string with commas between them. */
const createEnumListSchema = <const W extends readonly [string, ...string[]]>(words: W) =>
  z
    .union([z.string().transform((text) => text.split(',').filter(Boolean)), z.array(z.string())])
    .pipe(z.array(z.enum(words, `One or more of ${words.join(', ')}.`)).min(1))
    .optional();

export const WorkloadListInput = listInput(WORKLOAD_SORTS, {
  cluster_id: z.uuid().optional(),
  node_id: z.uuid().optional(),
  network_id: z.uuid().optional(),
  /** `none` finds workloads without a project. */
  project_id: z.union([z.uuid(), z.literal('none')]).optional(),
  kind: z.enum(WORKLOAD_KINDS).optional(),
  status: z.enum(WORKLOAD_STATUSES).optional(),
  tag: z.string().max(100).optional(),
  pool: z.string().max(100).optional(),
  template: booleanFilter,
  missing: booleanFilter,
  enforcement: z.enum(WORKLOAD_ENFORCEMENTS, `One of ${WORKLOAD_ENFORCEMENTS.join(', ')}.`).optional(),
  protection: createEnumListSchema(PROTECTIONS),
  /** Workloads that are not protected for one of these reasons. */
  protection_reason: createEnumListSchema(UNPROTECTED_REASONS),
});
export type WorkloadListInput = z.output<typeof WorkloadListInput>;
export const WorkloadPage = createPageSchema(Workload);

/** The filters of the list without its order and pages. */
export const ProtectionCountsInput = WorkloadListInput.omit({ limit: true, cursor: true, sort: true });
export type ProtectionCountsInput = z.output<typeof ProtectionCountsInput>;

const counts = <W extends string>(words: readonly W[]) =>
  z.object(Object.fromEntries(words.map((word) => [word, z.int()])) as Record<W, z.ZodInt>);

/**
 * How many workloads of the list have each value of a filter, as the other filters leave it. One with several reasons is counted under
 * each of them.
 */
export const ProtectionCounts = z.object({
  protection: counts(PROTECTIONS),
  protection_reason: counts(UNPROTECTED_REASONS),
  without_interface: z.int(),
});
export type ProtectionCounts = z.output<typeof ProtectionCounts>;

export const Network = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  name: z.string(),
  kind: z.enum(NETWORK_KINDS),
  zone: z.string().nullable(),
  vlan_tag: z.int().nullable(),
  vlan_aware: z.boolean().nullable(),
  alias: z.string().nullable(),
  description: z.string(),
  node_names: z.array(z.string()),
  source: z.enum(['provider', 'discovery', 'manual']),
  interfaces_total: z.int(),
  subnets_total: z.int(),
  missing_since: z.string().nullable(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Network = z.output<typeof Network>;

export const NetworkSubnet = z.object({
  id: z.uuid(),
  cidr: z.string(),
  gateway: z.string().nullable(),
  dns_servers: z.array(z.string()),
  dhcp_enabled: z.boolean(),
  description: z.string(),
  source: z.enum(['provider', 'discovery', 'manual']),
  missing_since: z.string().nullable(),
  addresses_total: z.int(),
  version: z.int(),
});
export type NetworkSubnet = z.output<typeof NetworkSubnet>;

export const NetworkDetail = Network.extend({ subnets: z.array(NetworkSubnet) });
export type NetworkDetail = z.output<typeof NetworkDetail>;

export const NetworkListInput = listInput(NETWORK_SORTS, {
  cluster_id: z.uuid().optional(),
  kind: z.enum(NETWORK_KINDS).optional(),
  zone: z.string().max(100).optional(),
  missing: booleanFilter,
});
export type NetworkListInput = z.output<typeof NetworkListInput>;
export const NetworkPage = createPageSchema(Network);

/** A time in which a workload belonged to a tenant, and that has ended. */
export const FormerPeriod = z.object({
  tenant_id: z.uuid(),
  tenant_name: z.string(),
  /** What the workload was called when it went. Null: not noted. */
  name: z.string().nullable(),
  /** Null: as long as it is known. */
  from_at: z.string().nullable(),
  to_at: z.string(),
});

/** A workload that moved to another tenant, as the former tenant sees it. Where it is now is not shown. */
export const FormerWorkload = z.object({
  workload_id: z.uuid(),
  /** What it was called when it went last. Null: not noted. */
  name: z.string().nullable(),
  /** The newest first, 50 at most. */
  periods: z.array(FormerPeriod),
});
export type FormerWorkload = z.output<typeof FormerWorkload>;
