import { NetworkListInput } from '@/domain/inventory';
import { SubnetInput } from '@/domain/ipam/subnet';
import { createSubnet } from '@/server/addresses/subnets';
import { systemScope } from '@/server/auth/scope';
import { listNetworks } from '@/server/inventory/queries/networks';
import { SITES } from '../inventory/company';
import type { DemoSite } from '../inventory/site';
import { ignoreConflict } from './kept-steps';

/** Prefixes that the clusters do not know by themselves: their bridges carry them without SDN. */
const plannedPrefixes = (site: DemoSite) => [
  { bridge: 'vmbr0', cidr: `${site.management}.0/24`, vlan_tag: null, description: 'Nodes', name: 'management' },
  ...Object.entries(site.networks)
    .filter(([, { alias }]) => alias === undefined)
    .map(([name, { bridge, cidr, tag = null }]) => ({
      name,
      bridge,
      cidr,
      vlan_tag: tag,
      description: `Plan: ${name}`,
    })),
];

/** Enters the address plan: what people know and no cluster tells. */
export async function addSubnets(): Promise<void> {
  const read = systemScope('ipam:read', 'demo data');
  const { items } = await listNetworks(read.reach, NetworkListInput.parse({ limit: 500 }));
  for (const site of SITES) {
    for (const { bridge, cidr, vlan_tag, description } of plannedPrefixes(site)) {
      const network = items.find(({ name, cluster_name }) => name === bridge && cluster_name === site.cluster_name);
      if (!network) throw new Error(`${site.cluster_name} has no network ${bridge}`);
      const gateway = cidr.replace('.0/24', '.1');
      const input = SubnetInput.parse({ network_id: network.id, cidr, gateway, vlan_tag, description });
      await ignoreConflict(() => createSubnet(systemScope('ipam:write', 'demo data'), input));
    }
  }
}
