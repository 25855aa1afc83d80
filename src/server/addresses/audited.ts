import type { NetworkRow, SubnetRow } from './queries/ipam-space';
import type { AddressRow, RangeRow } from './queries/ipam-writes';

const pick = <T extends object, K extends keyof T>(row: T, fields: readonly K[]): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field, row[field]]));

/** What the audit trail keeps of things of the address management: what people set. */
export const audited = {
  network: (row: Pick<NetworkRow, 'name' | 'vlan_tag' | 'description'>) =>
    pick(row, ['name', 'vlan_tag', 'description']),
  subnet: (
    row: Pick<
      SubnetRow,
      'network_id' | 'cidr' | 'gateway' | 'dns_servers' | 'dhcp_enabled' | 'vlan_tag' | 'description'
    >,
  ) => pick(row, ['network_id', 'cidr', 'gateway', 'dns_servers', 'dhcp_enabled', 'vlan_tag', 'description']),
  address: (
    row: Pick<
      AddressRow,
      | 'address'
      | 'network_id'
      | 'subnet_id'
      | 'state'
      | 'workload_id'
      | 'interface_id'
      | 'mac'
      | 'hostname'
      | 'description'
    >,
  ) =>
    pick(row, [
      'address',
      'network_id',
      'subnet_id',
      'state',
      'workload_id',
      'interface_id',
      'mac',
      'hostname',
      'description',
    ]),
  range: (row: Pick<RangeRow, 'subnet_id' | 'kind' | 'first_address' | 'last_address' | 'description'>) =>
    pick(row, ['subnet_id', 'kind', 'first_address', 'last_address', 'description']),
};
