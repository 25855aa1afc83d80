import { evaluateForward, prepareForwardFilter } from '@/domain/firewall/evaluate-forward';
import { evaluateNode } from '@/domain/firewall/evaluate-node';
import type { NodeVerdict } from '@/domain/firewall/node-verdict';
import { prepareNodeFilter } from '@/domain/firewall/prepare-node-filter';
import type { HostPacketVerdicts, NetworkPacketTest, NodePacketTest } from '@/domain/host-firewall';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { parsePacketTest } from '../guest-firewall/test-packet';
import { hostVerdictView, isRunning } from './host-views';
import { completedCluster } from './read-host-live';
import { readHostNode, readHostVnet } from './read-hosts';

/**
 * What each node does now with a packet that it bridges within a VNet. Firewalls of workloads at its ends are not part of it.
 * @throws AppError `not_found`; `refused` for a network that is no VNet, or one that is not running
 */
export async function testNetworkPacket(
  _scope: Scope<'cluster:read'>,
  networkId: string,
  input: NetworkPacketTest,
): Promise<HostPacketVerdicts> {
  const { live, name, nodes } = await readHostVnet(networkId);
  if (isRunning(live, name) === false) {
    throw new AppError(
      'refused',
      `The VNet ${name} is not running, so no packet passes it. Apply the SDN configuration.`,
    );
  }
  const cluster = completedCluster(live);
  const { direction: _, ...packet } = parsePacketTest({ ...input, direction: 'in' });
  return {
    read_at: live.readAt(nodes),
    nodes: nodes.map((node) =>
      hostVerdictView(
        live,
        node,
        evaluateForward(prepareForwardFilter(cluster, { node: node.name, vnet: name }), packet),
      ),
    ),
  };
}

/**
 * What happens to a packet to a node, from it, or routed by it now, and which rule, default policy or missing snapshot decides.
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
      return evaluateNode(prepareNodeFilter(cluster, node.name), parsePacketTest({ ...input, direction }));
    }
    const { direction: _, ...packet } = parsePacketTest({ ...input, direction: 'in' });
    return evaluateForward(prepareForwardFilter(cluster, { node: node.name, vnet: null }), packet);
  };
  return { read_at: live.readAt([node]), nodes: [hostVerdictView(live, node, verdict())] };
}
