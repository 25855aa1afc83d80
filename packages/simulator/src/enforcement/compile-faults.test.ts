import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';

let sim: Simulator;
beforeEach(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 0, startAt: Date.UTC(2026, 10, 21) });
});
afterEach(() => sim.close());

const lab = () => sim.cluster();
const api = () => client(lab().node('pve1'), lab().tokens.manager);
const settle = () => sim.clock.advance(10_001);
const RULES = '/nodes/pve1/qemu/100/firewall/rules';
const failure = () => lab().enforcement.compileOf('pve1').failure;
/** Guest 103 is on the same node; nothing is wrong with its own files. */
const neighbor = (sport: number) =>
  lab().enforcement.send({
    vmid: 103,
    nic: 'net0',
    direction: 'in',
    proto: 'tcp',
    source: '192.0.2.7',
    dest: '10.20.20.12',
    sport,
    dport: 8081,
  }).verdict;

describe('a rule that the API takes and the packet filter refuses', () => {
  it.each([
    ['sctp', 'ssh'],
    ['tcp', 'tftp'],
    ['tcp', 'ntp'],
    ['udp', 'smtp,53'],
    ['6', 'tftp'],
  ])('stops the compile of the node: -p %s -dport %s', async (proto, dport) => {
    const before = lab().enforcement.compileOf('pve1').compiled_at;
    const answer = await api().post(RULES, { type: 'in', action: 'ACCEPT', enable: 1, proto, dport });
    expect(answer.status).toBe(200);
    await settle();
    expect(failure()).toMatch(/^guest 100: rule 0: invalid port\/service/);
    expect(lab().enforcement.compileOf('pve1')).toMatchObject({ compiled_at: before, failed_at: expect.any(Number) });
  });

  it.each([
    [{ source: '10.0.0.09' }, 'host/network'],
    [{ dest: '10.0.0.08-10.0.0.9' }, 'host/network'],
    [{ proto: 'tcp', dport: `${Array.from({ length: 15 }, (_, i) => 1000 + i).join()},ssh` }, 'too many ports'],
  ])('stops the compile of the node: %j', async (fields, reason) => {
    expect((await api().post(RULES, { type: 'in', action: 'ACCEPT', enable: 1, ...fields })).status).toBe(200);
    await settle();
    expect(failure()).toContain(`guest 100: rule 0: ${reason}`);
  });

  it('loads other short forms of addresses, and an alias of a service, with iptables', async () => {
    await api().post(RULES, { type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: 'syslog' });
    for (const source of ['10.0.0.0/255.0.0.0', '10/8', '10.1', '10.0.0.01']) {
      expect((await api().post(RULES, { type: 'in', action: 'ACCEPT', enable: 1, source })).status).toBe(200);
    }
    await settle();
    expect(failure()).toBeUndefined();
  });

  it('keeps the old rules of every guest of that node active until it is gone', async () => {
    expect(neighbor(1)).toBe('accept');
    await api().post(RULES, { type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: 'tftp' });
    lab().firewall.setFile('firewall/103.fw', '[OPTIONS]\n\nenable: 1\n');
    await settle();
    expect(neighbor(2)).toBe('accept');
    await api().delete(`${RULES}/0`);
    await settle();
    expect(failure()).toBeUndefined();
    expect(neighbor(3)).toBe('drop');
  });

  it('changes nothing while it is disabled, while the firewall of its guest is off, and with nftables', async () => {
    await api().post(RULES, { type: 'in', action: 'ACCEPT', enable: 0, proto: 'tcp', dport: 'tftp' });
    lab().firewall.storeDormant(103, { rules: ['IN ACCEPT -p sctp -dport ssh'] });
    await settle();
    expect(failure()).toBeUndefined();
    await api().put(`${RULES}/0`, { enable: 1 });
    lab().firewall.setFile('nodes/pve1/host.fw', '[OPTIONS]\n\nnftables: 1\n');
    await settle();
    expect(failure()).toBeUndefined();
  });
});

describe('a set that the API takes and the kernel refuses', () => {
  const withAliases = (entries: readonly string[]) =>
    lab().firewall.setFile(
      'firewall/103.fw',
      `[OPTIONS]\n\nenable: 0\n\n[ALIASES]\n\nall 0.0.0.0/0\nall6 ::/0\nhost 10.1.2.3/16\n\n[IPSET kept]\n\n${entries.join('\n')}\n`,
    );

  it.each([[['all']], [['all6']], [['10.1.0.0/16', 'host']]])(
    'stops the compile, also of a guest whose firewall is off: %j',
    async (entries) => {
      withAliases(entries);
      await settle();
      expect(failure()).toMatch(/^guest 103: ipset kept: /);
    },
  );

  it('may hold an alias with host bits alone', async () => {
    withAliases(['host', '10.2.0.0/16']);
    await settle();
    expect(failure()).toBeUndefined();
  });
});

describe('nftables', () => {
  const with103 = async (text: string) => {
    lab().firewall.setFile('nodes/pve1/host.fw', '[OPTIONS]\n\nnftables: 1\n');
    lab().firewall.setFile('firewall/103.fw', text);
    await settle();
    return failure();
  };

  it('loads nothing when a rule refers to a group that is gone', async () => {
    expect(await with103('[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nGROUP gone\n')).toContain('group-gone');
  });

  it('generates nothing when an entry of a set refers to an alias that is gone', async () => {
    expect(await with103('[OPTIONS]\n\nenable: 1\n\n[IPSET kept]\n\ngone\n')).toContain('could not find alias gone');
  });

  it.each(['10.0.0.0/255.0.0.0', '10/8', '10.1', '10.0.0.01'])(
    'reads nothing when a rule has %s, even a disabled one',
    async (text) => {
      expect(await with103(`[OPTIONS]\n\nenable: 0\n\n[RULES]\n\n|IN ACCEPT -source ${text}\n`)).toContain(text);
    },
  );

  it('loads nothing when a rule refers to a set of the guest that is not made', async () => {
    const text = '[OPTIONS]\n\nenable: 1\n\n[IPSET management]\n\n10.0.0.1\n\n[RULES]\n\n';
    expect(await with103(`${text}IN ACCEPT -source +management\n`)).toContain('management does not exist');
    expect(await with103(`${text}|IN ACCEPT -source +management\n`)).toBeUndefined();
  });

  it('reads nothing when a stored ICMP type is unknown to its parser', async () => {
    const rule = 'IN ACCEPT -p ipv6-icmp -icmp-type reject-route';
    expect(await with103(`[OPTIONS]\n\nenable: 0\n\n[RULES]\n\n${rule}\n`)).toContain('reject-route');
  });
});

describe('nftables, in more places', () => {
  const GROUP = '[RULES]\n\nGROUP gone\n';
  const withFiles = async (files: Record<string, string>) => {
    lab().firewall.setFile('nodes/pve1/host.fw', '[OPTIONS]\n\nnftables: 1\n');
    for (const [path, text] of Object.entries(files)) lab().firewall.setFile(path, text);
    await settle();
    return failure();
  };
  const cluster = () => lab().firewall.file('firewall/cluster.fw') ?? '';

  it('loads nothing when the data center or the node refers to a group that is gone, unless the node is not filtered', async () => {
    expect(await withFiles({ 'nodes/pve1/host.fw': `[OPTIONS]\n\nnftables: 1\n\n${GROUP}` })).toContain('group-gone');
    const off = `[OPTIONS]\n\nnftables: 1\nenable: 0\n\n${GROUP}`;
    expect(await withFiles({ 'nodes/pve1/host.fw': off })).toBeUndefined();
  });

  it('reads unused groups', async () => {
    const rule = '[group unused]\n\n|IN ACCEPT -p ipv6-icmp -icmp-type reject-route\n';
    expect(await withFiles({ 'firewall/cluster.fw': `${cluster()}\n${rule}` })).toContain('reject-route');
  });

  it('generates nothing when a set of the data center refers to an alias that is gone', async () => {
    expect(await withFiles({ 'firewall/cluster.fw': `${cluster()}\n[IPSET kept]\n\ngone\n` })).toContain('alias gone');
  });

  it('makes no address filter for an interface that is not there', async () => {
    const set = (nic: string) => `[OPTIONS]\n\nenable: 1\n\n[IPSET ipfilter-${nic}]\n\ngone\n`;
    expect(await withFiles({ 'firewall/103.fw': set('net7') })).toBeUndefined();
    expect(await withFiles({ 'firewall/103.fw': set('net0') })).toContain('alias gone');
  });
});

describe('content of a firewall that is off', () => {
  it('takes no effect', async () => {
    lab().firewall.storeDormant(103, {
      rules: ['IN DROP -p tcp -dport 8081'],
      sets: { 'ipfilter-net0': ['192.0.2.1'] },
      options: { policy_in: 'DROP' },
    });
    await settle();
    expect(neighbor(1)).toBe('accept');
    lab().firewall.setFile('firewall/103.fw', lab().firewall.guestFile(103)?.replace('enable: 0', 'enable: 1'));
    await settle();
    expect(neighbor(2)).toBe('drop');
  });
});

describe('a firewall file that is being replaced', () => {
  it('reads as empty once', async () => {
    lab().firewall.readEmptyOnce('firewall/100.fw');
    expect((await api().get(RULES)).json.data).toEqual([]);
    expect((await api().get(RULES)).json.data).not.toEqual([]);
  });
});

describe('in front of a guest whose firewall is off', () => {
  const evaluate = (more: object) =>
    lab().enforcement.evaluatePacket(
      { vmid: 103, nic: 'net0', direction: 'in', proto: 'udp', source: '10.20.0.9', dest: '10.20.20.12', ...more },
      new Date(0),
    ).verdict;

  it('a node drops smurfs from its own networks, invalid packets and what is blacklisted', async () => {
    lab().firewall.storeDormant(103, {});
    const cluster = lab().firewall.file('firewall/cluster.fw') ?? '';
    lab().firewall.setFile('firewall/cluster.fw', `${cluster}\n[IPSET blacklist]\n\n198.51.100.0/24\n`);
    await settle();
    expect(evaluate({})).toEqual({ verdict: 'accept', by: 'not-enforced' });
    expect(evaluate({ source: '10.20.0.255' })).toEqual({ verdict: 'drop', by: 'smurf' });
    expect(evaluate({ source: '224.0.0.9' })).toEqual({ verdict: 'drop', by: 'smurf' });
    expect(evaluate({ source: '198.51.100.7' })).toEqual({ verdict: 'drop', by: 'blacklist' });
    expect(evaluate({ proto: 'icmp', icmpType: 'echo-reply' })).toEqual({ verdict: 'drop', by: 'invalid' });
    lab().firewall.setFile('nodes/pve1/host.fw', '[OPTIONS]\n\nnosmurfs: 0\nnf_conntrack_allow_invalid: 1\n');
    await settle();
    expect(evaluate({ source: '10.20.0.255' }).verdict).toBe('accept');
    expect(evaluate({ proto: 'icmp', icmpType: 'echo-reply' }).verdict).toBe('accept');
  });
});
