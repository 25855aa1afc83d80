import { describe, expect, it } from 'vitest';
import { evaluate } from '@/domain/firewall/evaluate';
import { evaluateForward, prepareForwardFilter } from '@/domain/firewall/evaluate-forward';
import { evaluateNode } from '@/domain/firewall/evaluate-node';
import type { LiveCluster, LiveNic } from '@/domain/firewall/live-state';
import type { Packet } from '@/domain/firewall/packet';
import { prepareGuest } from '@/domain/firewall/prepare-guest';
import { prepareNodeFilter } from '@/domain/firewall/prepare-node-filter';
import { randomSource } from '@/domain/firewall/random-state.fixture';
import { startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import type { CompiledNode } from './compiled-node';
import type { Packet as Simulated } from './packet';
import {
  clusterFile,
  forwardLines,
  guestFile,
  hostFile,
  hostLines,
  type Implementation,
  NETWORKS,
  numberRules,
  option,
  PACKETS,
  pick,
  type Random,
  ROUNDS,
  randomPacket,
  toApiView,
} from './random-files.fixture';

const VMID = 100;
const BRIDGES = ['apps', 'dmz', 'vmbr0'] as const;
const POLICIES = ['ACCEPT', 'DROP', 'REJECT'];
const FORWARD = ['ACCEPT', 'DROP'];

const dataCenterFile = (random: Random) =>
  clusterFile(random, {
    options:
      option(random, 0.6, 'policy_in', POLICIES) +
      option(random, 0.6, 'policy_out', POLICIES) +
      option(random, 0.6, 'policy_forward', FORWARD),
    aliases: random() < 0.4 ? 'local_network 10.0.0.0/30\n' : '',
    rules: `${hostLines(random, 6)}\n${forwardLines(random, 3)}`,
    members: () => forwardLines(random, 2),
  });

function nodeFile(random: Random, implementation: Implementation) {
  const options =
    option(random, 0.2, 'ndp', ['0', '1']) +
    option(random, 0.1, 'protection_synflood', ['1']) +
    option(random, 0.5, 'nf_conntrack_helpers', ['ftp', 'tftp,snmp', 'netbios-ns']);
  return `${hostFile(random, implementation, options)}\n[RULES]\n\n${hostLines(random, 6)}\n${forwardLines(random, 3)}\n`;
}

const vnetFile = (random: Random) =>
  `[OPTIONS]\n\n${option(random, 0.85, 'enable', ['1', '1', '1', '0'])}${option(random, 0.6, 'policy_forward', FORWARD)}` +
  `\n[RULES]\n\n${forwardLines(random, 5)}\n${random() < 0.2 ? 'GROUP web\n' : ''}`;

/** What nodes have services for, more often than chance would have it. */
function withNodePort<T extends ReturnType<typeof randomPacket>>(random: Random, packet: T): T {
  const { simulated, evaluated } = packet;
  const port = pick(random, [undefined, undefined, undefined, 22, 21, 69, 3128, 5405, 5412, 5950, 8006, 60001]);
  if (port === undefined || simulated.dport === undefined) return packet;
  return { ...packet, simulated: { ...simulated, dport: port }, evaluated: { ...evaluated, destination_port: port } };
}

/** What Fabric would have read. */
function toLiveCluster(
  { datacenter, host, vnets }: CompiledNode,
  networks: readonly string[],
  peers: readonly string[],
) {
  const groups = [...datacenter.groups].map(([name, group]) => [name, numberRules(group.entries)]);
  return {
    firewall_enabled: true,
    ...toApiView(datacenter),
    groups: Object.fromEntries(groups),
    options: datacenter.options,
    rules: numberRules(datacenter.rules),
    vnets: Object.fromEntries(
      [...vnets].map(([name, { file, gateways }]) => [
        name,
        { options: file.options, rules: numberRules(file.rules), gateways },
      ]),
    ),
    nodes: {
      pve1: { options: host.file.options, networks, rules: numberRules(host.file.rules) },
      pve2: { options: {}, networks: peers, rules: [] },
    },
  } satisfies LiveCluster;
}

/** Node inputs that the evaluator never gets: it may report them as unknown, and claims nothing then. */
const UNDECIDED = ['unknown_management_network', 'unknown_corosync_links', 'group_cannot_compile'];
/** Nor does it know whether an end outside of the VNet's subnet is reached through the node or another guest. */
const listUndecided = (bridge: string, { direction, source, dest }: Simulated): readonly string[] =>
  bridge === 'apps' && !/^10\.0\.0\.[4-7]$/.test(direction === 'in' ? source : dest)
    ? ['unknown_route', 'group_cannot_compile']
    : ['group_cannot_compile'];
const WAYS = {
  iptables: 'rule policy standard management ndp igmp blacklist smurf invalid tcpflags not-enforced'.split(' '),
  nftables: 'rule policy standard management ndp corosync helper synflood smurf icmp invalid not-enforced'.split(' '),
};

describe.each(['iptables', 'nftables'] as const)('with %s', (implementation) => {
  it('the evaluator and the simulator agree on packets of nodes, forwarded packets and guests on VNets', async () => {
    const simulator = await startSimulator({ scenario: smallLab, timeScale: 0 });
    const { firewall, enforcement, state } = simulator.cluster();
    const guest = state.guests.get(VMID);
    const [node, other] = [state.nodes.get(guest?.node ?? ''), state.nodes.get('pve2')];
    if (node?.name !== 'pve1' || !guest || !other) throw new Error(`guest ${VMID} is not on pve1`);
    for (const vmid of state.guests.keys()) if (vmid !== VMID) firewall.setFile(`firewall/${vmid}.fw`, undefined);
    const random = randomSource(20_261_123);
    const { subnets } = state.sdn.running;
    const subnet = { type: 'subnet', vnet: 'apps', zone: 'lab', network: '10.0.0.4', mask: '30' } as const;
    subnets.clear();
    subnets.set('lab-10.0.0.4-30', { ...subnet, subnet: 'lab-10.0.0.4-30', cidr: '10.0.0.4/30', gateway: '10.0.0.5' });
    const peers = ['10.0.0.3/29'];
    other.interfaces = peers.map((cidr) => ({ iface: 'vmbr0', type: 'bridge', active: 1, cidr }));
    const plain = guest.config.current.get('net0') ?? '';
    const decided: Record<string, number> = {};
    const differing: unknown[] = [];
    let [pairs, undecided] = [0, 0];
    const compare = (
      what: unknown,
      theirs: { verdict: string; by: string },
      ours: { verdict: string; decided_by: { kind: string; reason?: string } },
      allowed: readonly string[],
    ) => {
      if (ours.verdict === 'unknown' && allowed.includes(ours.decided_by.reason ?? '')) {
        undecided += 1;
        return;
      }
      pairs += 1;
      decided[theirs.by] = (decided[theirs.by] ?? 0) + 1;
      if (ours.verdict !== theirs.verdict) differing.push({ what, theirs, ours });
    };
    const isMixed = ({ datacenter, host, vnets, files }: CompiledNode) =>
      [
        ...datacenter.rules,
        ...[...datacenter.groups.values()].flatMap(({ entries }) => entries),
        ...host.file.rules,
        ...[...vnets.values()].flatMap(({ file }) => file.rules),
        ...(files.get(VMID)?.rules ?? []),
      ].some(({ errors }) => /mixed/.test(Object.values(errors ?? {}).join()));
    try {
      // Three packets are compared in each step.
      for (let round = 0; round < ROUNDS * 0.6; round++) {
        const networks = pick(random, NETWORKS);
        node.interfaces = networks.map((cidr, i) => ({ iface: `vmbr${i}`, type: 'bridge', active: 1, cidr }));
        const bridge = pick(random, BRIDGES);
        guest.config.current.set('net0', plain.replace(/bridge=[^,]*/, `bridge=${bridge}`));
        let compiled: CompiledNode | undefined;
        for (let tries = 0; !compiled; tries++) {
          firewall.setFile('nodes/pve1/host.fw', nodeFile(random, implementation));
          firewall.setFile('firewall/cluster.fw', dataCenterFile(random));
          firewall.setFile(`firewall/${VMID}.fw`, guestFile(random));
          for (const vnet of ['apps', 'dmz']) firewall.setFile(`sdn/firewall/${vnet}.fw`, vnetFile(random));
          enforcement.compileNow();
          const { failure } = enforcement.compileOf('pve1');
          if (tries > 60) throw new Error(failure);
          const loaded = failure === undefined ? enforcement.compiledOf('pve1') : undefined;
          if (loaded && !(implementation === 'nftables' && isMixed(loaded))) compiled = loaded;
        }
        const cluster = toLiveCluster(compiled, [...networks, '10.0.0.5/30'], peers);
        const read = enforcement.compiledGuest(VMID, 'net0');
        const nic: LiveNic = { name: 'net0', firewall: true, mac: read.mac, bridge };
        const live = { ...toApiView(read.guest), options: read.guest.options, rules: numberRules(read.guest.rules) };
        const prepared = prepareGuest({ cluster, guest: live, node: cluster.nodes.pve1 }, nic);
        const nodeFilter = prepareNodeFilter(cluster, 'pve1');
        const ways = [undefined, 'apps', 'dmz'].map((vnet) => ({
          vnet,
          filter: prepareForwardFilter(cluster, { node: 'pve1', vnet: vnet ?? null }),
        }));
        for (let i = 0; i < PACKETS; i++) {
          const { simulated, evaluated } = randomPacket(random, VMID, read.mac);
          compare(
            { round, bridge, simulated },
            enforcement.evaluatePacket(simulated, new Date(0)).verdict,
            evaluate(prepared, evaluated),
            listUndecided(bridge, simulated),
          );
          const own = withNodePort(random, randomPacket(random, VMID, read.mac));
          const { vmid: _vmid, nic: _nic, sourceMac: _mac, ...bare } = own.simulated;
          const packet = random() < 0.02 ? { ...bare, proto: 'igmp' } : bare;
          const asked: Packet = packet === bare ? own.evaluated : { ...own.evaluated, protocol: 2 };
          compare(
            { round, packet },
            enforcement.evaluateNodePacket({ node: 'pve1', ...packet }),
            evaluateNode(nodeFilter, asked),
            UNDECIDED,
          );
          const { direction: _direction, ...forwarded } = bare;
          const { vnet, filter } = ways[i % ways.length] as (typeof ways)[number];
          const theirs = enforcement.evaluateForwardedPacket({
            node: 'pve1',
            ...forwarded,
            ...(vnet !== undefined && { vnet }),
          });
          compare({ round, vnet, forwarded }, theirs, evaluateForward(filter, own.evaluated), []);
        }
      }
    } finally {
      await simulator.close();
    }
    expect(differing.slice(0, 3)).toEqual([]);
    expect(differing).toHaveLength(0);
    expect(undecided / pairs).toBeLessThan(0.1);
    // Each kind of decision occurred.
    for (const way of WAYS[implementation]) expect([way, (decided[way] ?? 0) > 0]).toEqual([way, true]);
  }, 600_000);
});
