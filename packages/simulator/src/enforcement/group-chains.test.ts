import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';

let sim: Simulator;
beforeEach(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 0, startAt: Date.UTC(2026, 10, 21) });
  for (const vmid of lab().state.guests.keys()) lab().firewall.setFile(`firewall/${vmid}.fw`, undefined);
});
afterEach(() => sim.close());

const lab = () => sim.cluster();
const guest = (rules = 'GROUP shared') => `[OPTIONS]\n\nenable: 1\npolicy_out: DROP\n\n[RULES]\n\n${rules}\n`;
const load = (members: string, files: Record<string, string>) => {
  const objects = '[ALIASES]\n\nweb 10.0.0.2\n\n[IPSET peers]\n\n10.0.0.1\n';
  lab().firewall.setFile('firewall/cluster.fw', `[OPTIONS]\n\nenable: 1\n\n${objects}\n[group shared]\n\n${members}\n`);
  for (const [path, text] of Object.entries(files)) lab().firewall.setFile(path, text);
  lab().enforcement.compileNow();
  expect(lab().enforcement.compileOf('pve1').failure).toBeUndefined();
};
const verdict = (vmid: number, direction: 'in' | 'out', dport = 80, six = false) =>
  lab().enforcement.evaluatePacket(
    {
      vmid,
      nic: 'net0',
      direction,
      proto: 'tcp',
      source: six ? '2001:db8::1' : '192.0.2.7',
      dest: six ? 'fd00::9' : '10.20.20.12',
      sport: 40_000,
      dport,
    },
    new Date(0),
  ).verdict.verdict;

describe('a group with a rule at which the iptables compiler dies', () => {
  it.each([
    ['IN ACCEPT -p tcp -dport 22 -source guest/web', 'accept', 'accept'],
    ['IN ACCEPT -source +guest/peers', 'accept', 'accept'],
    ['IN ACCEPT -source +sdn/peers', 'accept', 'accept'],
    ['IN ACCEPT -p icmp -dport packet-too-big', 'accept', 'drop'],
    ['IN ACCEPT -p icmp -dport ssh', 'accept', 'drop'],
    ['IN ACCEPT -p ipv6-icmp -dport echo-request', 'drop', 'accept'],
    ['IN ACCEPT -p ipv6-icmp -icmp-type echo-request', 'drop', 'drop'],
  ])('leaves the first guest without a filter: %s', async (member, four, six) => {
    load(member, { 'firewall/100.fw': guest() });
    for (const direction of ['in', 'out'] as const) {
      expect(verdict(100, direction)).toBe(four);
      expect(verdict(100, direction, 80, true)).toBe(six);
    }
    const node = client(lab().node('pve1'), lab().tokens.manager);
    expect((await node.get('/cluster/firewall/groups/shared')).json.data).not.toMatchObject([
      { errors: expect.anything() },
    ]);
  });

  it('gives later guests what was written of the chain for inbound packets, and no outbound chain', () => {
    const members = 'IN ACCEPT -p tcp -dport 22\nIN ACCEPT -source guest/web\nIN ACCEPT -p tcp -dport 23\n';
    load(members, { 'firewall/100.fw': guest(), 'firewall/103.fw': guest() });
    expect([verdict(100, 'in', 23), verdict(100, 'out')]).toEqual(['accept', 'accept']);
    expect([22, 23].map((port) => verdict(103, 'in', port))).toEqual(['accept', 'drop']);
    expect(verdict(103, 'out')).toBe('accept');
  });

  it('filters later guests with what was written, where an outbound rule is the one', () => {
    const members = 'OUT ACCEPT -p tcp -dport 22\nOUT ACCEPT -dest guest/web\nIN ACCEPT -p tcp -dport 23\n';
    load(members, { 'firewall/100.fw': guest(), 'firewall/103.fw': guest() });
    expect([verdict(100, 'in'), verdict(100, 'out')]).toEqual(['accept', 'accept']);
    expect([23, 80].map((port) => verdict(103, 'in', port))).toEqual(['accept', 'drop']);
    expect([22, 80].map((port) => verdict(103, 'out', port))).toEqual(['accept', 'drop']);
  });

  it('costs a node only its rule, and the guests after it their outbound chain', () => {
    const host = '[RULES]\n\nGROUP shared\nIN ACCEPT -p tcp -dport 80\n';
    load('IN ACCEPT -source guest/web\n', { 'nodes/pve1/host.fw': host, 'firewall/100.fw': guest() });
    const sent = { node: 'pve1', direction: 'in', proto: 'tcp', source: '192.0.2.7', dest: '10.20.0.11' } as const;
    expect(lab().enforcement.evaluateNodePacket({ ...sent, sport: 4, dport: 80 }).verdict).toBe('accept');
    expect([verdict(100, 'in'), verdict(100, 'out')]).toEqual(['drop', 'accept']);
  });

  it('does not affect a guest that does not use it', () => {
    load('IN ACCEPT -source guest/web\n', { 'firewall/100.fw': guest('|GROUP shared') });
    expect([verdict(100, 'in'), verdict(100, 'out')]).toEqual(['drop', 'drop']);
  });
});
