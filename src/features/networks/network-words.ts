import type { Network } from '@/domain/inventory';

export const NETWORK_KIND_LABELS: Record<Network['kind'], string> = {
  bridge: 'Bridge',
  ovs_bridge: 'OVS bridge',
  vnet: 'SDN VNet',
  discovered: 'Discovered',
  manual: 'Made by hand',
};

/** How VLANs are used: the VNet's own tag, all tags of a VLAN-aware bridge, none, or not known. */
export function vlanText({ kind, vlan_tag, vlan_aware }: Pick<Network, 'kind' | 'vlan_tag' | 'vlan_aware'>) {
  if (vlan_tag !== null) return String(vlan_tag);
  if (vlan_aware === true) return 'VLAN-aware';
  if (vlan_aware === false) return 'None';
  return kind === 'bridge' || kind === 'ovs_bridge' ? 'Unknown' : null;
}
