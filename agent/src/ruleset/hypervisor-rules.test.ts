import { describe, expect, it } from 'vitest';
import { hashHypervisorRules, listAttachedInterfaces } from './hypervisor-rules';
import type { Section } from './sections';

const SAVE = (interfaces: readonly string[]) =>
  [
    '*filter',
    ':FORWARD ACCEPT',
    ':PVEFW-FORWARD -',
    ':PVEFW-FWBR-IN -',
    ':PVEFW-FWBR-OUT -',
    ...interfaces.flatMap((name) => [`:${name}-IN -`, `:${name}-OUT -`]),
    '-A FORWARD -j PVEFW-FORWARD',
    '-A PVEFW-FORWARD -m physdev --physdev-is-bridged --physdev-in fwln+ -j PVEFW-FWBR-IN',
    '-A PVEFW-FORWARD -m physdev --physdev-is-bridged --physdev-out fwln+ -j PVEFW-FWBR-OUT',
    ...interfaces.flatMap((name) => [
      `-A PVEFW-FWBR-IN -m physdev --physdev-is-bridged --physdev-out ${name} -j ${name}-IN`,
      `-A PVEFW-FWBR-OUT -m physdev --physdev-is-bridged --physdev-in ${name} -j ${name}-OUT`,
      `-A ${name}-IN -j DROP`,
    ]),
    'COMMIT',
  ].join('\n');
const both = (ipv4: string, ipv6 = ipv4): Section[] => [
  { name: 'iptables filter', text: ipv4 },
  { name: 'ip6tables filter', text: ipv6 },
];
const map = (name: string, interfaces: readonly string[]) =>
  JSON.stringify({
    map: {
      elem: interfaces.map((one) => [one, { goto: { target: 'guest-100-in' } }]),
      family: 'bridge',
      name,
      table: 'proxmox-firewall-guests',
    },
  });
const attached = (sections: readonly Section[]) => [...(listAttachedInterfaces(sections) ?? ['unknown'])].sort();

describe('listAttachedInterfaces', () => {
  const whole = SAVE(['tap100i0', 'veth101i0']);

  it('finds interfaces whose chains of both directions and families get packets', () => {
    expect(attached(both(whole))).toEqual(['tap100i0', 'veth101i0']);
    expect(
      attached([
        { name: 'iptables-nft-save', text: whole },
        { name: 'ip6tables-nft-save', text: whole },
      ]),
    ).toEqual(['tap100i0', 'veth101i0']);
    expect(attached(both(whole, SAVE(['tap100i0'])))).toEqual(['tap100i0']);
  });

  it.each([
    ['FORWARD does not lead to the chains', '-A FORWARD -j PVEFW-FORWARD\n'],
    [
      'inbound packets are not sent on',
      '-A PVEFW-FORWARD -m physdev --physdev-is-bridged --physdev-in fwln+ -j PVEFW-FWBR-IN\n',
    ],
    [
      'outbound packets are not sent on',
      '-A PVEFW-FORWARD -m physdev --physdev-is-bridged --physdev-out fwln+ -j PVEFW-FWBR-OUT\n',
    ],
  ])('finds none where %s', (_case, line) => {
    expect(whole).toContain(line);
    expect(attached(both(whole.replace(line, '')))).toEqual([]);
  });

  it('leaves out an interface that only one direction is sent to', () => {
    const line = '-A PVEFW-FWBR-OUT -m physdev --physdev-is-bridged --physdev-in tap100i0 -j tap100i0-OUT\n';
    expect(attached(both(whole.replace(line, '')))).toEqual(['veth101i0']);
  });

  it('finds interfaces in both maps of proxmox-firewall', () => {
    const text = [map('vm-map-in', ['tap100i0', 'tap102i0']), map('vm-map-out', ['tap100i0'])].join('\n');
    expect(attached([{ name: 'nft', text }])).toEqual(['tap100i0']);
  });

  it('does not know it where a text could not be read', () => {
    expect(listAttachedInterfaces([...both(whole), { name: 'nft', text: null }])).toBeNull();
    expect(attached([...both(whole), { name: 'ebtables', text: null }])).toEqual(['tap100i0', 'veth101i0']);
  });
});

describe('hashHypervisorRules', () => {
  const base: Section[] = [
    ...both(`${SAVE(['tap100i0'])}\n:f2b-ssh -\n-A f2b-ssh -s 192.0.2.1/32 -j REJECT`),
    { name: 'ipset', text: 'add PVEFW-0-a-v4 192.0.2.0/24\nadd office 10.0.0.0/8\ncreate PVEFW-0-a-v4 hash:net' },
    { name: 'nft', text: `${map('vm-map-in', ['tap100i0'])}\n{"rule":{"chain":"x","family":"ip","table":"filter"}}` },
  ];
  const edit = (from: string, to: string) =>
    hashHypervisorRules(base.map(({ name, text }) => ({ name, text: text?.replace(from, to) ?? null })));

  it('does not change with rules and sets of other programs', () => {
    const before = hashHypervisorRules(base);
    expect(edit('192.0.2.1/32', '192.0.2.9/32')).toBe(before);
    expect(edit('add office 10.0.0.0/8', 'add office 172.16.0.0/12')).toBe(before);
    expect(edit('"chain":"x"', '"chain":"y"')).toBe(before);
  });

  it.each([
    ['-A tap100i0-IN -j DROP', '-A tap100i0-IN -j ACCEPT'],
    ['-A FORWARD -j PVEFW-FORWARD\n', ''],
    ['add PVEFW-0-a-v4 192.0.2.0/24', 'add PVEFW-0-a-v4 198.51.100.0/24'],
    ['"tap100i0"', '"tap100i1"'],
  ])('changes where %s becomes %j', (from, to) => {
    expect(edit(from, to)).not.toBe(hashHypervisorRules(base));
  });
});
