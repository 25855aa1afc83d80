import type { NetworkFirewall } from '@/domain/host-firewall';
import type { Scope } from '../../auth/scope';
import { findNetwork } from '../../inventory/queries/networks';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { hostFirewall, isRunning, nodeSummary, vnetAt } from './host-views';
import { type HostLive, type HostNode, readHostLive } from './read-host-live';

/** Parts of the cluster's reading that decide about traffic through a VNet, besides those of the VNet. */
const SHARED = ['options', 'groups', 'ipsets', 'aliases', 'vnets', 'nodes'];

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
    throw new AppError('refused', 'Only VNets have firewall options and rules of their own. This network is none.');
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
      return of === undefined ? SHARED.includes(part) : of === name;
    }),
    network_id: id,
    network_name: name,
    running: isRunning(live, name),
    nodes: summaries.map(({ node_id, name: node, implementation }) => ({ node_id, name: node, implementation })),
  };
}
