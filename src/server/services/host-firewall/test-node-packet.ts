import { evaluateNode } from '@/domain/firewall/evaluate-node';
import { prepareNodeFilter } from '@/domain/firewall/prepare-node-filter';
import type { HostPacketVerdicts, NodePacketTest } from '@/domain/host-firewall';
import type { Scope } from '../../auth/scope';
import { packetOf } from '../firewall/packet-of';
import { hostVerdictView } from './host-verdict-view';
import type { HostLive } from './read-host-live';
import { readHostNode } from './read-node-firewall';

/** The cluster as it was read, with what the inventory knows of nodes that could not be read. */
export function completed({ state, nodes }: HostLive) {
  const known = nodes.flatMap(({ name, live }) => (live ? [[name, live] as const] : []));
  return { ...state, ...(known.length > 0 && { nodes: { ...state.nodes, ...Object.fromEntries(known) } }) };
}

/**
 * What happens to a packet to or from a node now, and which rule, default policy or missing reading decides.
 * @throws AppError `not_found`
 */
export async function testNodePacket(
  _scope: Scope<'cluster:read'>,
  nodeId: string,
  input: NodePacketTest,
): Promise<HostPacketVerdicts> {
  const { live, node } = await readHostNode(nodeId);
  const verdict = evaluateNode(prepareNodeFilter(completed(live), node.name), packetOf(input));
  return { read_at: live.readAt([node]), nodes: [hostVerdictView(live, node, verdict)] };
}
