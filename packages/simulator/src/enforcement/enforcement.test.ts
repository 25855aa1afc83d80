import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseHypervisorLine } from '../../../../agent/src/logs/hypervisor-line';
import { type Simulator, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';
import type { Packet } from './packet';

let sim: Simulator;
beforeEach(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 0, startAt: Date.UTC(2026, 10, 21) });
});
afterEach(() => sim.close());

const lab = () => sim.cluster();
const api = () => client(lab().node('pve1'), lab().tokens.manager);
const settle = () => sim.clock.advance(10_001);
const packet = (more: Partial<Packet> = {}): Packet => ({
  vmid: 100,
  nic: 'net0',
  direction: 'in',
  proto: 'tcp',
  source: '192.0.2.7',
  dest: '10.20.20.11',
  sport: 50000,
  dport: 443,
  ...more,
});
const verdict = (more?: Partial<Packet>) => lab().enforcement.send(packet(more));

describe('a filtered guest', () => {
  it('lets in what its groups allow and drops the rest', () => {
    expect(verdict()).toEqual({ verdict: 'accept', by: 'rule', position: 0, group: 'web' });
    expect(verdict({ dport: 22 })).toEqual({ verdict: 'drop', by: 'policy' });
    expect(verdict({ dport: 22, source: '10.20.0.9' })).toMatchObject({ verdict: 'accept', group: 'ssh-admin' });
    expect(verdict({ dport: 8080 })).toEqual({ verdict: 'drop', by: 'policy' });
    expect(verdict({ proto: 'icmp', icmpType: 'echo-request', sport: undefined, dport: undefined }).verdict).toBe(
      'accept',
    );
    expect(verdict({ direction: 'out', source: '10.20.20.11', dest: '192.0.2.9', sport: 1, dport: 25 })).toEqual({
      verdict: 'accept',
      by: 'policy',
    });
  });

  it('resolves aliases and sets of guest and datacenter', () => {
    const db = { vmid: 102, dport: 5432 };
    expect(verdict({ ...db, source: '10.60.10.99' })).toMatchObject({ verdict: 'accept', position: 0 });
    expect(verdict({ ...db, source: '10.20.21.12' })).toMatchObject({ verdict: 'accept', position: 1 });
    expect(verdict({ ...db, source: '10.60.11.1' }).verdict).toBe('drop');
    // The second NIC has no flag: nothing is filtered there.
    expect(verdict({ ...db, nic: 'net1' })).toEqual({ verdict: 'accept', by: 'not-enforced' });
  });

  it('evaluates a packet without sending it', () => {
    const packet = {
      vmid: 100,
      nic: 'net0',
      direction: 'in',
      proto: 'tcp',
      source: '192.0.2.7',
      dest: '10.20.20.11',
    } as const;
    const evaluate = (sent: Packet, at: Date) => lab().enforcement.evaluatePacket(sent, at);
    const evaluated = evaluate({ ...packet, sport: 50_000, dport: 23 }, new Date('2026-11-20T23:59:00Z'));
    expect(evaluated.verdict).toEqual({ verdict: 'drop', by: 'policy' });
    expect(evaluated.line).toContain('tap100i0-IN 20/Nov/2026:23:59:00 +0000 policy DROP: ');
    expect(lab().state.nodes.get('pve1')?.firewallLog.current).toEqual([]);
    expect(evaluate({ ...packet, sport: 50_000, dport: 443 }, new Date())).toEqual({
      verdict: { verdict: 'accept', by: 'rule', position: 0, group: 'web' },
      line: undefined,
    });
    // It opened no connection: the second packet is decided by the rule again.
    expect(evaluate({ ...packet, sport: 50_000, dport: 443 }, new Date()).verdict.by).toBe('rule');
  });

  it('has built-in rules for addresses, neighbors and hardware', () => {
    expect(verdict({ proto: 'udp', sport: 67, dport: 68 }).by).toBe('dhcp');
    expect(verdict({ proto: 'icmpv6', source: 'fe80::1', dest: 'ff02::1', icmpType: 'neighbor-solicitation' }).by).toBe(
      'ndp',
    );
    expect(verdict({ direction: 'out', sourceMac: 'de:ad:be:ef:00:01' }).by).toBe('macfilter');
    expect(
      verdict({
        direction: 'out',
        proto: 'icmpv6',
        source: 'fe80::1',
        dest: 'ff02::1',
        icmpType: 'router-advertisement',
      }).by,
    ).toBe('radv');
  });

  it('writes log lines that name the guest for policy hits, and not for group hits', async () => {
    verdict({ dport: 23 });
    await api().put('/cluster/firewall/groups/web/0', { log: 'info' });
    expect(lab().state.nodes.get('pve1')?.firewallLog.current).toEqual([
      '100 6 tap100i0-IN 21/Nov/2026:00:00:00 +0000 policy DROP: IN=fwbr100i0 OUT=fwbr100i0 PHYSIN=fwln100i0 PHYSOUT=tap100i0 SRC=192.0.2.7 DST=10.20.20.11 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=0 DF PROTO=TCP SPT=50000 DPT=23 ',
    ]);
    const log = await api().get('/nodes/pve1/qemu/100/firewall/log');
    expect(log.json.data[0].t).toContain('policy DROP');
  });

  it('writes log lines that an agent reads, with either firewall and in both directions', async () => {
    await api().put('/nodes/pve1/qemu/100/firewall/options', { policy_out: 'DROP', log_level_out: 'info' });
    for (const implementation of ['iptables', 'nftables']) {
      const nftables = implementation === 'nftables' ? 1 : 0;
      lab().firewall.setFile('nodes/pve1/host.fw', `[OPTIONS]\n\nnftables: ${nftables}\n\n`);
      await settle();
      const log = lab().state.nodes.get('pve1')?.firewallLog.current ?? [];
      log.length = 0;
      const out = { direction: 'out', source: '10.20.20.11', dest: '192.0.2.9' } as const;
      expect([verdict({ dport: 23 }).by, verdict({ ...out, dport: 25 }).by]).toEqual(['policy', 'policy']);
      const read = { vmid: 100, nic: 0, interface: 'tap100i0', decision: 'drop' };
      expect(log.map((line) => parseHypervisorLine(line)?.packet)).toMatchObject([
        { ...read, destination: '10.20.20.11', destinationPort: 23 },
        { ...read, destination: '192.0.2.9', destinationPort: 25 },
      ]);
      expect(log.map((line) => [/ IN=/, / OUT=/].map((device) => device.test(line)))).toEqual(
        implementation === 'iptables'
          ? [
              [true, true],
              [true, true],
            ]
          : [
              [false, true],
              [true, false],
            ],
      );
    }
  });
});

describe('what makes a filter work', () => {
  it('a written rule takes effect with the next compile, not before', async () => {
    await api().post('/nodes/pve1/qemu/100/firewall/rules', {
      type: 'in',
      action: 'DROP',
      enable: 1,
      proto: 'tcp',
      dport: 443,
    });
    await sim.clock.advance(9_000);
    expect(verdict({ sport: 1 }).verdict).toBe('accept');
    await sim.clock.advance(1_000);
    expect(verdict({ sport: 2 })).toEqual({ verdict: 'drop', by: 'rule', position: 0 });
  });

  it('takes effect after at most five seconds with nftables', async () => {
    lab().firewall.setFile('nodes/pve1/host.fw', '[OPTIONS]\n\nnftables: 1\n\n');
    await api().post('/nodes/pve1/qemu/100/firewall/rules', { type: 'in', action: 'DROP', enable: 1 });
    await sim.clock.advance(4_000);
    expect(verdict({ sport: 1 }).verdict).toBe('accept');
    await sim.clock.advance(1_000);
    expect(verdict({ sport: 2 }).verdict).toBe('drop');
  });

  it('accepted connections outlive the rule that let them in', async () => {
    expect(verdict({ sport: 1 }).verdict).toBe('accept');
    await api().post('/nodes/pve1/qemu/100/firewall/rules', { type: 'in', action: 'DROP', enable: 1 });
    await settle();
    expect(verdict({ sport: 1 })).toEqual({ verdict: 'accept', by: 'established' });
    expect(verdict({ sport: 2 }).verdict).toBe('drop');
    lab().enforcement.flushConnections('pve1');
    expect(verdict({ sport: 1 }).verdict).toBe('drop');
  });

  it('needs cluster, guest and NIC', async () => {
    const blocked = () => verdict({ dport: 23, sport: Math.floor(sim.clock.now() % 60_000) }).verdict;
    expect(blocked()).toBe('drop');
    await api().put('/cluster/firewall/options', { enable: 0 });
    await settle();
    expect(blocked()).toBe('accept');
    await api().put('/cluster/firewall/options', { enable: 1 });
    await api().put('/nodes/pve1/qemu/100/firewall/options', { enable: 0 });
    await settle();
    expect(blocked()).toBe('accept');
    expect(lab().enforcement.view(100)).toMatchObject({ cluster_enabled: true, guest_enabled: false });
    await api().put('/nodes/pve1/qemu/100/firewall/options', { enable: 1 });
    await settle();
    expect(blocked()).toBe('drop');
  });

  it('follows the live flag immediately when it is removed, and with the next compile when it is set', async () => {
    const nic = lab().guest(100).config.current.get('net0') ?? '';
    await api().put('/nodes/pve1/qemu/100/config', { net0: nic.replace(',firewall=1', '') });
    expect(verdict({ dport: 23, sport: 1 }).by).toBe('not-enforced');
    await settle();
    await api().put('/nodes/pve1/qemu/100/config', { net0: nic });
    expect(lab().enforcement.view(100).nics).toEqual([{ nic: 'net0', live_flag: true, compiled: false }]);
    expect(verdict({ dport: 23, sport: 2 }).by).toBe('not-enforced');
    await settle();
    expect(verdict({ dport: 23, sport: 3 }).verdict).toBe('drop');
  });

  it('leaves a migrated guest unfiltered until the new node compiles, without its old connections', async () => {
    verdict({ sport: 1 });
    lab().migrate(100, 'pve2');
    expect(verdict({ dport: 23, sport: 9 }).by).toBe('not-enforced');
    await api().post('/nodes/pve2/qemu/100/firewall/rules', { type: 'in', action: 'DROP', enable: 1 });
    await settle();
    expect(verdict({ sport: 1 }).verdict).toBe('drop');
  });

  it('skips rules whose objects are gone, drops included', async () => {
    const rules = '/nodes/pve1/qemu/103/firewall';
    await api().post(`${rules}/aliases`, { name: 'bad-guys', cidr: '192.0.2.0/24' });
    await api().put(`${rules}/options`, { enable: 1, policy_in: 'ACCEPT' });
    await api().post(`${rules}/rules`, { type: 'in', action: 'DROP', enable: 1, source: 'bad-guys' });
    await settle();
    expect(verdict({ vmid: 103, sport: 1 }).verdict).toBe('drop');
    await api().delete(`${rules}/aliases/bad-guys`);
    await settle();
    expect(verdict({ vmid: 103, sport: 2 })).toEqual({ verdict: 'accept', by: 'policy' });
  });
});

describe('one bad value', () => {
  it('stops every update of an nftables node, and only there', async () => {
    lab().firewall.setFile('nodes/pve1/host.fw', '[OPTIONS]\n\nnftables: 1\n\n');
    lab().firewall.setFile('firewall/103.fw', '[OPTIONS]\nenable: 1\n[RULES]\nIN ACCEPT -mystery 1\n');
    await api().post('/nodes/pve1/qemu/100/firewall/rules', { type: 'in', action: 'DROP', enable: 1 });
    await settle();
    expect(lab().enforcement.view(100).failure).toBe("guest 103: cannot parse 'IN ACCEPT -mystery 1'");
    expect(verdict({ sport: 1 }).verdict).toBe('accept');
    lab().firewall.setFile('firewall/103.fw', undefined);
    await settle();
    expect(lab().enforcement.view(100).failure).toBeUndefined();
    expect(verdict({ sport: 2 }).verdict).toBe('drop');
  });

  it('blocks the node when the packet filter refuses an address the API took', async () => {
    const path = '/nodes/pve1/qemu/100/firewall/rules';
    expect((await api().post(path, { type: 'in', action: 'DROP', enable: 1, source: '10.0.0.09' })).status).toBe(200);
    await settle();
    expect(lab().enforcement.view(103).failure).toBe("guest 100: rule 0: host/network '10.0.0.09' not found");
  });

  it('turns a reject into a drop on the way in with nftables', async () => {
    await api().post('/nodes/pve1/qemu/100/firewall/rules', { type: 'in', action: 'REJECT', enable: 1 });
    await settle();
    expect(verdict({ sport: 1 }).verdict).toBe('reject');
    lab().firewall.setFile('nodes/pve1/host.fw', '[OPTIONS]\n\nnftables: 1\n\n');
    await settle();
    expect(verdict({ sport: 2 }).verdict).toBe('drop');
  });
});
