import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { decodeSflow } from './decode-sflow';
import { ip4, ip6, u8, u16, u32 } from './encode-export.fixture';
import type { Observation } from './observation';

/*
 * Samples as agents send them, from the text of sFlow 5 (sflow.org) and of the RFCs of the packets.
 */
const pad = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
const part = (kind: number, content: Buffer) => Buffer.concat([u32(kind), u32(content.length), pad(content)]);

const rawHeader = (header: Buffer, frame = header.length + 4, protocol = 1) =>
  part(1, Buffer.concat([u32(protocol), u32(frame), u32(4), u32(header.length), header]));
const flowSample = (rate: number, ...parts: Buffer[]) =>
  part(1, Buffer.concat([u32(1), u32(3), u32(rate), u32(100), u32(0), u32(1), u32(2), u32(parts.length), ...parts]));
const expandedSample = (rate: number, ...parts: Buffer[]) =>
  part(
    3,
    Buffer.concat([
      ...[u32(1), u32(0), u32(3), u32(rate), u32(100), u32(0), u32(0), u32(1), u32(0), u32(2), u32(parts.length)],
      ...parts,
    ]),
  );
const datagram = (...samples: Buffer[]) =>
  Buffer.concat([u32(5), u32(1), ip4('192.0.2.9'), u32(7), u32(42), u32(1000), u32(samples.length), ...samples]);

const ethernet = (type: number, content: Buffer, tags: Buffer = Buffer.alloc(0)) =>
  Buffer.concat([Buffer.alloc(12, 2), tags, u16(type), content]);
const tag = (vlan: number, type = 0x8100) => Buffer.concat([u16(type), u16(0x6000 | vlan)]);

type V4 = { protocol: number; content: Buffer; total?: number; fragment?: number; options?: number };
const ipv4 = ({ protocol, content, total, fragment = 0, options = 0 }: V4) =>
  Buffer.concat([
    ...[u8(0x45 + options), u8(0), u16(total ?? 20 + options * 4 + content.length), u16(1), u16(fragment)],
    ...[u8(64), u8(protocol), u16(0), ip4('10.0.0.1'), ip4('10.0.0.2'), Buffer.alloc(options * 4), content],
  ]);
const ipv6 = (next: number, content: Buffer) =>
  Buffer.concat([
    ...[u32(0x60000000), u16(content.length), u8(next), u8(64)],
    ...[ip6('2001:db8:0:0:0:0:0:1'), ip6('2001:db8:0:0:0:0:0:2'), content],
  ]);
const ports = (from: number, to: number) => Buffer.concat([u16(from), u16(to), Buffer.alloc(16)]);

const NOTHING = { vlan: null, first_ms: null, last_ms: null, initiator: null, packets: 1 };
const TCP: Observation = {
  ...{ source_ip: '10.0.0.1', destination_ip: '10.0.0.2', protocol: 6, source_port: 40_000, destination_port: 443 },
  ...{ icmp_type: null, icmp_code: null, bytes: 40, sampling: 64, ...NOTHING },
};
const V6 = { ...TCP, source_ip: '2001:db8::1', destination_ip: '2001:db8::2' };
const observe = (...samples: Buffer[]) => decodeSflow(datagram(...samples))?.observations;
const observePacket = (frame: Buffer) => observe(flowSample(64, rawHeader(frame)));
const tcp = ipv4({ protocol: 6, content: ports(40_000, 443) });

describe('decodeSflow', () => {
  it('returns a packet of a plain and of an expanded sample, with its rate and its sequence', () => {
    const frame = ethernet(0x0800, tcp);
    const bytes = datagram(flowSample(64, rawHeader(frame)), expandedSample(512, rawHeader(frame)));
    expect(decodeSflow(bytes)).toEqual({
      ...{ protocol: 'sflow', stream: 'sflow 192.0.2.9 7', sequence: 42, advance: 1 },
      ...{ unknown_templates: 0, skipped: 0, is_malformed: false },
      observations: [TCP, { ...TCP, sampling: 512 }],
    });
  });

  it.each([
    ['a tag', tag(30), 30],
    ['two tags: the outer one', Buffer.concat([tag(40, 0x88a8), tag(30)]), 40],
    ['a tag of priority only', tag(0), null],
  ])('reads a frame with %s', (_, tags, vlan) => {
    expect(observePacket(ethernet(0x0800, tcp, tags))).toEqual([{ ...TCP, vlan }]);
  });

  it('takes the VLAN that the switch names when the frame has none', () => {
    const inSwitch = part(1001, Buffer.concat([u32(50), u32(0), u32(50), u32(0)]));
    const header = rawHeader(ethernet(0x0800, tcp));
    expect(observe(flowSample(64, inSwitch, header))).toEqual([{ ...TCP, vlan: 50 }]);
    const tagged = rawHeader(ethernet(0x0800, tcp, tag(30)));
    expect(observe(flowSample(64, tagged, inSwitch))).toEqual([{ ...TCP, vlan: 30 }]);
  });

  it.each<[string, Buffer, Partial<Observation>]>([
    [
      'ICMP',
      ipv4({ protocol: 1, content: Buffer.from([8, 0, 0, 0]) }),
      { protocol: 1, icmp_type: 8, icmp_code: 0, bytes: 24 },
    ],
    [
      'options',
      ipv4({ protocol: 6, content: ports(40_000, 443), options: 3 }),
      { source_port: 40_000, destination_port: 443, bytes: 52 },
    ],
    [
      'a first fragment',
      ipv4({ protocol: 17, content: ports(53, 54), fragment: 0x2000 }),
      { protocol: 17, source_port: 53, destination_port: 54 },
    ],
    ['a later fragment', ipv4({ protocol: 17, content: ports(53, 54), fragment: 185 }), { protocol: 17 }],
    ['a protocol without ports', ipv4({ protocol: 47, content: ports(1, 2) }), { protocol: 47 }],
    [
      'a head that is cut off before the ports',
      ipv4({ protocol: 6, content: Buffer.alloc(0), total: 1500 }),
      { bytes: 1500 },
    ],
    [
      'a packet that a network card splits later',
      ipv4({ protocol: 6, content: ports(40_000, 443), total: 0 }),
      { source_port: 40_000, destination_port: 443 },
    ],
  ])('reads an IPv4 packet: %s', (_, packet, expected) => {
    const bare = { ...TCP, source_port: null, destination_port: null };
    expect(observePacket(ethernet(0x0800, packet))).toEqual([{ ...bare, ...expected }]);
  });

  const extension = (next: number, length = 0) => Buffer.concat([u8(next), u8(length), Buffer.alloc(6 + length * 8)]);
  it.each<[string, Buffer, Partial<Observation>]>([
    ['no extension', ipv6(6, ports(40_000, 443)), { bytes: 60 }],
    [
      'hop-by-hop and destination options',
      ipv6(0, Buffer.concat([extension(60, 1), extension(6), ports(40_000, 443)])),
      { bytes: 84 },
    ],
    [
      'an authentication header',
      ipv6(51, Buffer.concat([u8(6), u8(4), Buffer.alloc(22), ports(40_000, 443)])),
      { bytes: 84 },
    ],
    ['a first fragment', ipv6(44, Buffer.concat([u8(6), u8(0), u16(1), u32(9), ports(40_000, 443)])), { bytes: 68 }],
    [
      'a later fragment',
      ipv6(44, Buffer.concat([u8(6), u8(0), u16(8), u32(9), ports(40_000, 443)])),
      { bytes: 68, source_port: null, destination_port: null },
    ],
    [
      'ICMPv6',
      ipv6(58, Buffer.from([128, 0, 0, 0])),
      { bytes: 44, protocol: 58, icmp_type: 128, icmp_code: 0, source_port: null, destination_port: null },
    ],
  ])('reads an IPv6 packet: %s', (_, packet, expected) => {
    expect(observePacket(ethernet(0x86dd, packet))).toEqual([{ ...V6, ...expected }]);
  });

  it('reads packets without a frame, and those of which the agent has read the header', () => {
    expect(observe(flowSample(64, rawHeader(tcp, tcp.length, 11)))).toEqual([TCP]);
    expect(observe(flowSample(64, rawHeader(ipv6(6, ports(40_000, 443)), 60, 12)))).toEqual([{ ...V6, bytes: 60 }]);
    const tail = [u32(40_000), u32(443), u32(2), u32(0)];
    const v4 = part(3, Buffer.concat([u32(40), u32(6), ip4('10.0.0.1'), ip4('10.0.0.2'), ...tail]));
    const v6 = part(
      4,
      Buffer.concat([u32(60), u32(6), ip6('2001:db8:0:0:0:0:0:1'), ip6('2001:db8:0:0:0:0:0:2'), ...tail]),
    );
    expect(observe(flowSample(64, v4), flowSample(64, v6))).toEqual([TCP, { ...V6, bytes: 60 }]);
  });

  it('leaves out counters, parts of vendors and packets of other protocols, and reads on after them', () => {
    const counters = part(2, Buffer.concat([u32(1), u32(3), u32(0)]));
    const vendor = part((4413 << 12) | 1, Buffer.alloc(12));
    const arp = flowSample(64, rawHeader(ethernet(0x0806, Buffer.alloc(28))));
    const found = decodeSflow(
      datagram(counters, vendor, arp, flowSample(64, vendor, rawHeader(ethernet(0x0800, tcp)))),
    );
    expect(found).toMatchObject({ observations: [TCP], skipped: 1, is_malformed: false });
  });

  it('does not know the share of samples without a rate', () => {
    expect(observe(flowSample(0, rawHeader(ethernet(0x0800, tcp))))).toEqual([{ ...TCP, sampling: null }]);
  });

  it('returns null for everything else', () => {
    const other = datagram(flowSample(64, rawHeader(ethernet(0x0800, tcp))));
    other.writeUInt32BE(4, 0);
    expect(decodeSflow(other)).toBeNull();
    expect(decodeSflow(Buffer.alloc(0))).toBeNull();
    expect(decodeSflow(datagram().subarray(0, 20))).toBeNull();
  });

  const anySample = fc.oneof(
    fc
      .constantFrom(tcp, ipv4({ protocol: 17, content: ports(1, 2), options: 10 }))
      .map((packet) => flowSample(8, rawHeader(ethernet(0x0800, packet, tag(9))))),
    fc
      .constantFrom(ipv6(0, Buffer.concat([extension(44), u8(17), u8(0), u16(0), u32(1), ports(5, 6)])))
      .map((packet) => expandedSample(9, rawHeader(ethernet(0x86dd, packet)))),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => part(2, Buffer.from(bytes))),
  );

  it('returns of a datagram that is cut off the samples before, and never more', () => {
    fc.assert(
      fc.property(
        fc.array(anySample, { maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (samples, share) => {
          const whole = datagram(...samples);
          const complete = decodeSflow(whole);
          const cut = decodeSflow(whole.subarray(0, Math.floor(whole.length * share)));
          expect(complete?.is_malformed).toBe(false);
          const found = cut?.observations ?? [];
          // The last packet may be there without its ports.
          expect(found.slice(0, -1)).toEqual(complete?.observations.slice(0, Math.max(0, found.length - 1)));
        },
      ),
      { numRuns: getRunCount(100, 1_000) },
    );
  });

  it('takes whatever arrives: changed bytes neither throw nor make more of it than there is', () => {
    const change = fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(fc.array(anySample, { maxLength: 6 }), fc.array(change, { maxLength: 12 }), (samples, changes) => {
        const bytes = datagram(...samples);
        for (const { at, value } of changes) bytes[at % bytes.length] = value;
        const found = decodeSflow(bytes);
        for (const { bytes: size, protocol, source_port, vlan } of found?.observations ?? []) {
          expect(size).toBeGreaterThanOrEqual(0);
          expect(protocol).toBeLessThan(256);
          expect(source_port ?? 0).toBeLessThan(65_536);
          expect(vlan ?? 1).toBeGreaterThan(0);
        }
        expect(found?.observations.length ?? 0).toBeLessThanOrEqual(bytes.length / 40);
      }),
      { numRuns: getRunCount(200, 3_000) },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        decodeSflow(bytes);
        decodeSflow(Buffer.concat([u32(5), u32(1), bytes]));
      }),
      { numRuns: getRunCount(200, 3_000) },
    );
  });
});
