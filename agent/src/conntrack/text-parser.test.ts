import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseConntrackLine } from './text-parser';

it('reads lines of the tool and of the file', () => {
  expect(
    parseConntrackLine(
      'ipv4     2 tcp      6 431999 ESTABLISHED src=10.0.0.5 dst=8.8.8.8 sport=1234 dport=443 packets=10 bytes=1000 src=8.8.8.8 dst=203.0.113.1 sport=443 dport=1234 packets=8 bytes=9000 [ASSURED] mark=0 zone=3 use=1',
    ),
  ).toEqual({
    protocol: 6,
    original: { source: '10.0.0.5', destination: '8.8.8.8', sourcePort: 1234, destinationPort: 443 },
    reply: { source: '8.8.8.8', destination: '203.0.113.1', sourcePort: 443, destinationPort: 1234 },
    icmp: null,
    zone: 3,
    state: 'ESTABLISHED',
    originalCounter: { packets: 10, bytes: 1000 },
    replyCounter: { packets: 8, bytes: 9000 },
  });
  expect(
    parseConntrackLine(
      'ipv4 2 icmp 1 29 src=10.0.0.5 dst=10.0.0.6 type=8 code=0 id=77 [UNREPLIED] src=10.0.0.6 dst=10.0.0.5 type=0 code=0 id=77 mark=0 use=1',
    ),
  ).toMatchObject({
    icmp: { type: 8, code: 0 },
    state: 'UNREPLIED',
    originalCounter: null,
    original: { sourcePort: null },
  });
});

it('reads IPv6, in the long notation of the file as well', () => {
  expect(
    parseConntrackLine(
      'ipv6     10 tcp      6 431999 ESTABLISHED src=2001:0db8:0000:0000:0000:0000:0000:0005 dst=2001:0db8:0000:0000:0000:0000:0000:0006 sport=1234 dport=443 packets=10 bytes=1000 src=2001:0db8:0000:0000:0000:0000:0000:0006 dst=2001:0db8:0000:0000:0000:0000:0000:0005 sport=443 dport=1234 packets=8 bytes=9000 [ASSURED] mark=0 use=2',
    ),
  ).toMatchObject({
    original: { source: '2001:db8::5', destination: '2001:db8::6', sourcePort: 1234, destinationPort: 443 },
    reply: { source: '2001:db8::6', destination: '2001:db8::5' },
    originalCounter: { packets: 10, bytes: 1000 },
  });
  expect(
    parseConntrackLine(
      'ipv6 10 icmpv6 58 29 src=fd00::5 dst=fd00::6 type=128 code=0 id=77 [UNREPLIED] src=fd00::6 dst=fd00::5 type=129 code=0 id=77 mark=0 use=1',
    ),
  ).toMatchObject({ protocol: 58, icmp: { type: 128, code: 0 }, original: { source: 'fd00::5', sourcePort: null } });
});

it('passes over anything else without throwing', () => {
  for (const line of [
    '',
    'conntrack v1.4.7: 3 flow entries have been shown.',
    'ipv4 2 tcp 6',
    'ipv4 2 tcp x 1 src=1.1.1.1 dst=2.2.2.2',
  ]) {
    expect(parseConntrackLine(line)).toBeNull();
  }
  const word = fc.oneof(
    fc.constantFrom('ipv4', 'tcp', '6', 'src=10.0.0.1', 'dst=10.0.0.2', 'sport=99999', 'packets=-1'),
    fc.string(),
  );
  fc.assert(fc.property(fc.array(word), (words) => parseConntrackLine(words.join(' ')) !== undefined));
});
