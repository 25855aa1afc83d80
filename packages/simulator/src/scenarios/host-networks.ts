import type { NetworkInterface } from '../state/node';

/** Interfaces of a host: two NICs in a bond below a VLAN-aware bridge that carries the management address. */
export function linuxHost(address: string, gateway: string, more: NetworkInterface[] = []): NetworkInterface[] {
  const [ip = '', prefix = '24'] = address.split('/');
  const plain = { method: 'manual', method6: 'manual', families: ['inet'], active: 1, exists: 1 };
  return [
    { iface: 'eno1', type: 'eth', priority: 3, ...plain },
    { iface: 'eno2', type: 'eth', priority: 4, ...plain },
    {
      iface: 'bond0',
      type: 'bond',
      priority: 5,
      bond_mode: '802.3ad',
      bond_xmit_hash_policy: 'layer3+4',
      slaves: 'eno1 eno2',
      autostart: 1,
      ...plain,
    },
    {
      iface: 'vmbr0',
      type: 'bridge',
      priority: 6,
      bridge_ports: 'bond0',
      bridge_stp: 'off',
      bridge_fd: '0',
      bridge_vlan_aware: 1,
      bridge_vids: '2-4094',
      address: ip,
      netmask: prefix,
      cidr: address,
      gateway,
      autostart: 1,
      ...plain,
      method: 'static',
    },
    ...more,
  ];
}

/** A second bridge without VLAN awareness and without an address. */
export const plainBridge = (iface: string, port: string, comments?: string): NetworkInterface => ({
  iface,
  type: 'bridge',
  priority: 8,
  method: 'manual',
  method6: 'manual',
  families: ['inet'],
  bridge_ports: port,
  bridge_stp: 'off',
  bridge_fd: '0',
  autostart: 1,
  active: 1,
  exists: 1,
  ...(comments !== undefined && { comments: `${comments}\n` }),
});

/** Open vSwitch bridge with one physical port. */
export const ovsBridge = (iface: string, port: string): NetworkInterface[] => [
  {
    iface: port,
    type: 'OVSPort',
    priority: 9,
    method: 'manual',
    method6: 'manual',
    families: ['inet'],
    ovs_bridge: iface,
    ovs_type: 'OVSPort',
    active: 1,
    exists: 1,
  },
  {
    iface,
    type: 'OVSBridge',
    priority: 10,
    method: 'manual',
    method6: 'manual',
    families: ['inet'],
    ovs_ports: port,
    ovs_type: 'OVSBridge',
    autostart: 1,
    active: 1,
    exists: 1,
  },
];
