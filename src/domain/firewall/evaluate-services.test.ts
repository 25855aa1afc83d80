import { describe, expect, it } from 'vitest';
import { buildState, ip, NFTABLES_NODE, verdict } from './guest-state.fixture';
import type { LiveNode, LiveRule } from './live-state';
import type { Packet } from './packet';
import { PLAIN_NODE } from './random-state.fixture';

describe('the macro Ping with a protocol or type of its own', () => {
  const icmp = (family: 4 | 6, icmp_type: number): Partial<Packet> => ({
    source: ip(family === 4 ? '192.0.2.1' : '2001:db8::1'),
    destination: ip(family === 4 ? '10.0.0.9' : 'fd00::9'),
    protocol: family === 4 ? 1 : 58,
    icmp_type,
    icmp_code: 0,
  });
  const ping = (fields: Partial<LiveRule>, sent: Partial<Packet>, node: LiveNode = PLAIN_NODE) =>
    verdict(buildState([{ macro: 'Ping', ...fields }], { node }), sent).verdict;

  it('matches packets of the family of its protocol only', () => {
    expect(ping({ proto: 'icmp' }, icmp(4, 8))).toBe('accept');
    expect(ping({ proto: 'icmp' }, icmp(6, 128))).toBe('drop');
    expect(ping({ proto: 'icmpv6' }, icmp(6, 128))).toBe('accept');
    expect(ping({ proto: 'icmpv6' }, icmp(4, 8))).toBe('drop');
  });

  it('has both types as conditions with iptables, and with nftables the type of the rule', () => {
    for (const sent of [icmp(4, 8), icmp(4, 13)]) {
      expect(ping({ proto: 'icmp', 'icmp-type': 'timestamp-request' }, sent)).toBe('drop');
      const type = sent.icmp_type === 8 ? 'echo-request' : 'timestamp-request';
      expect(ping({ proto: 'icmp', 'icmp-type': type }, sent, NFTABLES_NODE)).toBe('accept');
    }
    expect(ping({ proto: 'icmp', 'icmp-type': 'echo-request' }, icmp(4, 8))).toBe('accept');
  });

  it('matches all ICMP of the protocol with nftables, whose part of the other family adds nothing', () => {
    expect(ping({ proto: 'icmp' }, icmp(4, 13), NFTABLES_NODE)).toBe('accept');
    expect(ping({ proto: 'icmp' }, icmp(6, 128), NFTABLES_NODE)).toBe('drop');
    expect(ping({}, icmp(4, 13), NFTABLES_NODE)).toBe('drop');
    expect(ping({}, icmp(6, 128), NFTABLES_NODE)).toBe('accept');
  });
});

it.each([
  ['10.0.0.2', 17, 'reject'],
  ['224.0.0.5', 17, 'drop'],
  ['ff02::5', 17, 'drop'],
  ['ff02::5', 132, 'drop'],
  ['fd00::2', 17, 'reject'],
])('answers an inbound packet only where it goes to one host: %s, protocol %i: %s', (to, protocol, expected) => {
  const sent = { source: ip(to.includes(':') ? 'fd00::7' : '10.0.0.3'), destination: ip(to), protocol };
  expect(verdict(buildState([{ action: 'REJECT' }]), sent).verdict).toBe(expected);
});

it.each([
  ['dicom', 104, 11_112],
  ['echo', 7, 4],
])('takes the port of the service %s that iptables (%i) or nftables (%i) takes', (dport, iptables, nftables) => {
  for (const [node, taken] of [
    [PLAIN_NODE, iptables],
    [NFTABLES_NODE, nftables],
  ] as const) {
    const accepted = [104, 11_112, 7, 4].filter(
      (port) =>
        verdict(buildState([{ proto: 'tcp', dport }], { node }), { destination_port: port }).verdict === 'accept',
    );
    expect(accepted).toEqual([taken]);
  }
});
