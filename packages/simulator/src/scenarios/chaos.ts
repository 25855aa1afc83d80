import type { ClusterState } from '../state/cluster-state';
import type { AgentBehaviour, AgentInterface } from '../state/guest';
import { addGuestFromRecipe, type GuestRecipe } from './guest-recipe';
import { linuxHost, ovsBridge, plainBridge } from './host-networks';
import type { Scenario } from './scenario';

const manyInterfaces: AgentInterface[] = Array.from({ length: 700 }, (_, index) => ({
  name: `cali${index.toString(16).padStart(8, '0')}`,
  'hardware-address': 'ee:ee:ee:ee:ee:ee',
  'ip-addresses': [{ 'ip-address': 'fe80::ecee:eeff:feee:eeee', 'ip-address-type': 'ipv6', prefix: 64 }],
}));

/** Answers no specification foresees, which guests give all the same. */
const absurd: Record<string, AgentBehaviour> = {
  'many-interfaces': { kind: 'ok', interfaces: manyInterfaces },
  'no-optional-fields': { kind: 'ok', interfaces: [{ name: 'eth0' }, { name: 'sit0' }] },
  'invalid-addresses': {
    kind: 'ok',
    interfaces: [
      {
        name: 'eth0\nIN ACCEPT',
        'hardware-address': 'not a mac',
        'ip-addresses': [
          { 'ip-address': '999.1.1.1', 'ip-address-type': 'ipv4', prefix: 24 },
          { 'ip-address': "10.0.0.1'; DROP TABLE ip_addresses; --", 'ip-address-type': 'ipv4', prefix: 24 },
          { 'ip-address': '10.0.0.9', 'ip-address-type': 'ipv4', prefix: 99 },
          { 'ip-address-type': 'ipv4', prefix: 24 },
          {},
        ],
      },
    ],
  },
  'not-a-list': { kind: 'raw', result: { interfaces: 'none' } },
  'null-result': { kind: 'raw', result: null },
  'text-result': { kind: 'raw', result: 'OK' },
  'deep-result': { kind: 'raw', result: [[[[[[{ name: ['eth0'] }]]]]]] },
  'agent-refuses': {
    kind: 'error',
    class: 'CommandNotFound',
    desc: 'The command guest-network-get-interfaces has not been found',
  },
  'agent-hangs': { kind: 'hung' },
  'agent-times-out': { kind: 'timeout' },
  'agent-disconnects': { kind: 'disconnect' },
  'agent-silent': { kind: 'not-running' },
};

const base = (vmid: number, name: string, node = 'x1'): GuestRecipe => ({
  vmid,
  type: 'qemu',
  node,
  name,
  nics: [{ bridge: 'vmbr0', firewall: true, addresses: [`10.99.0.${vmid % 250}/24`] }],
  agentOption: '1',
});

const special: GuestRecipe[] = [
  { ...base(200, 'same-name'), tags: ['dup'] },
  { ...base(201, 'same-name', 'x2'), tags: ['dup'] },
  { ...base(202, 'same-address', 'x2'), nics: [{ bridge: 'vmbr0', addresses: ['10.99.0.200/24'] }] },
  {
    ...base(203, 'same-mac', 'x2'),
    nics: [{ bridge: 'vmbr0', mac: 'BC:24:11:00:00:AA', addresses: ['10.99.0.3/24'] }],
  },
  {
    ...base(204, 'same-mac-too', 'x3'),
    nics: [{ bridge: 'vmbr0', mac: 'BC:24:11:00:00:AA', addresses: ['10.99.0.4/24'] }],
  },
  { ...base(205, 'no-bridge'), nics: [{ addresses: [] }] },
  { ...base(206, 'no-nic'), nics: [] },
  {
    ...base(207, 'eight-nics'),
    nics: Array.from({ length: 8 }, (_, index) => ({ bridge: 'vmbr0', tag: 100 + index, firewall: index % 2 === 0 })),
  },
  { ...base(208, 'trunk'), nics: [{ bridge: 'vmbr0', firewall: true, extra: 'trunks=10;20-30' }] },
  { ...base(209, 'unknown-key'), nics: [{ bridge: 'vmbr0', extra: 'future-option=1' }] },
  { ...base(210, 'locked-by-backup'), lock: 'backup' },
  { ...base(211, 'being-created', 'x2'), lock: 'create' },
  {
    ...base(212, 'nic-change-pending'),
    appendConfig: '\n[PENDING]\nnet0: virtio=BC:24:11:11:22:33,bridge=vmbr0\ncores: 4\n',
  },
  {
    ...base(213, 'with-snapshots'),
    appendConfig:
      '\n[before-upgrade]\nname: with-snapshots\nnet0: virtio=BC:24:11:0A:0B:0C,bridge=vmbr9\nsnaptime: 1700000000\n',
  },
  { ...base(214, 'exotic-model'), nics: [{ bridge: 'vmbr0', model: 'ne2k_pci', firewall: true }] },
  { ...base(215, 'paused'), state: 'paused' },
  { ...base(216, 'on-ovs', 'x3'), nics: [{ bridge: 'vmbr1', tag: 7, firewall: true }] },
  { ...base(217, 'dangling-vnet'), nics: [{ bridge: 'gone', firewall: true }] },
  { ...base(218, 'boots-slowly'), agent: { kind: 'ok', readyAfter: 90_000, interfaces: [] } },
  {
    ...base(219, 'xn--bcher-kva'),
    tags: ['ümlaut', 'UPPER', 'a+b', 'x.y'],
    description: 'line one\nline two %0A injected',
  },
  { ...base(999_999_999, 'highest-vmid') },
  { ...base(220, 'ct-unmanaged', 'x3'), type: 'lxc', ostype: 'unmanaged', containerIp: 'static' },
  { ...base(221, 'ct-stopped', 'x3'), type: 'lxc', state: 'stopped', containerIp: 'dhcp' },
  { ...base(222, 'ct-docker', 'x3'), type: 'lxc', containerIp: 'dhcp', innerInterfaces: manyInterfaces.slice(0, 40) },
];

const DAMAGED_FW = `[OPTIONS]

enable: 1
policy_in: SOMETIMES
frobnicate: 7

[IPSET Mixed-Case]

10.0.0.0/0
10.1.0.0/16
10.1.0.0/16
gone

[RULES]

this line means nothing
IN ACCEPT -source gone -p tcp -dport 22 # alias was deleted
IN DROP -source +nowhere
IN ACCEPT -p tcp/udp -dport 53
GROUP missing
IN ACCEPT -p tcp -dport 22 -unknown option
IN FUTURE(ACCEPT)
FORWARD ACCEPT
IN ACCEPT # [fabric policy=someone-else v=1
`;

function build(cluster: ClusterState): void {
  for (const [index, [name, agent]] of Object.entries(absurd).entries()) {
    addGuestFromRecipe(cluster, { ...base(100 + index, name, `x${1 + (index % 3)}`), agent });
  }
  for (const recipe of special) addGuestFromRecipe(cluster, recipe);
  cluster.files.set('firewall/100.fw', DAMAGED_FW);
  // A file that outlived its guest: the next guest with this id inherits it.
  cluster.files.set('firewall/4711.fw', '[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nIN DROP -p tcp -dport 22\n\n');
  cluster.files.set('nodes/x3/host.fw', '[OPTIONS]\n\nnftables: 1\n\n');
  cluster.files.set('firewall/cluster.fw', '[OPTIONS]\n\nenable: 0\n\n');
  cluster.sdn.staged.zones.set('z', { zone: 'z', type: 'vxlan', peers: '10.99.1.1,10.99.1.2', nodes: 'x1' });
  cluster.sdn.staged.vnets.set('onlyx1', { vnet: 'onlyx1', type: 'vnet', zone: 'z', tag: 4242 });
  cluster.applySdn();
  cluster.sdn.staged.vnets.delete('onlyx1');
}

/** Guests, agents and files that break careless clients; add faults and outages through the control. */
export const chaos: Scenario = {
  name: 'chaos',
  seed: 666,
  clusters: [
    {
      name: 'chaos',
      version: 'pve9',
      domain: 'chaos.example',
      nodes: ['x1', 'x2', 'x3'].map((name, index) => ({
        name,
        interfaces: linuxHost(
          `10.99.1.${index + 1}/24`,
          '10.99.1.254',
          index === 2 ? ovsBridge('vmbr1', 'eno3') : [plainBridge('vmbr1', 'eno3')],
        ),
      })),
      build,
    },
    {
      name: 'alone',
      version: 'pve8Old',
      domain: 'alone.example',
      nodes: [{ name: 'solo', interfaces: linuxHost('10.98.1.1/24', '10.98.1.254') }],
      build(cluster) {
        addGuestFromRecipe(cluster, { ...base(100, 'same-vmid-elsewhere', 'solo') });
      },
    },
  ],
};
