import { createHash } from 'node:crypto';
import type { ClusterState } from '../state/cluster-state';
import type { AgentBehaviour, AgentInterface, ContainerInterface, Guest, RunState } from '../state/guest';

/** A NIC of a recipe, with the addresses the guest uses on it. */
export type NicRecipe = {
  bridge?: string;
  tag?: number;
  firewall?: boolean;
  model?: string;
  /** Default: derived from vmid and position, in the vendor prefix PVE uses. */
  mac?: string;
  /** `address/prefix`; both families. */
  addresses?: string[];
  /** Text appended to the stored value, for example `rate=12.5`. */
  extra?: string;
};

export type GuestRecipe = {
  vmid: number;
  type: 'qemu' | 'lxc';
  node: string;
  name: string;
  nics: NicRecipe[];
  state?: RunState;
  tags?: string[];
  pool?: string;
  template?: boolean;
  cores?: number;
  /** MiB. */
  memory?: number;
  /** GiB. */
  disk?: number;
  ostype?: string;
  /** Value of the `agent` option; absent: no agent configured. */
  agentOption?: string;
  /** Default: answers with the NICs' addresses. */
  agent?: AgentBehaviour;
  /** More interfaces the agent or container reports, such as docker bridges. */
  innerInterfaces?: AgentInterface[];
  /** A cloud-init drive with these addresses as intent. */
  cloudInit?: boolean;
  /** How a container gets its addresses. */
  containerIp?: 'static' | 'dhcp';
  lock?: string;
  haState?: string;
  description?: string;
  /** Distinguishes guests that have the same VMID one after the other: other addresses, other identifiers. */
  generation?: string;
  /** Lines appended to the configuration file, such as pending or snapshot sections. */
  appendConfig?: string;
};

const hash = (text: string) => createHash('sha1').update(text).digest('hex');

const uuidFrom = (text: string) => {
  const digits = hash(text);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
};

/** Hardware address of a recipe NIC. */
export const recipeMac = (cluster: string, vmid: number, index: number): string =>
  `BC:24:11:${hash(`${cluster}/${vmid}/${index}`)
    .slice(0, 6)
    .toUpperCase()
    .replace(/(..)(..)(..)/, '$1:$2:$3')}`;

const splitAddress = (cidr: string) => {
  const [address = '', prefix = '0'] = cidr.split('/');
  return { address, prefix: Number(prefix), v6: address.includes(':') };
};

function linkLocal(mac: string): string {
  const bytes = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  const id = [(bytes[0] ?? 0) ^ 2, bytes[1], bytes[2], 0xff, 0xfe, bytes[3], bytes[4], bytes[5]];
  const words = [0, 2, 4, 6].map((at) => (((id[at] ?? 0) << 8) | (id[at + 1] ?? 0)).toString(16));
  return `fe80::${words.join(':')}`;
}

/** What a healthy agent answers for these NICs. */
export function agentInterfaces(recipe: GuestRecipe, macs: string[]): AgentInterface[] {
  const loopback: AgentInterface = {
    name: 'lo',
    'hardware-address': '00:00:00:00:00:00',
    'ip-addresses': [
      { 'ip-address': '127.0.0.1', 'ip-address-type': 'ipv4', prefix: 8 },
      { 'ip-address': '::1', 'ip-address-type': 'ipv6', prefix: 128 },
    ],
  };
  const nics = recipe.nics.map((nic, index): AgentInterface => {
    const mac = (macs[index] ?? '').toLowerCase();
    const addresses = (nic.addresses ?? []).map(splitAddress).map(({ address, prefix, v6 }) => ({
      'ip-address': address,
      'ip-address-type': v6 ? 'ipv6' : 'ipv4',
      prefix,
    }));
    return {
      name: index === 0 ? 'eth0' : `eth${index}`,
      'hardware-address': mac,
      'ip-addresses': [...addresses, { 'ip-address': linkLocal(mac), 'ip-address-type': 'ipv6', prefix: 64 }],
      statistics: { 'rx-bytes': 1000 + recipe.vmid, 'rx-packets': 10, 'tx-bytes': 900 + recipe.vmid, 'tx-packets': 9 },
    };
  });
  return [loopback, ...nics, ...(recipe.innerInterfaces ?? [])];
}

function containerInterfaces(recipe: GuestRecipe, macs: string[]): ContainerInterface[] {
  const nics = recipe.nics.map((nic, index): ContainerInterface => {
    const mac = (macs[index] ?? '').toLowerCase();
    return {
      name: `eth${index}`,
      hwaddr: mac,
      addresses: [
        ...(nic.addresses ?? []).map(splitAddress).map(({ address, prefix, v6 }) => ({
          family: v6 ? ('inet6' as const) : ('inet' as const),
          address,
          prefix,
        })),
        { family: 'inet6', address: linkLocal(mac), prefix: 64 },
      ],
    };
  });
  const loopback: ContainerInterface = {
    name: 'lo',
    hwaddr: '00:00:00:00:00:00',
    addresses: [
      { family: 'inet', address: '127.0.0.1', prefix: 8 },
      { family: 'inet6', address: '::1', prefix: 128 },
    ],
  };
  const inner = (recipe.innerInterfaces ?? []).map((entry) => ({
    name: entry.name,
    hwaddr: entry['hardware-address'] ?? '',
    addresses: (entry['ip-addresses'] ?? []).map((address) => ({
      family: address['ip-address-type'] === 'ipv6' ? ('inet6' as const) : ('inet' as const),
      address: address['ip-address'] ?? '',
      prefix: address.prefix ?? 0,
    })),
  }));
  return [loopback, ...nics, ...inner];
}

const nicOptions = (nic: NicRecipe): string =>
  [
    nic.bridge !== undefined && `bridge=${nic.bridge}`,
    nic.firewall && 'firewall=1',
    nic.tag !== undefined && `tag=${nic.tag}`,
    nic.extra,
  ]
    .filter((part) => typeof part === 'string')
    .map((part) => `,${part}`)
    .join('');

function qemuLines(cluster: string, recipe: GuestRecipe, macs: string[]): string[] {
  const disk = `local-lvm:vm-${recipe.vmid}-disk-0`;
  const lines = [
    'boot: order=scsi0;net0',
    `cores: ${recipe.cores ?? 2}`,
    'cpu: x86-64-v2-AES',
    `memory: ${recipe.memory ?? 2048}`,
    `meta: creation-qemu=9.0.2,ctime=${1_700_000_000 + recipe.vmid * 3600}`,
    `name: ${recipe.name}`,
    'numa: 0',
    `ostype: ${recipe.ostype ?? 'l26'}`,
    `scsi0: ${disk},iothread=1,size=${recipe.disk ?? 32}G`,
    'scsihw: virtio-scsi-single',
    `smbios1: uuid=${uuidFrom(`smbios/${cluster}/${recipe.vmid}/${recipe.generation ?? ''}`)}`,
    'sockets: 1',
    `vmgenid: ${uuidFrom(`genid/${cluster}/${recipe.vmid}/${recipe.generation ?? ''}`)}`,
  ];
  if (recipe.agentOption !== undefined) lines.push(`agent: ${recipe.agentOption}`);
  if (recipe.template) lines.push('template: 1');
  for (const [index, nic] of recipe.nics.entries()) {
    lines.push(`net${index}: ${nic.model ?? 'virtio'}=${macs[index]}${nicOptions(nic)}`);
    if (!recipe.cloudInit) continue;
    const first = nic.addresses?.map(splitAddress).find(({ v6 }) => !v6);
    const gateway = first?.address.replace(/\.\d+$/, '.1');
    lines.push(`ipconfig${index}: ${first ? `ip=${first.address}/${first.prefix},gw=${gateway}` : 'ip=dhcp'}`);
  }
  if (recipe.cloudInit) lines.push(`ide2: local-lvm:vm-${recipe.vmid}-cloudinit,media=cdrom`, 'ciuser: debian');
  return lines;
}

function lxcLines(recipe: GuestRecipe, macs: string[]): string[] {
  const lines = [
    'arch: amd64',
    `cores: ${recipe.cores ?? 1}`,
    'features: nesting=1',
    `hostname: ${recipe.name}`,
    `memory: ${recipe.memory ?? 512}`,
    `ostype: ${recipe.ostype ?? 'debian'}`,
    `rootfs: local-lvm:vm-${recipe.vmid}-disk-0,size=${recipe.disk ?? 8}G`,
    'swap: 512',
    'unprivileged: 1',
  ];
  if (recipe.template) lines.push('template: 1');
  for (const [index, nic] of recipe.nics.entries()) {
    const first = nic.addresses?.map(splitAddress).find(({ v6 }) => !v6);
    const ip =
      recipe.containerIp === 'static' && first
        ? `gw=${first.address.replace(/\.\d+$/, '.1')},hwaddr=${macs[index]},ip=${first.address}/${first.prefix}`
        : `hwaddr=${macs[index]},ip=dhcp`;
    lines.push(
      `net${index}: name=eth${index}${nic.bridge === undefined ? '' : `,bridge=${nic.bridge}`}${nic.firewall ? ',firewall=1' : ''},${ip}${nic.tag === undefined ? '' : `,tag=${nic.tag}`}${nic.extra ? `,${nic.extra}` : ''},type=veth`,
    );
  }
  return lines;
}

/** Adds a guest with a complete configuration, addresses and pool membership. */
export function addGuestFromRecipe(cluster: ClusterState, recipe: GuestRecipe): Guest {
  const macScope = recipe.generation === undefined ? cluster.name : `${cluster.name}/${recipe.generation}`;
  const macs = recipe.nics.map((nic, index) => nic.mac ?? recipeMac(macScope, recipe.vmid, index));
  const lines = recipe.type === 'qemu' ? qemuLines(cluster.name, recipe, macs) : lxcLines(recipe, macs);
  if (recipe.tags?.length) lines.push(`tags: ${recipe.tags.join(';')}`);
  if (recipe.lock) lines.push(`lock: ${recipe.lock}`);
  const head = recipe.description
    ? `${recipe.description
        .split('\n')
        .map((line) => `#${line}`)
        .join('\n')}\n`
    : '';
  const guest = cluster.addGuest({
    vmid: recipe.vmid,
    type: recipe.type,
    node: recipe.node,
    config: `${head}${lines.sort().join('\n')}\n${recipe.appendConfig ?? ''}`,
    state: recipe.template ? 'stopped' : (recipe.state ?? 'running'),
    agent: recipe.agent ?? { kind: 'ok', interfaces: agentInterfaces(recipe, macs) },
    interfaces: recipe.type === 'lxc' ? containerInterfaces(recipe, macs) : [],
    haState: recipe.haState,
  });
  // Started at different times in the past month.
  guest.startedAt = cluster.clock.now() - ((recipe.vmid * 7919) % 2_592_000) * 1000 - 600_000;
  if (recipe.pool !== undefined) cluster.pools.get(recipe.pool)?.members.add(recipe.vmid);
  return guest;
}
