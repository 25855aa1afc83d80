import type { PveVersionName } from '@fabric/simulator/pve-version';
import { describe, expect, it } from 'vitest';
import { directProvider } from '@/server/providers/hypervisor/pve/testing/direct-provider.fixture';
import { simulate } from '@/server/providers/hypervisor/pve/testing/simulated.fixture';
import type { HypervisorProvider } from '@/server/providers/hypervisor/types';
import { addOtherRules, FIVE, makeIntent, otherLines, policyLines } from '../testing/five-guests.fixture';
import { reconcileGuest } from './reconcile-guest';

const WEB = FIVE[0] ?? { vmid: 100, kind: 'qemu', node: 'pve1' };
const DB = FIVE[1] ?? WEB;

const reconcile = (provider: HypervisorProvider, guest: typeof WEB, version: 0 | 1 | 2) =>
  reconcileGuest({
    provider,
    guest,
    fingerprint: null,
    intent: makeIntent(guest.vmid, version),
    mayWrite: () => {},
    pause: async () => {},
  });

describe.each(['pve9', 'pve8', 'pve8Old'] as PveVersionName[])('a guest of %s', (release) => {
  it('has exactly the desired state after each change, and writes nothing twice', async () => {
    const { cluster } = await simulate(release);
    addOtherRules(cluster);
    // Without a network: the tests below have one.
    const real = directProvider(cluster);
    for (const guest of FIVE) {
      const foreign = otherLines(cluster, guest.vmid);
      for (const version of [1, 2, 0] as const) {
        expect(await reconcile(real, guest, version)).toMatchObject({ status: 'ok', problems: [] });
        expect(await reconcile(real, guest, version)).toMatchObject({ status: 'unchanged', writes: 0 });
        const { rules, sets } = makeIntent(guest.vmid, version);
        expect(policyLines(cluster, guest.vmid).map((line) => line.split(' # ')[1])).toEqual(
          rules.map(({ comment }) => comment),
        );
        expect(otherLines(cluster, guest.vmid)).toEqual(foreign);
        const file = cluster.firewall.guestFile(guest.vmid) ?? '';
        const names = [...file.matchAll(/^\[IPSET (fabric-\S+)\]/gm)].map(([, name]) => name);
        expect(names).toEqual(sets.map(({ name }) => name));
        if (version > 0) {
          expect(file).toMatch(/^enable: 1$/m);
          expect(cluster.enforcement.view(guest.vmid).nics.every(({ live_flag }) => live_flag)).toBe(true);
        }
      }
    }
  });
});

describe('the order of writes', () => {
  it('starts with rules, then defaults, switch and interfaces, so that nothing is cut off', async () => {
    const { simulator, provider } = await simulate();
    await reconcile(provider(), { vmid: 110, kind: 'qemu', node: 'pve2' }, 1);
    const writes = simulator.log
      .entries()
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, params }) => {
        if (path.endsWith('/config')) return 'flag';
        if (path.includes('/ipset')) return 'set';
        if (path.endsWith('/options')) return params.enable ? 'enable' : 'default';
        return `${method} rule`;
      });
    const getFirstIndex = (what: string) => writes.indexOf(what);
    const getLastIndex = (what: string) => writes.lastIndexOf(what);
    expect(getLastIndex('set')).toBeLessThan(getFirstIndex('POST rule'));
    expect(getLastIndex('POST rule')).toBeLessThan(getFirstIndex('default'));
    expect(getFirstIndex('default')).toBeLessThan(getFirstIndex('enable'));
    expect(getFirstIndex('enable')).toBeLessThan(getFirstIndex('flag'));
    expect(writes.at(-1)).toBe('flag');
  });
});

describe('obstacles to reconciling a guest', () => {
  it('a flag that is pending, or cannot be made live, is named; the rules stand', async () => {
    const { cluster, provider } = await simulate();
    cluster.guest(102).hotplugFailures.set('net1', 'no space');
    const first = await reconcile(provider(), DB, 1);
    expect(first).toMatchObject({ status: 'partial', problems: [{ code: 'invalid_parameter' }] });
    expect(first.problems[0]?.message).toMatch(/^net1:/);
    expect(policyLines(cluster, 102)).toHaveLength(3);
    // The value waits for the next start now; it is not written again.
    expect(await reconcile(provider(), DB, 1)).toMatchObject({
      status: 'partial',
      writes: 0,
      problems: [{ code: 'nic_flag_off', remedy: expect.stringContaining('restart the workload') }],
    });
  });

  it('an interface without a bridge is left alone and named', async () => {
    const { cluster, provider } = await simulate();
    cluster.setConfig(102, { net1: 'virtio=BC:24:11:00:00:01' });
    const outcome = await reconcile(provider(), DB, 1);
    expect(outcome).toMatchObject({ status: 'partial', problems: [{ code: 'nic_flag_off' }] });
    expect(cluster.guest(102).configText).toContain('net1: virtio=BC:24:11:00:00:01\n');
  });

  it('reports a missing privilege and leaves nothing half done', async () => {
    const { cluster, access, provider } = await simulate();
    const before = cluster.firewall.guestFile(100);
    const outcome = await reconcile(provider(access('reader')), WEB, 1);
    expect(outcome).toMatchObject({ status: 'failed', broken: false, problems: [{ code: 'forbidden' }] });
    expect(outcome.problems[0]?.message).toContain('VM.Config.Network');
    expect(cluster.firewall.guestFile(100)).toBe(before);
  });

  it('keeps an unmanaged rule whose alias is gone', async () => {
    const { cluster, provider } = await simulate();
    const file = cluster.firewall.guestFile(102) ?? '';
    cluster.firewall.setFile('firewall/102.fw', file.replace(/\[ALIASES\][^[]*/, ''));
    const foreign = otherLines(cluster, 102);
    expect(await reconcile(provider(), DB, 1)).toMatchObject({ status: 'ok' });
    expect(otherLines(cluster, 102)).toEqual(foreign);
  });

  it('nothing is written over a list that could not be read completely', async () => {
    const { simulator, cluster, provider } = await simulate();
    const before = cluster.firewall.guestFile(102);
    simulator.onRequest({ method: 'GET', path: /\/102\/firewall\/rules$/ }, { kind: 'garbage' });
    const outcome = await reconcile(provider(), DB, 1);
    expect(outcome).toMatchObject({ status: 'failed', writes: 0, problems: [{ code: 'bad_answer' }] });
    expect(cluster.firewall.guestFile(102)).toBe(before);
  });
});
