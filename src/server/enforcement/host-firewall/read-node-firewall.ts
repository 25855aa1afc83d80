import type { NodeFirewall } from '@/domain/host-firewall';
import type { Scope } from '../../auth/scope';
import { findNode } from '../../inventory/queries/nodes';
import { notFound } from '../../lib/refusals';
import { hostFirewall, hostRules } from './host-views';
import { type HostLive, type HostNode, implementationOf, readHostLive } from './read-host-live';

/** Parts of the cluster's reading that decide about traffic of a node, besides those of the node. */
const SHARED = ['options', 'rules', 'groups', 'ipsets', 'aliases', 'nodes'];

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
    name === undefined ? SHARED.includes(part) : name === node.name;
  return {
    ...hostFirewall(live, place, { options, rules }, (note) => concerns(note.node, note.part), [shared]),
    node_id: node.id,
    node_name: node.name,
    implementation: implementationOf(node),
    data_center_rules: hostRules(live, { scope: 'data_center', nodes: [node] }, shared),
  };
}
