import type { PveVersionName } from '../pve-version';
import type { Random } from '../random';
import type { ClusterState } from '../state/cluster-state';
import type { AgentBehaviour } from '../state/guest';
import { addGuestFromRecipe, agentInterfaces, type GuestRecipe, recipeMac } from './guest-recipe';
import { linuxHost, ovsBridge, plainBridge } from './host-networks';
import type { ClusterSpec } from './scenario';

const ROLES = ['web', 'app', 'db', 'cache', 'queue', 'mail', 'dns', 'build', 'vdi', 'file'] as const;
const STAGES = ['prod', 'staging', 'dev'] as const;

export type GeneratedClusterOptions = {
  name: string;
  version: PveVersionName;
  nodes: number;
  guests: number;
  /** Second octet of the guests' addresses, so that clusters do not overlap. */
  network: number;
  firstVmid?: number;
  /** Every guest agent answers immediately; otherwise a realistic share is broken. */
  healthy?: boolean;
};

const address = (network: number, vlan: number, host: number) => `10.${network}.${vlan}.${2 + (host % 250)}/24`;

/** Most agents work, some are missing, some silent, a few hang or refuse. */
function agentFor(random: Random, recipe: GuestRecipe, cluster: string): Pick<GuestRecipe, 'agentOption' | 'agent'> {
  const dice = random();
  if (dice < 0.12) return {};
  if (dice < 0.18) return { agentOption: '1', agent: { kind: 'not-running' } };
  if (dice < 0.19) return { agentOption: '1', agent: { kind: 'timeout' } };
  if (dice < 0.2) return { agentOption: '1', agent: { kind: 'error', class: 'GenericError', desc: 'not permitted' } };
  if (dice < 0.22) return { agentOption: '0' };
  const macs = recipe.nics.map((_, index) => recipeMac(cluster, recipe.vmid, index));
  const ok: AgentBehaviour = { kind: 'ok', interfaces: agentInterfaces(recipe, macs) };
  return { agentOption: random.pick(['1', 'enabled=1', 'enabled=1,fstrim_cloned_disks=1']), agent: ok };
}

function guestRecipe(random: Random, options: GeneratedClusterOptions, index: number): GuestRecipe {
  const vmid = (options.firstVmid ?? 100) + index;
  const role = ROLES[index % ROLES.length] as (typeof ROLES)[number];
  const stage = STAGES[Math.floor(index / 7) % STAGES.length] as (typeof STAGES)[number];
  const type = random() < 0.7 ? 'qemu' : 'lxc';
  const vlan = 10 + (index % 40);
  const dice = random();
  const bridge =
    dice < 0.7 ? { bridge: 'vmbr0', tag: vlan } : dice < 0.85 ? { bridge: 'vmbr1' } : { bridge: `vn${vlan}` };
  const recipe: GuestRecipe = {
    vmid,
    type,
    node: `${options.name}-n${1 + (index % options.nodes)}`,
    name: `${role}-${stage}-${String(index).padStart(4, '0')}`,
    nics: [
      {
        ...bridge,
        firewall: random() < 0.8,
        addresses: [address(options.network, vlan, Math.floor(index / 40))],
        ...(bridge.bridge === 'vmbr0' && random() < 0.2 && { extra: 'rate=125' }),
      },
    ],
    tags: [role, stage],
    pool: stage,
    state: random() < 0.08 ? 'stopped' : 'running',
    template: index % 200 === 199,
    cores: random.pick([1, 2, 4, 8]),
    memory: random.pick([512, 2048, 4096, 8192]),
    containerIp: random() < 0.5 ? 'static' : 'dhcp',
    cloudInit: random() < 0.4,
    haState: random() < 0.1 ? 'started' : undefined,
  };
  if (random() < 0.15) recipe.nics.push({ bridge: 'vmbr1', addresses: [address(options.network, 200, index)] });
  return recipe;
}

function addSdn(cluster: ClusterState, options: GeneratedClusterOptions): void {
  const { staged } = cluster.sdn;
  staged.zones.set('vlans', { zone: 'vlans', type: 'vlan', bridge: 'vmbr0', ipam: 'pve' });
  for (let vlan = 10; vlan < 50; vlan++) {
    const vnet = `vn${vlan}`;
    staged.vnets.set(vnet, { vnet, type: 'vnet', zone: 'vlans', tag: vlan });
    const network = `10.${options.network}.${vlan}.0`;
    staged.subnets.set(`vlans-${network}-24`, {
      subnet: `vlans-${network}-24`,
      type: 'subnet',
      vnet,
      zone: 'vlans',
      cidr: `${network}/24`,
      network,
      mask: '24',
      gateway: network.replace(/0$/, '1'),
    });
  }
  cluster.applySdn();
}

function clusterFirewall(): string {
  const groups = ROLES.map((role, index) => `[group ${role}]\n\nIN ACCEPT -p tcp -dport ${8000 + index} # ${role}\n\n`);
  return `[OPTIONS]\n\nenable: 1\n\n[IPSET management]\n\n10.0.0.0/16\n\n${groups.join('')}`;
}

/** A cluster of generated guests with realistic shares of everything. */
export function generatedCluster(options: GeneratedClusterOptions): ClusterSpec {
  const nodeNames = Array.from({ length: options.nodes }, (_, index) => `${options.name}-n${index + 1}`);
  return {
    name: options.name,
    version: options.version,
    domain: `${options.name}.example`,
    nodes: nodeNames.map((name, index) => ({
      name,
      cores: 64,
      memory: 512 * 1024 ** 3,
      interfaces: linuxHost(
        `10.${options.network}.0.${11 + index}/24`,
        `10.${options.network}.0.1`,
        [index % 4 === 3 ? ovsBridge('vmbr1', 'eno3') : [plainBridge('vmbr1', 'eno3')]].flat(),
      ),
    })),
    build(cluster, random) {
      for (const stage of STAGES) cluster.pools.set(stage, { poolid: stage, members: new Set() });
      addSdn(cluster, options);
      cluster.files.set('firewall/cluster.fw', clusterFirewall());
      for (let index = 0; index < options.guests; index++) {
        const recipe = guestRecipe(random, options, index);
        if (recipe.type === 'qemu' && !options.healthy) Object.assign(recipe, agentFor(random, recipe, options.name));
        else if (recipe.type === 'qemu') recipe.agentOption = '1';
        addGuestFromRecipe(cluster, recipe);
        if (random() < 0.5 && !recipe.template) {
          const role = recipe.tags?.[0];
          cluster.files.set(`firewall/${recipe.vmid}.fw`, `[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nGROUP ${role}\n\n`);
        }
      }
    },
  };
}
