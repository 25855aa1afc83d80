import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 500 });
});
afterAll(() => sim.close());

const lab = () => sim.cluster();
const clientAs = (who: 'manager' | 'guestManager' | 'reader' | 'empty' | 'root', node = 'pve1') =>
  client(lab().node(node), lab().tokens[who]);
const data = async (path: string, who: Parameters<typeof clientAs>[0] = 'manager') =>
  (await clientAs(who).get(path)).json.data;

describe('nodes', () => {
  it('report addresses on which every node can be reached at one port', async () => {
    const status = await data('/cluster/status');
    expect(status[0]).toMatchObject({ type: 'cluster', name: 'lab', nodes: 3, quorate: 1 });
    const ports = new Set(lab().nodes.map((node) => node.port));
    expect(ports.size).toBe(1);
    for (const [index, entry] of status.slice(1).entries()) {
      expect(entry.ip).toBe(lab().nodes[index]?.ip);
      expect((await clientAs('manager', entry.name).get('/version')).status).toBe(200);
    }
    expect(new Set(lab().nodes.map((node) => node.ip)).size).toBe(3);
  });

  it('tell the fingerprint of every node, and the CA', async () => {
    const nodes = await data('/nodes');
    expect(nodes.map((node: { ssl_fingerprint: string }) => node.ssl_fingerprint)).toEqual(
      lab().nodes.map((node) => node.fingerprint256),
    );
    const info = await data('/nodes/pve2/certificates/info', 'empty');
    expect(info.map((entry: { filename: string }) => entry.filename)).toEqual(['pve-root-ca.pem', 'pve-ssl.pem']);
    expect(info[0].pem).toBe(lab().node('pve1').caPem);
    expect(info[1].fingerprint).toBe(lab().node('pve2').fingerprint256);
  });

  it('list bridges and, only when asked, VNets', async () => {
    const names = async (query: string) =>
      (await data(`/nodes/pve1/network${query}`)).map((entry: { iface: string }) => entry.iface);
    expect(await names('')).toEqual(['eno1', 'eno2', 'bond0', 'vmbr0', 'vmbr1']);
    expect(await names('?type=any_bridge')).toEqual(['vmbr0', 'vmbr1', 'apps', 'dmz']);
    expect(await names('?type=bond')).toEqual(['bond0']);
  });
});

describe('guests', () => {
  it('appear in the list with the fields that clients of the cheap call need', async () => {
    const guests = await data('/cluster/resources?type=vm');
    expect(guests).toHaveLength(15);
    expect(guests[0]).toMatchObject({
      id: 'qemu/100',
      vmid: 100,
      node: 'pve1',
      name: 'web-01',
      status: 'running',
      template: 0,
      tags: 'prod;web',
      pool: 'production',
    });
    expect(guests.filter((guest: { template: number }) => guest.template === 1)).toHaveLength(2);
  });

  it('have typed configurations', async () => {
    const config = await data('/nodes/pve1/qemu/100/config?current=1');
    expect(config).toMatchObject({ cores: 2, memory: '2048', agent: '1', numa: 0 });
    expect(config.digest).toMatch(/^[0-9a-f]{40}$/);
    const container = await data('/nodes/pve1/lxc/200/config');
    expect(container).toMatchObject({ memory: 512, cores: 1, hostname: 'dns-01' });
    expect(container.net0).toMatch(/^name=eth0,bridge=vmbr0,firewall=1,gw=/);
  });

  it('answer with pending values merged, apart, or without them', async () => {
    lab()
      .guest(300)
      .editConfig(({ pending, pendingDelete }) => {
        pending.set('cores', '8');
        pendingDelete.set('numa', 1);
      });
    const path = '/nodes/pve2/qemu/300';
    expect((await data(`${path}/config`)).cores).toBe(8);
    expect((await data(`${path}/config`)).numa).toBeUndefined();
    expect((await data(`${path}/config?current=1`)).cores).toBe(2);
    const pending = await data(`${path}/pending`);
    const of = (key: string) => pending.find((entry: { key: string }) => entry.key === key);
    expect(of('cores')).toEqual({ key: 'cores', value: 2, pending: 8 });
    expect(of('numa')).toEqual({ key: 'numa', value: 0, delete: 1 });
    expect(of('digest').value).toMatch(/^[0-9a-f]{40}$/);
  });

  it('report addresses through agents and containers in their different ways', async () => {
    const { result } = await data('/nodes/pve1/qemu/100/agent/network-get-interfaces');
    expect(result[1]).toMatchObject({
      name: 'eth0',
      'ip-addresses': [{ 'ip-address': '10.20.20.11', 'ip-address-type': 'ipv4', prefix: 24 }, {}, {}],
    });
    const interfaces = await data('/nodes/pve1/lxc/200/interfaces');
    expect(interfaces[1]).toMatchObject({
      inet: '10.20.22.53/24',
      'ip-addresses': [{ 'ip-address-type': 'inet', prefix: 24 }, {}],
    });
    expect(await data('/nodes/pve1/lxc/203/interfaces')).toBeNull();
  });

  it.each([
    [{ kind: 'not-running' }, 'QEMU guest agent is not running'],
    [{ kind: 'timeout' }, "VM 100 qga command 'guest-network-get-interfaces' failed - got timeout"],
    [{ kind: 'hung' }, "VM 100 qga command 'guest-network-get-interfaces' failed - got timeout"],
    [{ kind: 'disconnect' }, "VM 100 qga command 'guest-network-get-interfaces' failed - client closed connection"],
  ] as const)('fail with their own text when the agent is %j', async (behavior, text) => {
    const before = lab().guest(100).agent;
    lab().setAgent(100, behavior);
    const answer = await clientAs('manager').get('/nodes/pve1/qemu/100/agent/network-get-interfaces');
    lab().setAgent(100, before);
    expect([answer.status, answer.reason]).toEqual([500, text]);
  });

  it('distinguish agents that are not configured, disabled, stopped and refusing', async () => {
    const call = () => clientAs('manager').get('/nodes/pve1/qemu/103/agent/network-get-interfaces');
    lab().setConfig(103, { agent: undefined });
    expect((await call()).reason).toBe('No QEMU guest agent configured');
    lab().setConfig(103, { agent: '0' });
    expect((await call()).reason).toBe('QEMU guest agent is not running');
    lab().setConfig(103, { agent: '1' });
    lab().setRunState(103, 'stopped');
    expect((await call()).reason).toBe('VM 103 is not running');
    lab().setRunState(103, 'running');
    lab().setAgent(103, { kind: 'error', class: 'GenericError', desc: 'no' });
    expect((await call()).json).toEqual({ data: { result: { error: { class: 'GenericError', desc: 'no' } } } });
  });

  it('return an error on nodes that do not hold their configuration', async () => {
    lab().migrate(104, 'pve3');
    const answer = await clientAs('manager').get('/nodes/pve2/qemu/104/config');
    expect([answer.status, answer.reason]).toEqual([
      500,
      "Configuration file 'nodes/pve2/qemu-server/104.conf' does not exist",
    ]);
    expect((await clientAs('manager').get('/nodes/pve3/qemu/104/config')).status).toBe(200);
    expect((await clientAs('manager').get('/nodes/pve1/lxc/100/config')).reason).toContain('nodes/pve1/lxc/100.conf');
  });
});

describe('SDN', () => {
  it('answers staged, running and pending configurations', async () => {
    const names = async (query: string) =>
      (await data(`/cluster/sdn/vnets${query}`)).map((vnet: { vnet: string }) => vnet.vnet);
    expect(await names('')).toEqual(['apps', 'dmz', 'lab2']);
    expect(await names('?running=1')).toEqual(['apps', 'dmz']);
    const pending = await data('/cluster/sdn/vnets?pending=1');
    expect(pending.find((vnet: { vnet: string }) => vnet.vnet === 'lab2').state).toBe('new');
    expect((await data('/cluster/sdn/vnets/apps/subnets'))[0]).toMatchObject({
      cidr: '10.60.10.0/24',
      gateway: '10.60.10.1',
    });
    expect(await data('/cluster/sdn/ipams/pve/status')).toHaveLength(4);
  });
});

describe('rights', () => {
  it('hide everything from a token without entries, without an error', async () => {
    for (const path of ['/cluster/resources?type=vm', '/nodes/pve1/qemu', '/cluster/sdn/vnets', '/pools']) {
      expect([path, await data(path, 'empty')]).toEqual([path, []]);
    }
    const nodes = await data('/nodes', 'empty');
    expect(nodes).toHaveLength(3);
    expect(nodes[0].uptime).toBeUndefined();
    expect((await data('/nodes/pve1/network?type=any_bridge', 'empty')).length).toBe(0);
    expect(await data('/access/permissions', 'empty')).toEqual({});
  });

  it('refuse what has a declared privilege', async () => {
    const answer = await clientAs('empty').get('/nodes/pve1/qemu/100/config');
    expect([answer.status, answer.reason]).toEqual([403, 'Permission check failed (/vms/100, VM.Audit)']);
    expect((await clientAs('empty').get('/cluster/status')).reason).toBe('Permission check failed (/, Sys.Audit)');
    expect((await clientAs('root').get('/cluster/sdn/vnets/apps/firewall')).reason).toBe(
      'Permission check failed (user != root@pam)',
    );
    expect((await clientAs('reader').get('/nodes/pve1/qemu/100/firewall/log')).reason).toBe(
      'Permission check failed (/vms/100, VM.Console)',
    );
  });

  it('appear for exact paths too', async () => {
    expect((await data('/access/permissions?path=/vms/100'))['/vms/100']['VM.Config.Network']).toBe(1);
  });

  it('end with the token', async () => {
    lab().revokeToken(lab().tokens.guestManager);
    expect((await clientAs('guestManager').get('/version')).status).toBe(401);
  });
});
