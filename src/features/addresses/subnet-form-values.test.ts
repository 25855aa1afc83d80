import { expect, test } from 'vitest';
import { EMPTY_SUBNET, subnetFieldName, toSubnetInput, toSubnetUpdate, toSubnetValues } from './subnet-form-values';

const stored = {
  cidr: '10.0.0.0/24',
  gateway: '10.0.0.1',
  dns_servers: ['10.0.0.2', 'fd00::2'],
  dhcp_enabled: true,
  vlan_tag: 12,
  description: 'servers',
  version: 4,
};

test('an unchanged form changes nothing', () => {
  expect(toSubnetUpdate(toSubnetValues(stored), stored)).toEqual({ version: 4 });
});

test('only what was changed is sent, with the version it was changed from', () => {
  const values = { ...toSubnetValues(stored), gateway: ' ', dns_servers: '10.0.0.2;fd00::2  10.0.0.3' };
  expect(toSubnetUpdate(values, stored)).toEqual({
    gateway: null,
    dns_servers: ['10.0.0.2', 'fd00::2', '10.0.0.3'],
    version: 4,
  });
});

test('a new subnet belongs to the chosen network', () => {
  const network = { value: 'n1', label: 'vmbr0' };
  expect(toSubnetInput({ ...EMPTY_SUBNET, network, cidr: ' fd00::/64 ' })).toEqual({
    network_id: 'n1',
    cidr: 'fd00::/64',
    gateway: null,
    dns_servers: [],
    dhcp_enabled: false,
    vlan_tag: null,
    description: '',
  });
});

test('messages land at a field of the form', () => {
  expect(['dns_servers.1', 'network_id', 'cidr'].map(subnetFieldName)).toEqual(['dns_servers', 'network', 'cidr']);
});
