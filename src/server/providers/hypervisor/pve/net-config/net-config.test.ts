import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasCloudInitDrive, parseIpConfig } from '../inventory/read-guest-config';
import vectors from './nic.vectors.json';
import { setNicFirewall } from './nic-edit';
import { NIC_MODELS } from './nic-grammar';
import { formatNicTokens, parseNicTokens } from './nic-tokens';
import { toGuestNic, viewNic } from './nic-view';

const mac = fc
  .tuple(fc.constantFrom('BC', '02', 'a6'), fc.uint8Array({ minLength: 5, maxLength: 5 }))
  .map(([first, rest]) => [first, ...[...rest].map((b) => b.toString(16).padStart(2, '0'))].join(':'));
const flag = fc.constantFrom('0', '1', 'on', 'off', 'yes', 'No', 'true', 'FALSE');
const optional = <T>(key: string, value: fc.Arbitrary<T>) => fc.option(value.map((v) => `${key}=${v}`));
const shared = [
  optional('firewall', flag),
  optional('link_down', flag),
  optional('mtu', fc.integer({ min: 64, max: 65520 })),
  optional('rate', fc.constantFrom('1', '12.5', '0.1')),
  optional('tag', fc.integer({ min: 1, max: 4094 })),
  optional('trunks', fc.constantFrom('3', '3;4;5')),
  // A key of a later version.
  optional('x-later', fc.constantFrom('', 'a=b', '1')),
  fc.constantFrom('', null),
];
const shuffled = (parts: fc.Arbitrary<(string | null)[]>) =>
  parts
    .map((list) => list.filter((part): part is string => part !== null))
    .chain((list) => fc.shuffledSubarray(list, { minLength: list.length }))
    .map((list) => list.join(','));
const qemuNic = shuffled(
  fc
    .tuple(fc.constantFrom(...NIC_MODELS), mac, fc.boolean(), fc.tuple(...shared), optional('queues', fc.nat(64)))
    .map(([model, address, long, rest, queues]) => [
      ...(long ? [`model=${model}`, `macaddr=${address}`] : [`${model}=${address}`]),
      'bridge=vmbr0',
      ...rest,
      queues,
    ]),
);
const lxcNic = shuffled(
  fc
    .tuple(mac, fc.tuple(...shared), optional('ip', fc.constantFrom('dhcp', '10.0.0.5/24')))
    .map(([address, rest, ip]) => ['name=eth0', `hwaddr=${address}`, 'bridge=vmbr0', 'type=veth', ip, ...rest]),
);
const anyNic = fc.oneof(
  qemuNic.map((text) => ({ kind: 'qemu' as const, text })),
  lxcNic.map((text) => ({ kind: 'lxc' as const, text })),
);

describe('a stored interface', () => {
  it('prints as it was read, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '=', ',', ' ', ';', 'é') }), (text) => {
        expect(formatNicTokens(parseNicTokens(text))).toBe(text);
      }),
    );
  });

  it('parses in every order, with keys of later versions', () => {
    fc.assert(
      fc.property(anyNic, ({ kind, text }) => {
        expect(viewNic(kind, text)).toMatchObject({ ok: true, view: { fields: { bridge: 'vmbr0' } } });
      }),
    );
  });

  it.each(vectors.stored)('means the same as sent and as stored: $sent', ({ sent, stored }) => {
    const view = viewNic('qemu', sent);
    expect(view.ok).toBe(true);
    if (!stored) expect(view.ok && view.view.fields.mac).toBeNull();
    else expect(view.ok && view.view.fields).toEqual(toFields(stored));
  });

  it.each(vectors.refused)('fails to parse when the hypervisor rejects it: %s', (text) => {
    expect(viewNic('qemu', text)).toEqual({ ok: false, reason: expect.any(String) });
  });

  it.each(vectors.refused_but_readable)('parses when only a key is unknown: %s', (text) => {
    expect(viewNic('qemu', text).ok).toBe(true);
  });

  it.each(vectors.containers)('parses for a container: %s', (text) => expect(viewNic('lxc', text).ok).toBe(true));

  it('gives every field its value', () => {
    expect(
      toGuestNic(
        'net3',
        'lxc',
        'name=eth0,bridge=lan,hwaddr=bc:24:11:8e:29:f6,ip=10.0.0.21/24,gw=10.0.0.1,ip6=auto,tag=7,firewall=1,rate=12.5,mtu=1400,trunks=3;4,link_down=1,type=veth',
        true,
      ),
    ).toEqual({
      name: 'net3',
      guest_name: 'eth0',
      model: 'veth',
      mac: 'BC:24:11:8E:29:F6',
      bridge: 'lan',
      vlan_tag: 7,
      trunks: '3;4',
      firewall: true,
      link_down: true,
      mtu: 1400,
      rate_mbytes: '12.5',
      ip_config: { ip: '10.0.0.21/24', gw: '10.0.0.1', ip6: 'auto' },
      pending: true,
      raw: 'name=eth0,bridge=lan,hwaddr=bc:24:11:8e:29:f6,ip=10.0.0.21/24,gw=10.0.0.1,ip6=auto,tag=7,firewall=1,rate=12.5,mtu=1400,trunks=3;4,link_down=1,type=veth',
    });
  });

  it('names what is wrong', () => {
    expect(viewNic('qemu', 'virtio=BC:24:11:00:00:01,tag=1,tag=2')).toEqual({
      ok: false,
      reason: 'tag is specified twice',
    });
    expect(viewNic('qemu', 'macaddr=BC:24:11:00:00:01')).toEqual({ ok: false, reason: 'no known NIC model' });
    expect(viewNic('lxc', 'bridge=vmbr0')).toEqual({ ok: false, reason: 'no interface name' });
    expect(viewNic('qemu', `virtio,${'x'.repeat(3000)}`)).toMatchObject({ ok: false });
    expect(viewNic('qemu', 'virtio,__proto__=1').ok).toBe(true);
  });
});

const toFields = (text: string) => {
  const result = viewNic('qemu', text);
  if (!result.ok) throw new Error(result.reason);
  return result.view.fields;
};

describe('the firewall flag of an interface', () => {
  it('changes and nothing else does, byte for byte', () => {
    fc.assert(
      fc.property(anyNic, fc.boolean(), ({ kind, text }, enabled) => {
        const edit = setNicFirewall(kind, text, enabled);
        expect(edit.ok).toBe(true);
        if (!edit.ok) return;
        const others = (t: string) =>
          parseNicTokens(t)
            .filter(({ key }) => key !== 'firewall')
            .map((token) => token.text);
        expect(others(edit.text)).toEqual(others(text));
        const view = viewNic(kind, edit.text);
        expect(view.ok && view.view.fields.firewall).toBe(enabled);
        expect(setNicFirewall(kind, edit.text, enabled)).toEqual({ ok: true, text: edit.text, changed: false });
      }),
    );
  });

  it.each([
    ['virtio=BC:24:11:00:00:01', 'no bridge'],
    ['virtio,bridge=vmbr0', 'MAC'],
    ['virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=2', 'boolean'],
  ])('stays unchanged on %s', (text, reason) => {
    expect(setNicFirewall('qemu', text, true)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });
});

describe('cloud-init', () => {
  it.each([
    'local-lvm:vm-100-cloudinit,media=cdrom',
    'local:100/vm-100-cloudinit.qcow2,media=cdrom',
    'file=ceph:cloudinit',
  ])('counts as attached with %s', (drive) => expect(hasCloudInitDrive({ ide2: drive })).toBe(true));

  it('does not count when only its name appears somewhere', () => {
    expect(
      hasCloudInitDrive({ scsi0: 'local:100/cloudinit-data.raw,size=1G', description: 'a:cloudinit', ide2: 5 }),
    ).toBe(false);
  });

  it('tells the addresses it was asked to configure', () => {
    expect(parseIpConfig('ip=10.0.0.5/24,gw=10.0.0.1,ip6=auto')).toEqual({
      ip: '10.0.0.5/24',
      gw: '10.0.0.1',
      ip6: 'auto',
    });
    expect(parseIpConfig('')).toBeNull();
    expect(parseIpConfig(7)).toBeNull();
  });
});
