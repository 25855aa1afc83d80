import {
  addGuestFromRecipe,
  agentInterfaces,
  type GuestRecipe,
  recipeMac,
} from '@fabric/simulator/scenarios/guest-recipe';
import { linuxHost, plainBridge } from '@fabric/simulator/scenarios/host-networks';
import type { ClusterSpec, Scenario } from '@fabric/simulator/scenarios/scenario';
import type { ClusterState } from '@fabric/simulator/state/cluster-state';
import { SITES } from './company';
import type { DemoGuest, DemoSite } from './site';

const ZONE = 'vlans';

const DOCKER_INTERFACES: GuestRecipe['innerInterfaces'] = [
  {
    name: 'docker0',
    'hardware-address': '02:42:5f:1c:77:02',
    'ip-addresses': [{ 'ip-address': '172.17.0.1', 'ip-address-type': 'ipv4', prefix: 16 }],
  },
  { name: 'veth9c1f3e2', 'hardware-address': '7a:3b:0c:51:98:e4' },
];

/** The networks a site runs as VNets: those with a name for people. */
const vnets = (site: DemoSite) => Object.values(site.networks).filter(({ alias }) => alias !== undefined);

function toGuestRecipe(site: DemoSite, guest: DemoGuest): GuestRecipe {
  const network = site.networks[guest.network];
  if (!network) throw new Error(`${guest.name} is in no network of ${site.name}`);
  const isVnet = network.alias !== undefined;
  const addresses = [
    `${guest.address}/24`,
    ...(guest.second_address === undefined ? [] : [`${guest.second_address}/24`]),
    ...(guest.address6 === undefined ? [] : [`${guest.address6}/64`]),
  ];
  const recipe: GuestRecipe = {
    vmid: guest.vmid,
    type: guest.kind === 'vm' ? 'qemu' : 'lxc',
    node: guest.node,
    name: guest.name,
    nics: [
      {
        bridge: network.bridge,
        ...(!isVnet && network.tag !== undefined && { tag: network.tag }),
        firewall: guest.firewall !== undefined,
        ...(!guest.template && { addresses }),
      },
    ],
    tags: [...guest.tags],
    pool: guest.pool,
    cores: guest.cores ?? 2,
    memory: (guest.memory ?? 4) * 1024,
    disk: guest.windows ? 80 : 32,
    containerIp: 'static',
    cloudInit: guest.kind === 'vm' && !guest.windows,
    ...(guest.windows && { ostype: 'win11' }),
    ...(guest.stopped && { state: 'stopped' as const }),
    ...(guest.template && { template: true }),
    ...(guest.agent !== 'absent' && { agentOption: '1' }),
    ...(guest.agent === 'silent' && { agent: { kind: 'not-running' as const } }),
    ...(guest.docker && { innerInterfaces: DOCKER_INTERFACES }),
    ...(guest.description !== undefined && { description: guest.description }),
  };
  if (!guest.windows || guest.agent !== undefined) return recipe;
  const interfaces = agentInterfaces(recipe, [recipeMac(site.name, guest.vmid, 0)]);
  const named = interfaces.map((entry) => ({
    ...entry,
    name: entry.name === 'lo' ? 'Loopback Pseudo-Interface 1' : 'Ethernet',
  }));
  return { ...recipe, agent: { kind: 'ok', interfaces: named } };
}

function addSdn(cluster: ClusterState, site: DemoSite): void {
  const { staged } = cluster.sdn;
  staged.zones.set(ZONE, { zone: ZONE, type: 'vlan', bridge: 'vmbr0', ipam: 'pve' });
  for (const { bridge: vnet, tag, alias, cidr } of vnets(site)) {
    const [network = ''] = cidr.split('/');
    staged.vnets.set(vnet, { vnet, type: 'vnet', zone: ZONE, alias, ...(tag !== undefined && { tag }) });
    const subnet = `${ZONE}-${network}-24`;
    const gateway = network.replace(/0$/, '1');
    staged.subnets.set(subnet, { subnet, type: 'subnet', vnet, zone: ZONE, cidr, network, mask: '24', gateway });
  }
  cluster.applySdn();
}

function build(cluster: ClusterState, site: DemoSite): void {
  for (const [poolid, comment] of Object.entries(site.pools)) {
    cluster.pools.set(poolid, { poolid, comment, members: new Set() });
  }
  for (const guest of site.guests) addGuestFromRecipe(cluster, toGuestRecipe(site, guest));
  addSdn(cluster, site);
  cluster.files.set('firewall/cluster.fw', site.clusterFirewall);
  for (const [node, text] of Object.entries(site.nodeFirewalls ?? {})) cluster.files.set(`nodes/${node}/host.fw`, text);
  for (const [vnet, text] of Object.entries(site.vnetFirewalls ?? {})) {
    cluster.files.set(`sdn/firewall/${vnet}.fw`, text);
  }
  for (const { vmid, firewall } of site.guests) {
    if (firewall !== undefined) cluster.files.set(`firewall/${vmid}.fw`, firewall);
  }
}

const hasLegacyBridge = ({ networks }: DemoSite) => Object.values(networks).some(({ bridge }) => bridge === 'vmbr1');

const clusterSpec = (site: DemoSite): ClusterSpec => ({
  name: site.name,
  version: site.version,
  domain: site.domain,
  nodes: site.nodes.map((name, index) => ({
    name,
    cores: site.hardware.cores * (index === site.nodes.length - 1 ? 2 : 1),
    memory: site.hardware.memory * (index === site.nodes.length - 1 ? 2 : 1) * 1024 ** 3,
    interfaces: linuxHost(
      `${site.management}.${11 + index}/24`,
      `${site.management}.1`,
      hasLegacyBridge(site) ? [plainBridge('vmbr1', 'eno3', 'Legacy, no VLANs')] : [],
    ),
  })),
  build: (cluster) => build(cluster, site),
});

/** The simulated clusters of the demo. */
export const demoScenario: Scenario = { name: 'demo', seed: 77, clusters: SITES.map(clusterSpec) };
