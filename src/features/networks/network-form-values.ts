import type { Network } from '@/domain/inventory';
import type { NetworkInput, NetworkUpdate } from '@/domain/ipam/network';
import type { Translate } from '@/lib/i18n/translator';

/** The form of a network that is created manually. */
export type NetworkValues = { cluster_id: string | null; name: string; vlan_tag: number | null; description: string };

export const EMPTY_NETWORK: NetworkValues = { cluster_id: null, name: '', vlan_tag: null, description: '' };

type Stored = Pick<Network, 'name' | 'vlan_tag' | 'description' | 'version'>;

export const toNetworkValues = ({ name, vlan_tag, description }: Stored): NetworkValues => ({
  cluster_id: null,
  name,
  vlan_tag,
  description,
});

export const toNetworkInput = (values: NetworkValues): NetworkInput => ({
  ...values,
  cluster_id: values.cluster_id ?? '',
});

/** Only what differs from what the form was filled from, and the version that had. */
export function toNetworkUpdate({ cluster_id: _, ...values }: NetworkValues, stored: Stored): NetworkUpdate {
  const changed = Object.entries(values).filter(([field, value]) => value !== stored[field as keyof Stored]);
  return { ...Object.fromEntries(changed), version: stored.version };
}

export const networkLabels = (t: Translate) => ({
  name: t('Name'),
  vlan_tag: t('VLAN'),
  description: t('Description'),
});
