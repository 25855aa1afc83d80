import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GuestFirewall, OutsideFilters } from '@/domain/guest-firewall';
import type { ClusterFirewall, HostPacketVerdicts, NetworkFirewall, NodeFirewall } from '@/domain/host-firewall';
import { newId } from '@/server/lib/ids';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';

const HOST = 'nodes/pve1/host.fw';
const NFTABLES_HOST = 'nodes/pve2/host.fw';
const VNET = 'sdn/firewall/apps.fw';

let lab: PolicyLab;
let clusterFile: string;
let tenant: Record<string, string>;
let tenantUser: Awaited<ReturnType<typeof makeUser>>;
const nodeIds = new Map<string, string>();
const networkIds = new Map<string, string>();

beforeAll(async () => {
  lab = await makePolicyLab();
  clusterFile = lab.control.firewall.file('firewall/cluster.fw') ?? '';
  for (const { id, name } of await lab.sql`select id, name from nodes where cluster_id = ${lab.cluster.id}`) {
    nodeIds.set(name, id);
  }
  for (const { id, name } of await lab.sql`select id, name from networks where cluster_id = ${lab.cluster.id}`) {
    networkIds.set(name, id);
  }
  const { id } = await makeTenant();
  const project = await makeProject({ id } as never);
  await lab.sql`update workloads set project_id = ${project.id} where cluster_id = ${lab.cluster.id} and vmid in (100, 103, 120)`;
  tenantUser = await makeUser('admin', { id } as never);
}, 60_000);
afterAll(() => lab.close());
afterEach(() => {
  lab.control.firewall.setFile('firewall/cluster.fw', clusterFile);
  for (const file of [HOST, NFTABLES_HOST, VNET]) lab.control.firewall.setFile(file, undefined);
});

const get = async <T>(path: string): Promise<T> => {
  const { status, body } = await lab.json(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as T;
};
const cluster = () => get<ClusterFirewall>(`/clusters/${lab.cluster.id}/firewall`);
const node = (name: string) => get<NodeFirewall>(`/nodes/${nodeIds.get(name)}/firewall`);
const network = (name: string) => get<NetworkFirewall>(`/networks/${networkIds.get(name)}/firewall`);
const asTenant = async () => {
  tenant = await bearer(tenantUser);
  return { headers: tenant };
};
const findOption = (options: ClusterFirewall['options'], name: string) =>
  options.find((option) => option.name === name);

describe('the firewall of a data center', () => {
  it('has options with their origin, rules in order, objects, nodes and VNets', async () => {
    lab.control.firewall.setFile(
      NFTABLES_HOST,
      '[OPTIONS]\n\nnftables: 1\n\n[RULES]\n\nFORWARD DROP -p tcp -dport 25\n',
    );
    lab.control.firewall.setFile(VNET, '[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nFORWARD DROP -p tcp -dport 23\n');
    const rules = 'FORWARD ACCEPT -p tcp\n|IN DROP -p udp\nGROUP ssh-admin\n';
    lab.control.firewall.setFile('firewall/cluster.fw', clusterFile.replace('[group web]', `${rules}\n[group web]`));
    const read = await cluster();
    expect(read).toMatchObject({ cluster_name: lab.cluster.name, cluster_firewall_enabled: true, unreadable: [] });
    expect(findOption(read.options, 'policy_in')).toEqual({ name: 'policy_in', value: 'DROP', origin: 'stored' });
    expect(findOption(read.options, 'policy_out')).toEqual({ name: 'policy_out', value: 'ACCEPT', origin: 'default' });
    expect(read.rules?.map(({ type, status, status_reason }) => [type, status, status_reason])).toEqual([
      ['in', 'enforced', null],
      ['forward', 'partly_enforced', 'iptables'],
      ['in', 'disabled', null],
      ['group', 'enforced', null],
    ]);
    expect(read.groups?.map(({ name }) => name)).toEqual(['ssh-admin']);
    expect(read.sets?.map(({ name }) => name)).toContain('management');
    expect(read.aliases?.map(({ name }) => name)).toContain('office');
    expect(read.nodes).toMatchObject([
      { name: 'pve1', implementation: 'iptables', firewall_enabled: true, rules_total: 0 },
      { name: 'pve2', implementation: 'nftables', firewall_enabled: true, rules_total: 1 },
      { name: 'pve3', implementation: 'iptables' },
    ]);
    expect(read.vnets).toMatchObject([
      { name: 'apps', running: true, firewall_enabled: true, rules_total: 1 },
      { name: 'dmz', running: true, firewall_enabled: false, rules_total: 0 },
    ]);
  });

  it('shows as unknown where it could not be read, never as empty', async () => {
    const fault = lab.simulator.onRequest(
      { path: /\/cluster\/firewall\/(options|rules|groups)$/ },
      { kind: 'respond', status: 500, reason: 'out of order' },
    );
    try {
      const read = await cluster();
      expect(read).toMatchObject({ cluster_firewall_enabled: null, rules: null, groups: null });
      expect(read.options.length).toBeGreaterThan(0);
      expect(new Set(read.options.map(({ origin }) => origin))).toEqual(new Set(['unknown']));
      expect(read.unreadable.map(({ part }) => part)).toEqual(expect.arrayContaining(['options', 'rules', 'groups']));
    } finally {
      fault.remove();
    }
  });

  it('does not exist for people of a tenant, like its nodes and VNets', async () => {
    for (const path of [
      `/clusters/${lab.cluster.id}/firewall`,
      `/nodes/${nodeIds.get('pve1')}/firewall`,
      `/networks/${networkIds.get('apps')}/firewall`,
    ]) {
      expect((await lab.json(path, await asTenant())).status, path).toBe(403);
    }
  });
});

describe('the firewall of a node', () => {
  it('has its own rules, then those of the data center', async () => {
    lab.control.firewall.setFile(
      HOST,
      '[OPTIONS]\n\nnosmurfs: 0\n\n[RULES]\n\nIN DROP -source 192.0.2.0/24\nFORWARD DROP\n',
    );
    const read = await node('pve1');
    expect(read).toMatchObject({ node_name: 'pve1', implementation: 'iptables', unreadable: [] });
    expect(findOption(read.options, 'nosmurfs')).toEqual({ name: 'nosmurfs', value: false, origin: 'stored' });
    expect(read.rules?.map(({ status, status_reason }) => [status, status_reason])).toEqual([
      ['enforced', null],
      ['not_enforced', 'iptables'],
    ]);
    expect(read.data_center_rules).toMatchObject([{ type: 'in', status: 'enforced' }]);
  });

  it('has the read time of the inventory where that names the implementation', async () => {
    const fault = lab.simulator.onRequest(
      { path: /\/nodes\/pve1\/firewall\/options$/ },
      { kind: 'respond', status: 500, reason: 'out of order' },
    );
    try {
      await lab.sql`update nodes set nftables = false where id = ${nodeIds.get('pve1') ?? ''}`;
      const read = await node('pve1');
      const { last_sync_at } = await get<{ last_sync_at: string }>(`/clusters/${lab.cluster.id}`);
      expect(read).toMatchObject({ implementation: 'iptables', read_at: last_sync_at });
      expect(read.unreadable).toMatchObject([{ part: 'node_options', node: 'pve1' }]);
      expect((await node('pve3')).unreadable).toEqual([]);
      expect(Date.parse((await node('pve3')).read_at)).toBeGreaterThan(Date.parse(last_sync_at));
    } finally {
      fault.remove();
    }
  });

  const test = (name: string, packet: object) =>
    lab.json(`/nodes/${nodeIds.get(name)}/firewall/test`, {
      body: { direction: 'in', source_ip: '192.0.2.9', destination_ip: '10.20.0.1', protocol: 'tcp', ...packet },
    });

  it('answers what happens to a packet, with the rule that decides and where it is stored', async () => {
    lab.control.firewall.setFile(HOST, '[RULES]\n\nIN ACCEPT -source 192.0.2.0/24 -p tcp -dport 9100\n');
    const { status, body } = await test('pve1', { destination_port: 9100 });
    expect(status).toBe(200);
    expect(body as HostPacketVerdicts).toMatchObject({
      nodes: [
        {
          node_name: 'pve1',
          verdict: 'accept',
          decided_by: { kind: 'rule', detail: 'ACCEPT', group: null, rule: { position: 0, scope: 'node' } },
        },
      ],
    });
    const other = (await test('pve1', { destination_port: 9101 })).body as HostPacketVerdicts;
    expect(other.nodes).toMatchObject([
      { verdict: 'drop', decided_by: { kind: 'default', detail: 'DROP', rule: null } },
    ]);
    const shared = (await test('pve1', { source_ip: '10.20.0.77', destination_port: 8006 })).body as HostPacketVerdicts;
    expect(shared.nodes).toMatchObject([
      { verdict: 'accept', decided_by: { kind: 'rule', rule: { scope: 'data_center', position: 0 } } },
    ]);
  });

  it('answers for packets that the node routes, under both implementations', async () => {
    lab.control.firewall.setFile(
      NFTABLES_HOST,
      '[OPTIONS]\n\nnftables: 1\n\n[RULES]\n\nFORWARD DROP -p tcp -dport 25\n',
    );
    const routed = { direction: 'forward', destination_ip: '203.0.113.5', destination_port: 25 };
    expect((await test('pve2', routed)).body).toMatchObject({
      nodes: [{ verdict: 'drop', decided_by: { kind: 'rule', rule: { scope: 'node', type: 'forward' } } }],
    });
    expect((await test('pve1', routed)).body).toMatchObject({
      nodes: [{ verdict: 'accept', decided_by: { kind: 'not_enforced', detail: 'iptables_node' } }],
    });
  });

  it('refuses a packet that cannot be, and people of a tenant', async () => {
    expect((await test('pve1', { source_ip: '2001:db8::1' })).status).toBe(400);
    const path = `/nodes/${nodeIds.get('pve1')}/firewall/test`;
    expect((await lab.json(path, { ...(await asTenant()), body: {} })).status).toBe(403);
  });
});

describe('the firewall of a VNet', () => {
  it('says which nodes enforce its rules', async () => {
    lab.control.firewall.setFile(NFTABLES_HOST, '[OPTIONS]\n\nnftables: 1\n');
    lab.control.firewall.setFile(VNET, '[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nFORWARD DROP -p tcp -dport 23\n');
    const read = await network('apps');
    expect(read).toMatchObject({ network_name: 'apps', running: true, unreadable: [] });
    expect(read.rules).toMatchObject([{ type: 'forward', status: 'partly_enforced', status_reason: 'iptables' }]);
    expect(read.nodes.find(({ name }) => name === 'pve2')?.implementation).toBe('nftables');
  });

  it('shows as not running and unknown before it was applied', async () => {
    await lab.sql`insert into networks (id, cluster_id, name, kind, source)
      values (${newId()}, ${lab.cluster.id}, 'planned', 'vnet', 'provider') returning id`.then(([row]) =>
      networkIds.set('planned', row?.id),
    );
    const read = await network('planned');
    expect(read).toMatchObject({ running: false, rules: null });
    expect(read.options).toContainEqual({ name: 'enable', value: null, origin: 'unknown' });
  });

  it('answers what each of its nodes does to a packet', async () => {
    lab.control.firewall.setFile(NFTABLES_HOST, '[OPTIONS]\n\nnftables: 1\n');
    lab.control.firewall.setFile(VNET, '[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nFORWARD DROP -p tcp -dport 23\n');
    const packet = { source_ip: '10.60.10.30', destination_ip: '10.60.10.31', protocol: 'tcp', destination_port: 23 };
    const path = `/networks/${networkIds.get('apps')}/firewall/test`;
    const { nodes } = (await lab.json(path, { body: packet })).body as HostPacketVerdicts;
    expect(nodes.find(({ node_name }) => node_name === 'pve2')).toMatchObject({
      verdict: 'drop',
      decided_by: { kind: 'rule', rule: { scope: 'vnet', position: 0 } },
    });
    expect(nodes.find(({ node_name }) => node_name === 'pve1')).toMatchObject({
      verdict: 'accept',
      decided_by: { kind: 'not_enforced', detail: 'iptables_node' },
    });
    expect((await lab.json(path, { ...(await asTenant()), body: packet })).status).toBe(403);
    const planned = `/networks/${networkIds.get('planned')}/firewall/test`;
    expect((await lab.json(planned, { body: packet })).status).toBe(422);
  });

  it('returns an error for a bridge', async () => {
    const { status } = await lab.json(`/networks/${networkIds.get('vmbr0')}/firewall`);
    expect(status).toBe(422);
  });
});

describe('what filters a guest from outside', () => {
  const guest = async (vmid: number, init?: Parameters<PolicyLab['json']>[1]): Promise<OutsideFilters> =>
    ((await lab.json(`/workloads/${await lab.id(vmid)}/firewall`, init)).body as GuestFirewall).outside;

  it('has the steps of its node and the rules of its VNets', async () => {
    lab.control.firewall.setFile('nodes/pve3/host.fw', '[OPTIONS]\n\nnftables: 1\n');
    lab.control.firewall.setFile(VNET, '[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nFORWARD DROP -p tcp -dport 23\n');
    const states = (outside: OutsideFilters) => outside.details?.steps.map(({ name, state }) => `${name} ${state}`);
    // Without the guest's own firewall nftables has nothing in front of it.
    expect(new Set((await guest(120)).details?.steps.map(({ state }) => state))).toEqual(new Set(['off']));
    lab.control.firewall.setFile('firewall/120.fw', '[OPTIONS]\n\nenable: 1\n');
    const { filters, details } = await guest(120);
    lab.control.firewall.setFile('nodes/pve3/host.fw', undefined);
    lab.control.firewall.setFile('firewall/120.fw', undefined);
    expect(filters).toBe(true);
    expect(details).toMatchObject({ node: { name: 'pve3' }, implementation: 'nftables' });
    expect(states({ filters, details })).toEqual([
      'vital_icmp on',
      'invalid on',
      'blacklist off',
      'smurf off',
      'tcp_flags off',
    ]);
    expect(details?.vnets).toMatchObject([
      { name: 'apps', interfaces: ['net0'], filters: true, policy_forward: 'ACCEPT', rules: [{ status: 'enforced' }] },
    ]);
  });

  it('names the rules of a VNet that its node does not enforce', async () => {
    lab.control.firewall.setFile(VNET, '[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nFORWARD DROP -p tcp -dport 23\n');
    expect((await guest(120)).details?.vnets).toMatchObject([
      { filters: false, rules: [{ status: 'not_enforced', status_reason: 'iptables' }] },
    ]);
  });

  it('decides a packet test without showing its rule to tenant users', async () => {
    lab.control.firewall.setFile('nodes/pve3/host.fw', '[OPTIONS]\n\nnftables: 1\n');
    lab.control.firewall.setFile(
      VNET,
      '[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nFORWARD DROP -p tcp -dport 23 # of the platform\n',
    );
    const packet = { direction: 'out', source_ip: '10.60.10.30', destination_ip: '10.60.10.31', protocol: 'tcp' };
    const path = `/workloads/${await lab.id(120)}/firewall/test`;
    const ask = async (port: number | undefined, init = {}) =>
      JSON.stringify((await lab.json(path, { ...init, body: { ...packet, destination_port: port } })).body);
    for (const port of [23, undefined]) {
      expect(await ask(port), `port ${port}`).toContain('of the platform');
      const found = await ask(port, await asTenant());
      expect(found, `port ${port}`).not.toContain('of the platform');
      expect(found).toMatch(port ? /"verdict":"drop"/ : /"verdict":"unknown"/);
    }
    lab.control.firewall.setFile('nodes/pve3/host.fw', undefined);
  });

  it('tells a tenant only whether anything filters', async () => {
    lab.control.firewall.setFile(HOST, '[OPTIONS]\n\nnosmurfs: 1\n');
    expect(await guest(100, await asTenant())).toEqual({ filters: true, details: null });
  });

  it('shows as unknown without a snapshot of the node', async () => {
    const fault = lab.simulator.onRequest(
      { path: /\/nodes\/pve1\/firewall\/options$/ },
      { kind: 'respond', status: 500, reason: 'out of order' },
    );
    try {
      expect(await guest(100, await asTenant())).toEqual({ filters: null, details: null });
    } finally {
      fault.remove();
    }
  });
});
