import { hostSwitch } from '@/domain/firewall/host-options';
import type { ClusterFirewall, NetworkFirewall, NodeFirewall } from '@/domain/host-firewall';
import type { Scope } from '../../auth/scope';
import { findNetwork } from '../../inventory/queries/networks';
import { findNode } from '../../inventory/queries/nodes';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { hostFirewall, hostRules, isRunning, nodeSummary, vnetAt } from './host-views';
import { getNodeImplementation, type HostLive, type HostNode, readHostLive } from './read-host-live';

/**
 * What the data center of a cluster filters, read now: its options and rules, the objects they refer to, and which nodes
 * and VNets have rules of their own.
 * @throws AppError `not_found`
 */
export async function readClusterFirewall(_scope: Scope<'cluster:read'>, clusterId: string): Promise<ClusterFirewall> {
  const live = await readHostLive(clusterId);
  const { state, nodes, vnets } = live;
  const { options = null, rules = null, aliases, ipsets } = state;
  return {
    ...hostFirewall(live, { scope: 'data_center', nodes }, { options, rules }, ({ part }) => part !== 'node_networks'),
    aliases: aliases && Object.entries(aliases).map(([name, cidr]) => ({ name, cidr })),
    sets:
      ipsets &&
      Object.entries(ipsets).map(([name, entries]) => ({
        name,
        entries: entries.map(({ cidr, nomatch }) => ({ cidr, nomatch: Boolean(nomatch) })),
      })),
    nodes: nodes.map(nodeSummary),
    vnets: vnets.map(({ id, name }) => {
      const vnet = vnetAt(live, name);
      return {
        network_id: id,
        name,
        running: isRunning(live, name),
        firewall_enabled: hostSwitch('vnet', vnet?.options ?? null),
        rules_total: vnet?.rules?.length ?? null,
      };
    }),
  };
}

/** Parts of the cluster snapshot that affect traffic through a VNet, besides those of the VNet. */
const NETWORK_PARTS = ['options', 'groups', 'ipsets', 'aliases', 'vnets', 'nodes'];

export type HostVnet = {
  readonly live: HostLive;
  readonly id: string;
  readonly name: string;
  readonly nodes: HostNode[];
};

/**
 * A VNet with the firewall of its cluster, read now, and the nodes it reaches.
 * @throws AppError `not_found`; `refused` for a network that is no VNet
 */
export async function readHostVnet(networkId: string): Promise<HostVnet> {
  const network = await findNetwork('all', networkId);
  if (!network) throw notFound('network');
  if (network.kind !== 'vnet') {
    throw new AppError(
      'refused',
      'Only VNets have firewall options and rules of their own. This network is not a VNet.',
    );
  }
  const live = await readHostLive(network.cluster_id);
  const { node_names: names } = network;
  const nodes = live.nodes.filter(({ name }) => names.length === 0 || names.includes(name));
  return { live, id: network.id, name: network.name, nodes };
}

/**
 * What a VNet filters, read now: its options and rules for forwarded traffic, and which nodes enforce them.
 * @throws AppError `not_found`; `refused` for a network that is no VNet
 */
export async function readNetworkFirewall(_scope: Scope<'cluster:read'>, networkId: string): Promise<NetworkFirewall> {
  const { live, id, name, nodes } = await readHostVnet(networkId);
  const vnet = vnetAt(live, name);
  const stored = { options: vnet?.options ?? null, rules: vnet?.rules ?? null };
  const place = { scope: 'vnet' as const, nodes, vnet: vnet ?? undefined };
  const summaries = nodes.map(nodeSummary);
  const doubtful = summaries.filter(({ implementation }) => implementation === null).map((node) => node.name);
  return {
    ...hostFirewall(live, place, stored, ({ part, node, vnet: of }) => {
      if (node !== undefined) return part === 'node_options' && doubtful.includes(node);
      return of === undefined ? NETWORK_PARTS.includes(part) : of === name;
    }),
    network_id: id,
    network_name: name,
    running: isRunning(live, name),
    nodes: summaries.map(({ node_id, name: node, implementation }) => ({ node_id, name: node, implementation })),
  };
}

/** Parts of the cluster snapshot that affect traffic of a node, besides those of the node. */
const NODE_PARTS = ['options', 'rules', 'groups', 'ipsets', 'aliases', 'nodes'];

/**
 * A node with the firewall of its cluster, read now.
 * @throws AppError `not_found`
 */
export async function readHostNode(nodeId: string): Promise<{ live: HostLive; node: HostNode }> {
  const row = await findNode(nodeId);
  const live = row && (await readHostLive(row.cluster_id));
  const node = live?.nodes.find(({ id }) => id === nodeId);
  if (!live || !node) throw notFound('node');
  return { live, node };
}

/**
 * What filters the traffic of a node itself, read now: its options and rules, then the rules of the data center.
 * @throws AppError `not_found`
 */
export async function readNodeFirewall(_scope: Scope<'cluster:read'>, nodeId: string): Promise<NodeFirewall> {
  const { live, node } = await readHostNode(nodeId);
  const shared = live.state.rules ?? null;
  const { options = null, rules = null } = node.live ?? {};
  const place = { scope: 'node' as const, nodes: [node] };
  const concerns = (name: string | undefined, part: string) =>
    name === undefined ? NODE_PARTS.includes(part) : name === node.name;
  return {
    ...hostFirewall(live, place, { options, rules }, (note) => concerns(note.node, note.part), [shared]),
    node_id: node.id,
    node_name: node.name,
    implementation: getNodeImplementation(node),
    data_center_rules: hostRules(live, { scope: 'data_center', nodes: [node] }, shared),
  };
}
