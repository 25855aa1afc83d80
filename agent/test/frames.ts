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
  keep: fc.oneof({ weight: 3, arbitrary: fc.constant(2000) }, fc.integer({ min: 15, max: 90 })),
});

/** The frame's bytes on the wire. */
export function encodeFrame(frame: Frame): Uint8Array<ArrayBuffer> {
  const be16 = (value: number): number[] => [value >> 8, value & 255];
  const header = 4 * Math.max(5, frame.headerWords);
  const total = header + frame.transport.length;
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
