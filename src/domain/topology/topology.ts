import { z } from 'zod';
import { flowFilters } from '../flow/flow-filter';
import { WORKLOAD_KINDS, WORKLOAD_STATUSES } from '../inventory';
import { summedVerdict } from '../summed-verdict';
import { EDGE_VERDICTS } from './edge-verdict';

/** More than these are left out; the answer says how many there are. */
export const MAX_TOPOLOGY_WORKLOADS = 5_000;
export const MAX_TOPOLOGY_EDGES = 10_000;
/** Services of an edge, and prefixes of a peer, the busiest first. */
export const MAX_EDGE_SERVICES = 20;
export const MAX_PEER_PREFIXES = 20;

/** Part of the map: a time range (the last hour when left out), one cluster, or one workload with its neighbours. */
export const TopologyInput = z.strictObject({
  since: flowFilters.since,
  until: flowFilters.until,
  cluster_id: flowFilters.cluster_id,
  workload_id: flowFilters.workload_id,
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
 * Everybody who is no workload that may be seen, as the workloads of one network meet them: `external` outside all known
 * subnets, `internal` inside one.
 */
export const TopologyPeer = z.object({
  id: z.string(),
  kind: z.enum(['external', 'internal']),
  cluster_id: z.uuid(),
  /** Network of the workloads that talk to these; null when their cards are on none. */
  network_id: z.string().nullable(),
  /** Known subnets, or of external addresses the /24 (IPv4) or /48; the busiest first. */
  prefixes: z.array(z.object({ prefix: z.string(), ...sums })),
  prefixes_total: z.int(),
});
export type TopologyPeer = z.output<typeof TopologyPeer>;

export const TopologyService = z.object({
  protocol: z.string(),
  /** Null: the protocol has none, or neither end looks like a service. */
  port: z.int().nullable(),
  ...sums,
  last_seen_at: z.string(),
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
});
export type Topology = z.output<typeof Topology>;
