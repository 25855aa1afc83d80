import { hostSwitch } from '@/domain/firewall/host-options';
import type { ClusterFirewall } from '@/domain/host-firewall';
import type { Scope } from '../../auth/scope';
import { hostFirewall, isRunning, nodeSummary, vnetAt } from './host-views';
import { readHostLive } from './read-host-live';

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
