import type { Random } from '../random';
import type { ClusterState } from '../state/cluster-state';
import { addGuestFromRecipe, agentInterfaces, type GuestRecipe, recipeMac } from './guest-recipe';
import { linuxHost, plainBridge } from './host-networks';
import type { ClusterSpec, Scenario } from './scenario';
import { CLUSTER_FW, DB_FW, WEB_FW } from './small-lab-firewall';

const DOCKER_INTERFACES: GuestRecipe['innerInterfaces'] = [
  {
    name: 'docker0',
    'hardware-address': '02:42:ac:11:00:01',
    'ip-addresses': [{ 'ip-address': '172.17.0.1', 'ip-address-type': 'ipv4', prefix: 16 }],
  },
  {
    name: 'br-4f1c2a9b7d3e',
    'hardware-address': '02:42:0a:8e:11:5c',
    'ip-addresses': [{ 'ip-address': '172.18.0.1', 'ip-address-type': 'ipv4', prefix: 16 }],
  },
  { name: 'veth1a2b3c4', 'hardware-address': '6e:0a:11:22:33:44' },
];

const web = (vmid: number, node: string, last: number): GuestRecipe => ({
  vmid,
  type: 'qemu',
  node,
  name: `web-${String(last - 10).padStart(2, '0')}`,
  nics: [{ bridge: 'vmbr0', tag: 20, firewall: true, addresses: [`10.20.20.${last}/24`, `2001:db8:20::${last}/64`] }],
  tags: ['prod', 'web'],
  pool: 'production',
  agentOption: '1',
  cloudInit: true,
  description: 'Public web server',
});

const app = (vmid: number, node: string, last: number): GuestRecipe => ({
  vmid,
  type: 'qemu',
  node,
  name: `app-${String(last - 10).padStart(2, '0')}`,
  nics: [{ bridge: 'apps', firewall: true, addresses: [`10.60.10.${last}/24`] }],
  tags: ['prod', 'app'],
  pool: 'production',
  agentOption: 'enabled=1,fstrim_cloned_disks=1',
});

const container = (vmid: number, node: string, name: string, last: number): GuestRecipe => ({
  vmid,
  type: 'lxc',
  node,
  name,
  nics: [{ bridge: 'vmbr0', tag: 22, firewall: true, addresses: [`10.20.22.${last}/24`] }],
  tags: ['infra'],
  pool: 'production',
  containerIp: 'static',
});

function windowsServer(cluster: ClusterState): GuestRecipe {
  const recipe: GuestRecipe = {
    vmid: 110,
    type: 'qemu',
    node: 'pve2',
    name: 'dc-01',
    ostype: 'win11',
    nics: [{ bridge: 'vmbr0', tag: 21, addresses: ['10.20.21.20/24'] }],
    tags: ['prod', 'windows'],
    pool: 'production',
    agentOption: '1',
    memory: 8192,
    cores: 4,
  };
  const interfaces = agentInterfaces(recipe, [recipeMac(cluster.name, 110, 0)]).map((entry) => ({
    ...entry,
    name: entry.name === 'lo' ? 'Loopback Pseudo-Interface 1' : 'Ethernet',
    // Windows writes the interface number behind link-local addresses.
    'ip-addresses': entry['ip-addresses']?.map((address) =>
      address['ip-address']?.startsWith('fe80') ? { ...address, 'ip-address': `${address['ip-address']}%7` } : address,
    ),
  }));
  return { ...recipe, agent: { kind: 'ok', interfaces } };
}

function recipes(cluster: ClusterState): GuestRecipe[] {
  return [
    web(100, 'pve1', 11),
    web(101, 'pve2', 12),
    {
      vmid: 102,
      type: 'qemu',
      node: 'pve3',
      name: 'db-01',
      nics: [
        { bridge: 'vmbr0', tag: 21, firewall: true, addresses: ['10.20.21.11/24'] },
        { bridge: 'vmbr1', addresses: ['192.168.77.11/24'] },
      ],
      tags: ['prod', 'db'],
      pool: 'production',
      agentOption: '1',
      memory: 16384,
      cores: 8,
      disk: 200,
      haState: 'started',
    },
    app(103, 'pve1', 11),
    app(104, 'pve2', 12),
    {
      vmid: 105,
      type: 'qemu',
      node: 'pve3',
      name: 'mail-01',
      nics: [{ bridge: 'vmbr0', tag: 20, firewall: true, addresses: ['10.20.20.25/24'] }],
      tags: ['prod', 'mail'],
      pool: 'production',
      agentOption: '1',
      agent: { kind: 'not-running' },
      cloudInit: true,
    },
    windowsServer(cluster),
    {
      vmid: 120,
      type: 'qemu',
      node: 'pve3',
      name: 'docker-01',
      nics: [{ bridge: 'apps', firewall: true, addresses: ['10.60.10.30/24'] }],
      tags: ['staging'],
      pool: 'staging',
      agentOption: '1',
      innerInterfaces: DOCKER_INTERFACES,
    },
    container(200, 'pve1', 'dns-01', 53),
    container(201, 'pve2', 'dns-02', 54),
    {
      ...container(202, 'pve3', 'proxy-01', 80),
      nics: [{ bridge: 'dmz', firewall: true, addresses: ['10.60.30.80/24'] }],
      containerIp: 'dhcp',
    },
    { ...container(203, 'pve1', 'monitoring', 90), state: 'stopped', pool: 'staging', tags: ['staging'] },
    {
      vmid: 300,
      type: 'qemu',
      node: 'pve2',
      name: 'legacy-erp',
      nics: [{ bridge: 'vmbr1', model: 'e1000', addresses: ['192.168.77.30/24'] }],
      state: 'stopped',
      ostype: 'win7',
    },
    {
      vmid: 900,
      type: 'qemu',
      node: 'pve1',
      name: 'debian-12-template',
      nics: [{ bridge: 'vmbr0', firewall: true }],
      template: true,
      agentOption: '1',
      cloudInit: true,
    },
    {
      vmid: 901,
      type: 'lxc',
      node: 'pve2',
      name: 'alpine-template',
      nics: [{ bridge: 'vmbr0' }],
      template: true,
      ostype: 'alpine',
      containerIp: 'dhcp',
    },
  ];
}

function addSdn(cluster: ClusterState): void {
  const { staged } = cluster.sdn;
  staged.zones.set('lab', { zone: 'lab', type: 'simple', dhcp: 'dnsmasq', ipam: 'pve' });
  staged.zones.set('edge', { zone: 'edge', type: 'vlan', bridge: 'vmbr0', ipam: 'pve' });
  staged.vnets.set('apps', { vnet: 'apps', type: 'vnet', zone: 'lab', alias: 'Applications' });
  staged.vnets.set('dmz', { vnet: 'dmz', type: 'vnet', zone: 'edge', tag: 30, alias: 'DMZ' });
  staged.subnets.set('lab-10.60.10.0-24', {
    subnet: 'lab-10.60.10.0-24',
    type: 'subnet',
    vnet: 'apps',
    zone: 'lab',
    cidr: '10.60.10.0/24',
    network: '10.60.10.0',
    mask: '24',
    gateway: '10.60.10.1',
    snat: 1,
    'dhcp-dns-server': '10.20.22.53',
    'dhcp-range': [{ 'start-address': '10.60.10.10', 'end-address': '10.60.10.200' }],
  });
  staged.subnets.set('edge-10.60.30.0-24', {
    subnet: 'edge-10.60.30.0-24',
    type: 'subnet',
    vnet: 'dmz',
    zone: 'edge',
    cidr: '10.60.30.0/24',
    network: '10.60.30.0',
    mask: '24',
    gateway: '10.60.30.1',
  });
  cluster.applySdn();
  // Edited but not applied yet: guests cannot use it.
  staged.vnets.set('lab2', { vnet: 'lab2', type: 'vnet', zone: 'lab', alias: 'Next lab network' });
  const lease = { zone: 'lab', vnet: 'apps', subnet: '10.60.10.0/24' };
  cluster.leases.push({ ...lease, ip: '10.60.10.1', gateway: 1 });
  for (const [vmid, hostname, ip] of [
    [103, 'app-01', '10.60.10.11'],
    [104, 'app-02', '10.60.10.12'],
    [120, 'docker-01', '10.60.10.30'],
  ] as const) {
    cluster.leases.push({ ...lease, ip, vmid, hostname, mac: recipeMac(cluster.name, vmid, 0) });
  }
}

function build(cluster: ClusterState, _random: Random): void {
  cluster.pools.set('production', { poolid: 'production', comment: 'Customer-facing services', members: new Set() });
  cluster.pools.set('staging', { poolid: 'staging', members: new Set() });
  for (const recipe of recipes(cluster)) addGuestFromRecipe(cluster, recipe);
  addSdn(cluster);
  cluster.files.set('firewall/cluster.fw', CLUSTER_FW);
  cluster.files.set('firewall/100.fw', WEB_FW);
  cluster.files.set('firewall/101.fw', WEB_FW);
  cluster.files.set('firewall/102.fw', DB_FW);
}

const lab: ClusterSpec = {
  name: 'lab',
  version: 'pve9',
  domain: 'lab.example',
  nodes: ['pve1', 'pve2', 'pve3'].map((name, index) => ({
    name,
    cores: 16,
    memory: 64 * 1024 ** 3,
    interfaces: linuxHost(`10.20.0.${11 + index}/24`, '10.20.0.1', [
      plainBridge('vmbr1', 'eno3', 'storage and legacy'),
    ]),
  })),
  build,
};

/** One cluster, three nodes, fifteen guests: what a small company runs. */
export const smallLab: Scenario = { name: 'small-lab', seed: 9, clusters: [lab] };
