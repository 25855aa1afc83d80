import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GuestConfig, GuestNic } from '@/server/providers/hypervisor/types';
import { CONFIG_MAX_AGE_MS, CONFIG_READ_NOTE_MS, isConfigDue } from './guests';
import { configState, isOtherGuest, type PresentInterface, planInterfaces } from './interfaces';

const now = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const few = <T>(item: fc.Arbitrary<T>, key: (value: T) => unknown) =>
  fc.uniqueArray(item, { selector: key, maxLength: 12 });

const nic = (name: string, changes: Partial<GuestNic> = {}): GuestNic => ({
  name,
  guest_name: null,
  model: 'virtio',
  mac: 'BC:24:11:00:00:01',
  bridge: 'vmbr0',
  vlan_tag: null,
  trunks: null,
  firewall: false,
  link_down: false,
  mtu: null,
  rate_mbytes: null,
  ip_config: null,
  pending: false,
  raw: 'virtio=…',
  ...changes,
});
const config = (changes: Partial<GuestConfig> = {}): GuestConfig => ({
  node: 'a',
  digest: 'd1',
  name: 'x',
  creation_fingerprint: 'uuid:1',
  nics: [],
  unreadable: [],
  ...changes,
});

describe('the plan for interfaces', () => {
  const networks = new Map([['vmbr0', 'n0']]);
  const anyNic = fc.record({
    name: fc.constantFrom('net0', 'net1', 'net2'),
    bridge: fc.option(fc.constantFrom('vmbr0', 'gone')),
    firewall: fc.boolean(),
    ip_config: fc.option(fc.record({ ip: fc.constantFrom('dhcp', '10.0.0.1/24') })),
  });
  const nics = few(anyNic, (x) => x.name).map((items) => items.map((changes) => nic(changes.name, changes)));

  it('converges in one step, and leaves alone what cannot be understood', () => {
    fc.assert(
      fc.property(nics, nics, fc.subarray(['net0', 'net1', 'net2']), (before, after, unreadable) => {
        const stored = planInterfaces(config({ nics: before }), [], networks).create.map(
          (row): PresentInterface => ({ ...row, id: row.name, workload_id: 'w' }),
        );
        const next = config({
          nics: after.filter((item) => !unreadable.includes(item.name)),
          unreadable: unreadable.map((name) => ({ name, reason: 'x' })),
        });
        const plan = planInterfaces(next, stored, networks);
        const touched = [...plan.create, ...plan.change, ...plan.remove].map((row) => row.name);
        expect(touched.filter((name) => unreadable.includes(name))).toEqual([]);
        const removed = new Set(plan.remove.map((row) => row.id));
        const changed = new Map(plan.change.map((row) => [row.id, row]));
        const present = [
          ...stored.filter((row) => !removed.has(row.id)).map((row) => changed.get(row.id) ?? row),
          ...plan.create.map((row): PresentInterface => ({ ...row, id: row.name, workload_id: 'w' })),
        ];
        expect(planInterfaces(next, present, networks)).toEqual({
          create: [],
          change: [],
          remove: [],
          kept: present.length,
        });
      }),
    );
  });

  it('puts each card on the network of its bridge', () => {
    const [known, unknown, none] = planInterfaces(
      config({ nics: [nic('net0'), nic('net1', { bridge: 'gone' }), nic('net2', { bridge: null })] }),
      [],
      networks,
    ).create;
    expect([known?.network_id, unknown?.network_id, none?.network_id]).toEqual(['n0', null, null]);
    expect(known?.mac).toBe('bc:24:11:00:00:01');
  });
});

describe('another guest under the same number', () => {
  const workload = (kind: 'qemu' | 'lxc', creation_fingerprint: string | null) => ({ kind, creation_fingerprint });

  it('has another fingerprint; missing data is no evidence', () => {
    expect(isOtherGuest(workload('qemu', 'uuid:1'), config(), [])).toBe(false);
    expect(isOtherGuest(workload('qemu', 'uuid:2'), config(), [{ mac: 'bc:24:11:00:00:01' }])).toBe(true);
    expect(isOtherGuest(workload('qemu', null), config(), [])).toBe(false);
    expect(isOtherGuest(workload('qemu', 'uuid:2'), config({ creation_fingerprint: null }), [])).toBe(false);
  });

  it('needs other cards as well if the fingerprints are of different kinds, which prove nothing', () => {
    const [same, other] = ['bc:24:11:00:00:01', 'bc:24:11:00:00:02'];
    const kinds = ['uuid:1', 'ctime:1', 'vmgenid:1'];
    for (const known of kinds) {
      for (const creation_fingerprint of kinds.filter((kind) => kind !== known)) {
        const next = (nics: GuestNic[]) => config({ creation_fingerprint, nics });
        const verdict = (nics: GuestNic[], macs: (string | null)[]) =>
          isOtherGuest(
            workload('qemu', known),
            next(nics),
            macs.map((mac) => ({ mac })),
          );
        expect(verdict([nic('net0')], [same, other])).toBe(false);
        expect(verdict([nic('net0')], [other])).toBe(true);
        expect(verdict([nic('net0')], [])).toBe(false);
        expect(verdict([], [other])).toBe(false);
        expect(verdict([nic('net0', { mac: null })], [null])).toBe(false);
      }
    }
  });

  it('excludes a container that changed one of its interfaces', () => {
    const next = config({
      creation_fingerprint: 'mac:B',
      nics: [nic('net0', { mac: 'BB:00:00:00:00:00' }), nic('net1', { mac: 'CC:00:00:00:00:00' })],
    });
    expect(isOtherGuest(workload('lxc', 'mac:A'), next, [{ mac: 'cc:00:00:00:00:00' }])).toBe(false);
    expect(isOtherGuest(workload('lxc', 'mac:A'), next, [{ mac: 'aa:00:00:00:00:00' }])).toBe(true);
    expect(isOtherGuest(workload('lxc', 'mac:A'), next, [{ mac: null }])).toBe(true);
  });
});

describe('what is remembered of a config', () => {
  const known = (changes = {}) => ({
    creation_fingerprint: 'uuid:1',
    config_digest: 'd1',
    config_read_at: now.toISOString(),
    ...changes,
  });

  it('changes when the config does, and its read time at most once an hour', () => {
    expect(configState(known(), config(), later(CONFIG_READ_NOTE_MS - 1))).toBeNull();
    expect(configState(known(), config(), later(CONFIG_READ_NOTE_MS))).toMatchObject({ config_digest: 'd1' });
    expect(configState(known(), config({ digest: 'd2' }), now)).toMatchObject({ config_digest: 'd2' });
    expect(configState(known({ config_digest: null }), config(), now)).toMatchObject({ config_digest: 'd1' });
    expect(configState(known(), config({ creation_fingerprint: null, digest: 'd2' }), now)?.creation_fingerprint).toBe(
      'uuid:1',
    );
  });

  it('expires by request, by suspicion and by age', () => {
    expect(isConfigDue(known(), false, later(CONFIG_MAX_AGE_MS - 1))).toBe(false);
    expect(isConfigDue(known(), false, later(CONFIG_MAX_AGE_MS))).toBe(true);
    expect(isConfigDue(known(), true, now)).toBe(true);
    expect(isConfigDue(known({ config_digest: null }), false, now)).toBe(true);
    expect(isConfigDue(known({ config_read_at: null }), false, now)).toBe(true);
  });
});
