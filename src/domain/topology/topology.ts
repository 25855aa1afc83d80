import { z } from 'zod';
import { MAX_EXPANDED, TOPOLOGY_GROUPINGS, WORKLOAD_KINDS, WORKLOAD_STATUSES } from '../choices';
import { flowFilters } from '../flow/flow-filter';
import { summedVerdict } from '../summed-verdict';
import { EDGE_VERDICTS } from './edge-verdict';

/** More than these are left out; the answer says how many there are. */
export const MAX_TOPOLOGY_WORKLOADS = 5_000;
export const MAX_TOPOLOGY_EDGES = 10_000;
/** Services of an edge, and prefixes of a peer, the busiest first. */
export const MAX_EDGE_SERVICES = 20;
export const MAX_PEER_PREFIXES = 20;

export type TopologyGrouping = (typeof TOPOLOGY_GROUPINGS)[number];

const list = <T extends z.ZodType<string, string>>(item: T, most: number, error: string) =>
  z
    .union([z.string().transform((text) => text.split(',').filter(Boolean)), z.array(z.string())])
    .pipe(z.array(item).max(most, error))
    .optional();

/** Part of the map: a time range (the last hour when left out), one cluster, or one workload with its neighbors. */
export const TopologyInput = z.strictObject({
  since: flowFilters.since,
  until: flowFilters.until,
  cluster_id: flowFilters.cluster_id,
  workload_id: flowFilters.workload_id,
  /** Groups with summed edges instead of single workloads; `auto`: by project if a workload has one, else by network. */
  group_by: z.enum(['auto', ...TOPOLOGY_GROUPINGS], `One of auto, ${TOPOLOGY_GROUPINGS.join(', ')}.`).optional(),
  /** Groups that are shown as their workloads: IDs of groups, IDs of workloads in them, or `all`. With commas in a query string. */
  expand: list(z.string().max(300), MAX_EXPANDED, `At most ${MAX_EXPANDED}.`),
  /** Conversations with a workload of this project at one end or both; `none`: of no project. */
  project_id: z.union([z.uuid(), z.literal('none')], 'The ID of a project, or none.').optional(),
  /** The same for a tag. */
  tag: z.string().trim().min(1).max(200, 'At most 200 characters.').optional(),
  /** Conversations that match a rule of this policy, or would in audit mode. */
  policy_id: z.uuid('The ID of a policy.').optional(),
  /** A list, in a query string with commas. */
  verdict: list(
    z.enum(EDGE_VERDICTS, `One or more of ${EDGE_VERDICTS.join(', ')}.`),
    EDGE_VERDICTS.length,
    'Too many.',
  ),
  /** Counted in each group: part of a name, tag or project, start of an address, VMID. Does not filter. */
  q: z.string().trim().max(200, 'At most 200 characters.').optional(),
});
export type TopologyInput = z.output<typeof TopologyInput>;

const sums = { bytes: z.number(), packets: z.number(), flows: z.number() };

/** A network as guests see it: a bridge or virtual network, with a VLAN tag where the card has one. */
export const TopologyNetwork = z.object({
  /** Of the network, followed by `.<tag>` where there is one. */
  id: z.string(),
  network_id: z.uuid(),
  cluster_id: z.uuid(),
  name: z.string(),
  vlan_tag: z.int().nullable(),
});
export type TopologyNetwork = z.output<typeof TopologyNetwork>;

export const TopologyWorkload = z.object({
  id: z.uuid(),
  cluster_id: z.uuid(),
  name: z.string(),
  vmid: z.int(),
  kind: z.enum(WORKLOAD_KINDS),
  status: z.enum(WORKLOAD_STATUSES),
  tags: z.array(z.string()),
  project_id: z.uuid().nullable(),
  project_name: z.string().nullable(),
  /** Of its cards, in their order. */
  network_ids: z.array(z.string()),
  addresses: z.array(z.string()),
});
export type TopologyWorkload = z.output<typeof TopologyWorkload>;

/**
 * All addresses without a workload that may be seen, for the workloads of one network: `external` outside all known
 * subnets, `internal` inside one.
 */
export const TopologyPeer = z.object({
  id: z.string(),
  kind: z.enum(['external', 'internal']),
  cluster_id: z.uuid(),
  /** Network of the workloads that communicate with these; null when their interfaces are on none. */
  network_id: z.string().nullable(),
  /** Known subnets, or of external addresses the /24 (IPv4) or /48; the busiest first. */
  prefixes: z.array(z.object({ prefix: z.string(), ...sums })),
  prefixes_total: z.int(),
});
export type TopologyPeer = z.output<typeof TopologyPeer>;

/** Who is at one end of a service between groups. */
const ServiceEnd = z.object({
  /** Its visible workloads; empty with more than 20, or if some of the traffic is of none. */
  workload_ids: z.array(z.uuid()),
  /** The one prefix of its addresses without a workload; null with several, or with workloads. */
  prefix: z.string().nullable(),
});
export type ServiceEnd = z.output<typeof ServiceEnd>;

export const TopologyService = z.object({
  protocol: z.string(),
  /** Null: the protocol has none, or neither end looks like a service. */
  port: z.int().nullable(),
  ...sums,
  last_seen_at: z.string(),
  /** Only with `group_by`. */
  ends: z.object({ source: ServiceEnd, destination: ServiceEnd }).optional(),
});
export type TopologyService = z.output<typeof TopologyService>;

/**
 * Conversations of which the same becomes, that one end opened to another; both directions are counted. Ends are ids of
 * workloads or peers. Two ends have as many edges as there are verdicts.
 */
export const TopologyEdge = z.object({
  source: z.string(),
  destination: z.string(),
  verdict: z.enum(EDGE_VERDICTS),
  ...summedVerdict,
  ...sums,
  last_seen_at: z.string(),
  services: z.array(TopologyService),
  services_total: z.int(),
});
export type TopologyEdge = z.output<typeof TopologyEdge>;

/**
 * Workloads as one node of the map, or everything outside: `external` outside all known subnets, `internal` inside one where no
 * visible workload is known, `none` workloads without a project, tag or network.
 */
export const TopologyGroup = z.object({
  /** `project:<ID>`, `tag:<name>`, `network:<ID>`, `none`, `external` or `internal`: also the end of its edges. */
  id: z.string(),
  kind: z.enum([...TOPOLOGY_GROUPINGS, 'none', 'external', 'internal']),
  /** null for the last three. */
  name: z.string().nullable(),
  /** Of a network; null for all others, which may span clusters. */
  cluster_id: z.uuid().nullable(),
  /** How many there are on the map, whether or not they have traffic. */
  workloads: z.int(),
  /** How many of them match `q`; 0 without it. */
  found: z.int(),
  /** Its workloads are nodes of their own, and no edge ends at the group. */
  expanded: z.boolean(),
  /** Of what is outside, the busiest first. */
  prefixes: TopologyPeer.shape.prefixes,
  prefixes_total: z.int(),
});
export type TopologyGroup = z.output<typeof TopologyGroup>;

export const Topology = z.object({
  /** The range that was counted: the one asked for, widened to whole five minutes or hours. */
  since: z.string(),
  until: z.string(),
  source: z.enum(['minutes', 'hours']),
  /** Traffic before has expired. */
  kept_since: z.string(),
  clusters: z.array(z.object({ id: z.uuid(), name: z.string() })),
  networks: z.array(TopologyNetwork),
  workloads: z.array(TopologyWorkload),
  peers: z.array(TopologyPeer),
  edges: z.array(TopologyEdge),
  /** All there are; more than the lists hold when something was left out: idle workloads first, then the lightest edges. */
  workloads_total: z.int(),
  edges_total: z.int(),
  /** How workloads are grouped; null: not at all. */
  group_by: z.enum(TOPOLOGY_GROUPINGS).nullable(),
  /** Empty when workloads are not grouped. `workloads` then has those of expanded groups only, and `peers` is empty. */
  groups: z.array(TopologyGroup),
  /** Of all workloads of the map before it is filtered, by name; empty when workloads are not grouped. */
  tags: z.array(z.string()),
  /** Of all edges, also those that are left out. Without filters, what the flows of the range sum up to. */
  sums: z.object(sums),
  /** false: there were too many different conversations to read, and the smallest are missing in `sums`, too. */
  complete: z.boolean(),
});
export type Topology = z.output<typeof Topology>;
