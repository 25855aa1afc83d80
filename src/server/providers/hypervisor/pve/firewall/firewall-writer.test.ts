import { describe, expect, it } from 'vitest';
import type { RuleFields } from '../../firewall-types';
import { simulate } from '../testing/simulated.fixture';

const DB = { node: 'pve3', kind: 'qemu', vmid: 102 } as const;
const RULE: RuleFields = { type: 'in', action: 'ACCEPT', proto: 'tcp', dport: '443', enable: 1, comment: 'ours' };
const RULES = /\/102\/firewall\/rules/;

describe('a write whose outcome is not known', () => {
  it.each([
    ['reset before', { kind: 'reset', when: 'before' }, false],
    ['reset after', { kind: 'reset', when: 'after' }, true],
    ['truncated', { kind: 'truncate' }, true],
    ['no answer of the node', { kind: 'respond', status: 596, reason: 'Connection timed out', apply: true }, true],
    ['a web page instead', { kind: 'html-502' }, false],
  ] as const)('says so and is not repeated: %s', async (_, fault, applied) => {
    const { simulator, provider } = await simulate();
    const { firewallWriter } = provider();
    const struck = simulator.onRequest({ method: 'POST', path: RULES }, fault);
    await expect(firewallWriter.createRule(DB, RULE)).rejects.toMatchObject({ detail: { outcomeUnknown: true } });
    expect(struck.hits).toBe(1);
    const ours = (await firewallWriter.readRules(DB)).items.filter(({ comment }) => comment === 'ours');
    expect(ours).toHaveLength(applied ? 1 : 0);
  });

  it('has a known outcome when the API returns an error', async () => {
    const { cluster, provider } = await simulate();
    cluster.setQuorum(false);
    const failure = await provider()
      .firewallWriter.createRule(DB, RULE)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'no_quorum', remedy: expect.stringContaining('nodes back online') });
    expect(failure).not.toMatchObject({ detail: { outcomeUnknown: true } });
  });
});

describe('locks and limits', () => {
  it('names the lock that another writer holds', async () => {
    // Slower than elsewhere: the 30 s in which one node must answer another are 300 ms here, not 60.
    const { cluster, provider } = await simulate('pve9', 100);
    // A day: a minute passes in 600 ms here, which is less than a busy machine may take until the write arrives.
    cluster.firewall.holdLock('firewall-vm-102', 86_400_000);
    await expect(provider().firewallWriter.createRule(DB, RULE)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('firewall-vm-102'),
    });
  });

  it('writes at most two firewall files at the same time, over all providers of a cluster', async () => {
    // Each call takes 80 ms here: on a busy machine shorter ones would end before the next begins.
    const { cluster, access, provider } = await simulate('pve9', 100, 8_000);
    const shared = access();
    const writers = [provider(shared), provider(shared)].map(({ firewallWriter }) => firewallWriter);
    const vmids = [100, 101, 103, 104, 105, 110];
    await Promise.all(vmids.map((vmid, i) => writers[i % 2]?.createRule({ ...DB, vmid }, RULE)));
    expect(cluster.load.maxOf('firewall-write')).toBe(2);
  });
});

describe('the flag of an interface', () => {
  const FLAG = ['net1', true] as const;

  it('changes where the guest moved to', async () => {
    const { cluster, provider } = await simulate();
    cluster.migrate(102, 'pve1');
    expect(await provider().firewallWriter.setNicFirewall(DB, ...FLAG)).toEqual({ outcome: 'set' });
    expect(cluster.guest(102).configText).toMatch(/net1: .*firewall=1/);
  });

  it('waits for nothing while the guest is locked', async () => {
    const { cluster, provider } = await simulate();
    cluster.lockGuest(102, 'backup');
    await expect(provider().firewallWriter.setNicFirewall(DB, ...FLAG)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('backup'),
    });
  });

  it('returns an error when the configuration changed between read and write', async () => {
    const { simulator, cluster, provider } = await simulate();
    simulator.onRequest(
      { method: 'PUT', path: /\/102\/config$/ },
      { kind: 'hook', before: () => cluster.setTags(102, ['changed']) },
    );
    await expect(provider().firewallWriter.setNicFirewall(DB, ...FLAG)).rejects.toMatchObject({ code: 'conflict' });
    expect(cluster.guest(102).configText).not.toMatch(/net1: .*firewall=1/);
  });

  it('stays pending when it cannot be made live, and is reported as pending', async () => {
    const { cluster, provider } = await simulate();
    cluster.guest(102).hotplugFailures.set('net1', 'no space');
    const { firewallWriter } = provider();
    await expect(firewallWriter.setNicFirewall(DB, ...FLAG)).rejects.toMatchObject({
      code: 'invalid_parameter',
      detail: { errors: { net1: expect.stringContaining('hotplug') } },
    });
    expect(await firewallWriter.setNicFirewall(DB, ...FLAG)).toMatchObject({ reason: 'nic_change_pending' });
  });

  it('stays unchanged for an interface without a bridge', async () => {
    const { cluster, provider } = await simulate();
    cluster.setConfig(102, { net1: 'virtio=BC:24:11:00:00:01' });
    expect(await provider().firewallWriter.setNicFirewall(DB, ...FLAG)).toMatchObject({
      outcome: 'refused',
      reason: 'nic_not_editable',
      message: expect.stringContaining('no bridge'),
    });
  });
});
