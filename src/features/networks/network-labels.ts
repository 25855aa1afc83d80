import type { Network } from '@/domain/inventory';
import { msg, type Translate } from '@/lib/i18n/translator';

export const NETWORK_KIND_LABELS: Record<Network['kind'], string> = {
  bridge: msg('Bridge'),
  ovs_bridge: msg('OVS bridge'),
  vnet: msg('SDN VNet'),
  discovered: msg('Discovered'),
  manual: msg('Created manually'),
};

/** How VLANs are used: the VNet's own tag, all tags of a VLAN-aware bridge, none, or not known. */
export function vlanText(
  t: Translate,
  { kind, vlan_tag, vlan_aware }: Pick<Network, 'kind' | 'vlan_tag' | 'vlan_aware'>,
) {
  if (vlan_tag !== null) return String(vlan_tag);
  if (vlan_aware === true) return t('VLAN-aware');
  if (vlan_aware === false) return t('None');
  return kind === 'bridge' || kind === 'ovs_bridge' ? t('Unknown') : null;
}
