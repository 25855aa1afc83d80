import fc from 'fast-check';

/** A generated Ethernet frame and how it was put together. */
export type Frame = {
  tags: { ethertype: number; tci: number }[];
  ethertype: number;
  version: number;
  headerWords: number;
  protocol: number;
  fragment: number;
  source: number[];
  destination: number[];
  transport: number[];
  /** How much the IP header's total length differs from what follows it. */
  lengthError?: number;
  /** Bytes kept of the whole frame; the rest is cut off. */
  keep: number;
};

const octets = (length: number) => fc.array(fc.integer({ min: 0, max: 255 }), { minLength: length, maxLength: length });

/** Mostly well-formed IPv4, with every irregularity the capture distinguishes. */
export const frames: fc.Arbitrary<Frame> = fc.record({
  tags: fc.array(
    fc.record({
      ethertype: fc.constantFrom(0x8100, 0x88a8, 0x9100),
      tci: fc.oneof(fc.constantFrom(0, 0x2000, 0x1001, 0xefff), fc.integer({ min: 0, max: 0xffff })),
    }),
    { maxLength: 3 },
  ),
  ethertype: fc.oneof({ weight: 8, arbitrary: fc.constant(0x0800) }, fc.constantFrom(0x86dd, 0x0806, 0x88cc)),
  version: fc.oneof({ weight: 12, arbitrary: fc.constant(4) }, fc.integer({ min: 0, max: 15 })),
  headerWords: fc.oneof({ weight: 4, arbitrary: fc.constant(5) }, fc.integer({ min: 0, max: 15 })),
  protocol: fc.oneof(fc.constantFrom(6, 17, 1, 132, 33, 136, 47, 58), fc.integer({ min: 0, max: 255 })),
  fragment: fc.constantFrom(0, 0, 0, 0x4000, 0x2000, 0x2001, 0x1000, 0x1fff, 185),
  source: octets(4),
  destination: octets(4),
  transport: octets(24),
  lengthError: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -44, max: 8 })),
  keep: fc.oneof({ weight: 3, arbitrary: fc.constant(2000) }, fc.integer({ min: 15, max: 90 })),
});

/** The frame's bytes on the wire. */
export function encodeFrame(frame: Frame): Uint8Array<ArrayBuffer> {
  const header = 4 * Math.max(5, frame.headerWords);
  const total = Math.max(0, header + frame.transport.length + (frame.lengthError ?? 0));
  const bytes = [
    ...[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2],
    ...frame.tags.flatMap(({ ethertype, tci }) => [...be16(ethertype), ...be16(tci)]),
    ...be16(frame.ethertype),
    ...[(frame.version << 4) | frame.headerWords, 0, ...be16(total), 0, 1, ...be16(frame.fragment)],
    ...[64, frame.protocol, 0, 0, ...frame.source, ...frame.destination],
    ...Array<number>(header - 20).fill(1),
    ...frame.transport,
  ];
  return new Uint8Array(bytes.slice(0, frame.keep));
}

const be16 = (value: number): number[] => [value >> 8, value & 255];
const ethernet = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];

/** An extension header of IPv6 with a length that may be wrong; the number of the next header is put in by `encodeIpv6`. */
export type Extension = { number: number; units: number; offset: number; bytes: number };
export type Ipv6Frame = {
  vlan?: number;
  version?: number;
  source: number[];
  destination: number[];
  extensions?: Extension[];
  protocol: number;
  transport: number[];
  lengthError?: number;
  keep?: number;
};

/** The bytes of an IPv6 frame on the wire. */
export function encodeIpv6(frame: Ipv6Frame): Uint8Array<ArrayBuffer> {
  const {
    version = 6,
    source,
    destination,
    extensions = [],
    protocol,
    transport,
    lengthError = 0,
    keep = 2000,
  } = frame;
  const numbers = [...extensions.map(({ number }) => number), protocol];
  const payload = [
    ...extensions.flatMap(({ units, offset, bytes }, i) =>
      [numbers[i + 1] as number, units, ...be16(offset), ...Array<number>(Math.max(0, bytes - 4)).fill(0)].slice(
        0,
        bytes,
      ),
    ),
    ...transport,
  ];
  const bytes = [
    ...ethernet,
    ...(frame.vlan === undefined ? [] : [0x81, 0x00, ...be16(frame.vlan)]),
    ...[0x86, 0xdd, version << 4, 0, 0, 0],
    ...be16(Math.max(0, payload.length + lengthError)),
    ...[numbers[0] as number, 64, ...source, ...destination],
    ...payload,
  ];
  return new Uint8Array(bytes.slice(0, keep));
}

const extension: fc.Arbitrary<Extension> = fc
  .record({
    number: fc.constantFrom(0, 43, 44, 51, 60, 135),
    units: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 2 }) }, fc.integer({ min: 0, max: 255 })),
    offset: fc.constantFrom(0, 0, 1, 6, 8, 0xfff8),
    fits: fc.boolean(),
  })
  .map(({ number, units, offset, fits }) => {
    const bytes = number === 44 ? 8 : number === 51 ? 4 * units + 8 : 8 * units + 8;
    return { number, units, offset, bytes: fits ? Math.min(bytes, 200) : 8 };
  });

/** IPv6 frames, mostly well-formed, with extension headers, wrong lengths and cut ends. */
export const ipv6Frames: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc
  .record({
    vlan: fc.option(fc.integer({ min: 0, max: 0xffff }), { nil: undefined }),
    version: fc.oneof({ weight: 12, arbitrary: fc.constant(6) }, fc.integer({ min: 0, max: 15 })),
    source: octets(16),
    destination: octets(16),
    extensions: fc.array(extension, { maxLength: 8 }),
    protocol: fc.oneof(fc.constantFrom(6, 17, 58, 132, 33, 136, 59, 1), fc.integer({ min: 0, max: 255 })),
    transport: fc.oneof({ weight: 3, arbitrary: octets(24) }, octets(6), octets(0)),
    lengthError: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -40, max: 20 })),
    keep: fc.oneof({ weight: 4, arbitrary: fc.constant(2000) }, fc.integer({ min: 15, max: 120 })),
  })
  .map(encodeIpv6);
