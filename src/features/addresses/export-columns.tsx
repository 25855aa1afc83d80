import type { IpAddress } from '@/domain/ipam/ip-address';
import type { Subnet } from '@/domain/ipam/subnet';
import { createColumnHelper } from '@/ui/columns';

const address = createColumnHelper<IpAddress>();
const subnet = createColumnHelper<Subnet>();

/** The file of addresses, with the columns that an import takes first: what was exported can be imported again. */
export const ADDRESS_EXPORT = [
  address.text('cluster', 'cluster', (item) => item.cluster_name),
  address.text('network', 'network', (item) => item.network_name),
  address.text('address', 'address', (item) => item.address),
  address.text('state', 'state', (item) => item.state),
  address.text('hostname', 'hostname', (item) => item.hostname),
  address.text('mac', 'mac', (item) => item.mac),
  address.text('description', 'description', (item) => item.description),
  address.text('workload', 'workload', (item) => item.workload?.external_id),
  address.text('id', 'id', (item) => item.id),
  address.text('subnet', 'subnet', (item) => item.subnet_cidr),
  address.text('workload_name', 'workload_name', (item) => item.workload?.name),
  address.text('source', 'source', (item) => item.source),
  address.text('last_seen_at', 'last_seen_at', (item) => item.last_seen_at),
];

/** The file of subnets, likewise. */
export const SUBNET_EXPORT = [
  subnet.text('cluster', 'cluster', (item) => item.cluster_name),
  subnet.text('network', 'network', (item) => item.network_name),
  subnet.text('cidr', 'cidr', (item) => item.cidr),
  subnet.text('gateway', 'gateway', (item) => item.gateway),
  subnet.text('dns_servers', 'dns_servers', (item) => item.dns_servers.join(' ')),
  subnet.text('dhcp_enabled', 'dhcp_enabled', (item) => String(item.dhcp_enabled)),
  subnet.text('vlan_tag', 'vlan_tag', (item) => item.vlan_tag?.toString()),
  subnet.text('description', 'description', (item) => item.description),
  subnet.text('id', 'id', (item) => item.id),
  subnet.text('source', 'source', (item) => item.source),
  subnet.text('used', 'used', (item) => String(item.usage.used)),
  subnet.text('capacity', 'capacity', (item) => item.usage.capacity),
];
