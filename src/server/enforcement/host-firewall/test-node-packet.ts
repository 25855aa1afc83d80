import { evaluateForward, prepareForwardFilter } from '@/domain/firewall/evaluate-forward';
import { evaluateNode } from '@/domain/firewall/evaluate-node';
import type { NodeVerdict } from '@/domain/firewall/node-verdict';
import { prepareNodeFilter } from '@/domain/firewall/prepare-node-filter';
import type { HostPacketVerdicts, NodePacketTest } from '@/domain/host-firewall';
import type { Scope } from '../../auth/scope';
import { packetOf } from '../guest-firewall/packet-of';
import { hostVerdictView } from './host-verdict-view';
import { completedCluster } from './read-host-live';
import { readHostNode } from './read-node-firewall';

/**
 * What happens to a packet to a node, from it, or routed by it now, and which rule, default policy or missing reading decides.
 * @throws AppError `not_found`
 */
export async function testNodePacket(
  _scope: Scope<'cluster:read'>,
  nodeId: string,
  { direction, ...input }: NodePacketTest,
): Promise<HostPacketVerdicts> {
  const { live, node } = await readHostNode(nodeId);
  const cluster = completedCluster(live);
  const verdict = (): NodeVerdict => {
    if (direction !== 'forward') {
      return evaluateNode(prepareNodeFilter(cluster, node.name), packetOf({ ...input, direction }));
    }
    const { direction: _, ...packet } = packetOf({ ...input, direction: 'in' });
    return evaluateForward(prepareForwardFilter(cluster, { node: node.name, vnet: null }), packet);
  };
  return { read_at: live.readAt([node]), nodes: [hostVerdictView(live, node, verdict())] };
}
