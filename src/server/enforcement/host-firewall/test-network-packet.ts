import { evaluateForward, prepareForwardFilter } from '@/domain/firewall/evaluate-forward';
import type { HostPacketVerdicts, NetworkPacketTest } from '@/domain/host-firewall';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { packetOf } from '../guest-firewall/packet-of';
import { hostVerdictView } from './host-verdict-view';
import { isRunning } from './host-views';
import { completedCluster } from './read-host-live';
import { readHostVnet } from './read-network-firewall';

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
  const { direction: _, ...packet } = packetOf({ ...input, direction: 'in' });
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
