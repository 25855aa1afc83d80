import { startSimulator } from '@fabric/simulator/http-server';
import { bench } from '@fabric/simulator/scenarios/registry';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPveProvider } from '../provider';
import { LOOPBACK } from '../testing/client.fixture';
import { simulate } from '../testing/simulated.fixture';

const HOST_FW = '[OPTIONS]\n\nnosmurfs: 0\nnftables: 1\n\n[RULES]\n\nIN ACCEPT -p tcp -dport 9100 # exporter\n';
const VNET_FW = '[OPTIONS]\n\nenable: 1\npolicy_forward: DROP\n\n[RULES]\n\nFORWARD ACCEPT -p tcp -dport 443\n';

describe('a snapshot of the cluster', () => {
  it('has options, rules and own addresses of every node, and options and rules of the data center', async () => {
    const { cluster, provider } = await simulate();
    cluster.firewall.setFile('nodes/pve1/host.fw', HOST_FW);
    const fact = await provider().firewallReader.readClusterFirewall();
    expect(fact.unreadable).toEqual([]);
    expect(Object.keys(fact.nodes ?? {})).toEqual(['pve1', 'pve2', 'pve3']);
    expect(fact.nodes?.pve1?.options).toEqual({ nosmurfs: 0, nftables: 1 });
    expect(fact.nodes?.pve1?.rules).toMatchObject([{ type: 'in', action: 'ACCEPT', proto: 'tcp', dport: '9100' }]);
    expect(fact.nodes?.pve1?.networks).toContain('10.20.0.11/24');
    expect(fact.nodes?.pve2).toMatchObject({ options: {}, rules: [] });
    expect(fact.options).toMatchObject({ enable: 1 });
    expect(fact.rules).toEqual(expect.arrayContaining([expect.objectContaining({ pos: 0 })]));
  });

  it('has running VNets with their rules, not those that were never applied', async () => {
    const { cluster, provider } = await simulate();
    cluster.firewall.setFile('sdn/firewall/apps.fw', VNET_FW);
    const { vnets } = await provider().firewallReader.readClusterFirewall();
    expect(Object.keys(vnets ?? {})).toEqual([...cluster.state.sdn.running.vnets.keys()].sort());
    expect([...cluster.state.sdn.staged.vnets.keys()].some((name) => vnets?.[name] === undefined)).toBe(true);
    expect(vnets?.apps).toMatchObject({
      options: { enable: 1, policy_forward: 'DROP' },
      rules: [{ type: 'forward', action: 'ACCEPT', dport: '443' }],
    });
  });

  it('counts gateway addresses of routed zones among the addresses of a node', async () => {
    const { cluster, provider } = await simulate();
    cluster.state.change(() => {
      const { running } = cluster.state.sdn;
      running.zones.set('routed', { zone: 'routed', type: 'simple', nodes: 'pve2' });
      running.vnets.set('rnet', { vnet: 'rnet', type: 'vnet', zone: 'routed' });
      running.subnets.set('routed-10.99.0.0-24', {
        subnet: 'routed-10.99.0.0-24',
        type: 'subnet',
        vnet: 'rnet',
        zone: 'routed',
        cidr: '10.99.0.0/24',
        network: '10.99.0.0',
        mask: '24',
        gateway: '10.99.0.1',
      });
    });
    const { nodes, vnets } = await provider().firewallReader.readClusterFirewall();
    expect(vnets?.rnet?.gateways).toEqual(['10.99.0.1/24']);
    expect(vnets?.dmz?.gateways).toEqual([]);
    expect(nodes?.pve2?.networks).toContain('10.99.0.1/24');
    expect(nodes?.pve1?.networks).not.toContain('10.99.0.1/24');
  });

  it('leaves out addresses of interfaces that are down, and knows none where DHCP gives them', async () => {
    const { cluster, provider } = await simulate();
    cluster.state.change(() => {
      cluster.state.nodes.get('pve1')?.interfaces.push({ iface: 'vmbr9', type: 'bridge', cidr: '10.9.0.1/24' });
      cluster.state.nodes.get('pve2')?.interfaces.push({ iface: 'vmbr9', type: 'bridge', method: 'dhcp', active: 1 });
    });
    const { nodes, unreadable } = await provider().firewallReader.readClusterFirewall();
    expect(nodes?.pve1?.networks).not.toContain('10.9.0.1/24');
    expect(nodes?.pve2?.networks).toBeNull();
    expect(unreadable).toEqual([expect.objectContaining({ part: 'node_networks', node: 'pve2' })]);
  });

  it('names the parts of a node that is off, and keeps everything else', async () => {
    const { cluster, provider } = await simulate();
    await cluster.setNode('pve3', 'down');
    const fact = await provider().firewallReader.readClusterFirewall();
    expect(fact).toMatchObject({ firewall_enabled: true, nodes: { pve1: { options: {} } } });
    expect(fact.nodes?.pve3).toEqual({ options: null, rules: null, networks: null });
    expect(fact.unreadable.map(({ part, node }) => `${part} ${node}`)).toEqual([
      'node_networks pve3',
      'node_options pve3',
      'node_rules pve3',
    ]);
  });

  it('has null in each part for a token without privileges, with the privilege in the remedy', async () => {
    const { access, provider } = await simulate();
    const fact = await provider(access('empty')).firewallReader.readClusterFirewall();
    expect(fact).toMatchObject({ firewall_enabled: null, options: null, rules: null, vnets: null });
    expect(fact.nodes?.pve1).toEqual({ options: null, rules: null, networks: null });
    expect(fact.unreadable.every(({ code }) => code === 'forbidden')).toBe(true);
    const note = fact.unreadable.find(({ part, node }) => part === 'node_options' && node === 'pve1');
    expect(note?.remedy).toContain('Sys.Audit on /nodes/pve1');
  });

  it('takes three calls for each of 32 nodes and two for each VNet', async () => {
    const simulator = await startSimulator({ scenario: bench(32, 32), timeScale: 500 });
    onTestFinished(() => simulator.close());
    const cluster = simulator.cluster();
    const [first] = cluster.nodes;
    const provider = createPveProvider({
      access: {
        key: 'bench',
        api_url: first?.url ?? '',
        api_token: cluster.tokens.manager,
        tls_fingerprint: first?.fingerprint256 ?? null,
        tls_ca: null,
        entry_points: [],
      },
      allowTargets: LOOPBACK,
      clock: { now: () => new Date(simulator.clock.now()) },
      logger: { info: () => {}, warn: () => {} },
    });
    onTestFinished(() => provider.close());
    const { nodes, unreadable } = await provider.firewallReader.readClusterFirewall();
    expect(unreadable).toEqual([]);
    expect(Object.keys(nodes ?? {})).toHaveLength(32);
    expect(simulator.log.entries({ path: /^\/nodes\// })).toHaveLength(3 * 32);
    expect(simulator.log.total).toBeLessThan(3 * 32 + 2 * cluster.state.sdn.running.vnets.size + 30);
  });
});
