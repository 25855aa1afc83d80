import type { SubnetInput, SubnetUpdate } from '@/domain/ipam/subnet';
import { splitList } from '@/domain/net/port-range';
import type { Translate } from '@/lib/i18n/translator';
import type { Option } from '@/ui/option';

/** The form of a subnet. DNS servers are one text, separated by commas or blanks. */
export type SubnetValues = {
  network: Option | null;
  cidr: string;
  gateway: string;
  dns_servers: string;
  dhcp_enabled: boolean;
  vlan_tag: number | null;
  description: string;
};

type Stored = Required<Omit<SubnetInput, 'network_id'>>;

export const EMPTY_SUBNET: SubnetValues = {
  network: null,
  cidr: '',
  gateway: '',
  dns_servers: '',
  dhcp_enabled: false,
  vlan_tag: null,
  description: '',
};

export function toSubnetValues(subnet: Stored): SubnetValues {
  return {
    network: null,
    cidr: subnet.cidr,
    gateway: subnet.gateway ?? '',
    dns_servers: subnet.dns_servers.join(', '),
    dhcp_enabled: subnet.dhcp_enabled,
    vlan_tag: subnet.vlan_tag,
    description: subnet.description,
  };
}

const fields = (values: SubnetValues) => ({
  cidr: values.cidr.trim(),
  gateway: values.gateway.trim() || null,
  dns_servers: splitList(values.dns_servers),
  dhcp_enabled: values.dhcp_enabled,
  vlan_tag: values.vlan_tag,
  description: values.description,
});

export const toSubnetInput = (values: SubnetValues): SubnetInput => ({
  network_id: values.network?.value ?? '',
  ...fields(values),
});

/** Only what differs from the subnet that the form was opened with, and the version it had. */
export function toSubnetUpdate(values: SubnetValues, subnet: Stored & { version: number }): SubnetUpdate {
  const changed = Object.entries(fields(values)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(subnet[field as keyof Stored]),
  );
  return { ...Object.fromEntries(changed), version: subnet.version };
}

/** Messages about a single server belong to the text that holds them all, those about the network to its picker. */
export const subnetFieldName = (field: string): string =>
  field.startsWith('dns_servers') ? 'dns_servers' : field === 'network_id' ? 'network' : field;

export const subnetLabels = (t: Translate) => ({
  cidr: t('Prefix'),
  gateway: t('Gateway'),
  dns_servers: t('DNS servers'),
  dhcp_enabled: t('DHCP'),
  vlan_tag: t('VLAN'),
  description: t('Description'),
});
