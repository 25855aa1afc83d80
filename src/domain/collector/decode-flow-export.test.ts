import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFlowExport } from './decode-flow-export';
import {
  encodeIpfix,
  encodeIpfixOptions,
  encodeNetflow9,
  encodeNetflow9Options,
  encodeSet,
  encodeTemplate,
  type Field,
  ip4,
  ip6,
  u8,
  u16,
  u32,
  u64,
} from './encode-export.fixture';
import { TEMPLATE_LIMITS, TemplateMemory } from './template-memory';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const SECONDS = NOW / 1000;

const V4: Field[] = [
  ...[[8, 4] as const, [12, 4] as const, [7, 2] as const, [11, 2] as const, [4, 1] as const],
  ...[[1, 4] as const, [2, 4] as const],
];
const flow4 = (source: string, destination: string, [from, to]: [number, number], [bytes, packets]: [number, number]) =>
  Buffer.concat([ip4(source), ip4(destination), u16(from), u16(to), u8(6), u32(bytes), u32(packets)]);

const decode = (bytes: Uint8Array, memory = new TemplateMemory(), now = NOW) => decodeFlowExport(bytes, memory, now);
const observations = (bytes: Uint8Array, memory?: TemplateMemory) => decode(bytes, memory)?.observations ?? [];

describe('decodeFlowExport of NetFlow 9', () => {
  const TIMED: Field[] = [...V4, [22, 4], [21, 4], [58, 2]];
  const header = { uptime_ms: 100_000, seconds: SECONDS };

  it('returns the flows of a template with times of up time', () => {
    const record = Buffer.concat([
      flow4('10.0.0.1', '10.0.0.2', [40_000, 443], [1500, 3]),
      ...[u32(90_000), u32(99_000), u16(7)],
    ]);
    const bytes = encodeNetflow9(header, [encodeSet(0, encodeTemplate(300, TIMED)), encodeSet(300, record)]);
    expect(decode(bytes)).toEqual({
      ...{ protocol: 'netflow9', stream: 'netflow9 0', sequence: 1, advance: 1 },
      ...{ unknown_templates: 0, skipped: 0, is_malformed: false },
      observations: [
        {
          ...{ source_ip: '10.0.0.1', destination_ip: '10.0.0.2', protocol: 6, source_port: 40_000 },
          ...{ destination_port: 443, icmp_type: null, icmp_code: null, vlan: 7, bytes: 1500, packets: 3 },
          ...{ first_ms: NOW - 10_000, last_ms: NOW - 1000, sampling: 1, initiator: null },
        },
      ],
    });
  });

  it('computes times across the end of the 32 bits of up time', () => {
    const record = Buffer.concat([
      flow4('10.0.0.1', '10.0.0.2', [1, 2], [1, 1]),
      ...[u32(2 ** 32 - 5000), u32(2000), u16(0)],
    ]);
    const template = encodeSet(0, encodeTemplate(300, TIMED));
    const bytes = encodeNetflow9({ ...header, uptime_ms: 3000 }, [template, encodeSet(300, record)]);
    expect(observations(bytes)).toMatchObject([{ first_ms: NOW - 8000, last_ms: NOW - 1000, vlan: null }]);
    // Of a flow that ended while the datagram was made.
    const later = Buffer.concat([flow4('10.0.0.1', '10.0.0.2', [1, 2], [1, 1]), u32(2990), u32(3010), u16(0)]);
    const ahead = encodeNetflow9({ ...header, uptime_ms: 3000 }, [template, encodeSet(300, later)]);
    expect(observations(ahead)).toMatchObject([{ first_ms: NOW - 10, last_ms: NOW + 10 }]);
  });

  it('reads the sampling of options by sampler, by interface and for all', () => {
    const memory = new TemplateMemory();
    const sampled: Field[] = [...V4, [48, 1], [10, 4]];
    const flow = (sampler: number, port: number) =>
      Buffer.concat([flow4('10.0.0.1', '10.0.0.2', [1, 2], [10, 1]), u8(sampler), u32(port)]);
    const options = (id: number, scopes: Field[], fields: Field[], record: Buffer) => [
      encodeSet(1, encodeNetflow9Options(id, scopes, fields)),
      encodeSet(id, record),
    ];
    const system: Field = [1, 4];
    decode(
      encodeNetflow9(header, [
        ...options(
          400,
          [system],
          [
            [48, 1],
            [50, 4],
          ],
          Buffer.concat([u32(0), u8(5), u32(1000)]),
        ),
        ...options(401, [[2, 4]], [[34, 4]], Buffer.concat([u32(9), u32(64)])),
        ...options(402, [system], [[34, 4]], Buffer.concat([u32(0), u32(2)])),
        encodeSet(0, encodeTemplate(300, sampled)),
      ]),
      memory,
    );
    const records = [flow(5, 9), flow(0, 9), flow(0, 3), flow(6, 9)];
    const found = observations(encodeNetflow9(header, [encodeSet(300, Buffer.concat(records))]), memory);
    // The last one names a sampler that was not announced: how it was sampled is not known.
    expect(found.map(({ sampling }) => sampling)).toEqual([1000, 64, 2, null]);
  });

  it('reads type and code of ICMP, also in the place of the destination port', () => {
    const record = Buffer.concat([ip4('10.0.0.1'), ip4('10.0.0.2'), u16(0), u16(0x0301), u8(1), u32(84), u32(1)]);
    const bytes = encodeNetflow9(header, [encodeSet(0, encodeTemplate(300, V4)), encodeSet(300, record)]);
    expect(observations(bytes)).toMatchObject([
      { protocol: 1, source_port: null, destination_port: null, icmp_type: 3, icmp_code: 1 },
    ]);
  });

  it('reads ICMP of each family from its own fields, and from the only one that is filled', () => {
    const ends: Field[] = [
      [27, 16],
      [28, 16],
      [4, 1],
      [1, 4],
      [2, 4],
    ] as const;
    const read = (fields: Field[], protocol: number, values: Buffer) => {
      const record = Buffer.concat([
        ip6('fd00:0:0:0:0:0:0:1'),
        ip6('fd00:0:0:0:0:0:0:2'),
        u8(protocol),
        u32(84),
        u32(1),
        values,
      ]);
      return observations(
        encodeNetflow9(header, [encodeSet(0, encodeTemplate(300, [...ends, ...fields])), encodeSet(300, record)]),
      );
    };
    const both: Field[] = [
      [32, 2],
      [139, 2],
    ];
    const apart: Field[] = [...[[176, 1] as const, [177, 1] as const], ...[[178, 1] as const, [179, 1] as const]];
    const request = [{ icmp_type: 128, icmp_code: 0 }];
    expect(read(both, 58, Buffer.concat([u16(0), u16(0x8000)]))).toMatchObject(request);
    expect(read(both, 58, Buffer.concat([u16(0x8000), u16(0)]))).toMatchObject(request);
    expect(read(both, 1, Buffer.concat([u16(0), u16(0x8000)]))).toMatchObject([{ icmp_type: 0, icmp_code: 0 }]);
    expect(read(apart, 58, Buffer.concat([u16(0x0003), u16(0x0104)]))).toMatchObject([{ icmp_type: 1, icmp_code: 4 }]);
    expect(read(apart, 58, Buffer.concat([u16(0x0104), u16(0)]))).toMatchObject([{ icmp_type: 1, icmp_code: 4 }]);
    expect(read(apart, 1, Buffer.concat([u16(0x0301), u16(0)]))).toMatchObject([{ icmp_type: 3, icmp_code: 1 }]);
  });

  it('reads counters of 1 to 8 bytes, the largest exactly representable one at most', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.integer({ min: 1, max: 8 }), (value, length) => {
        const fits = value % 256n ** BigInt(length);
        const fields: Field[] = [...V4.slice(0, 5), [1, length], [2, 1]];
        const counter = u64(fits).subarray(8 - length);
        const record = Buffer.concat([ip4('10.0.0.1'), ip4('10.0.0.2'), u16(1), u16(2), u8(17), counter, u8(1)]);
        const bytes = encodeNetflow9(header, [encodeSet(0, encodeTemplate(300, fields)), encodeSet(300, record)]);
        const most = BigInt(Number.MAX_SAFE_INTEGER);
        expect(observations(bytes)).toMatchObject([{ bytes: Number(fits < most ? fits : most), packets: 1 }]);
      }),
    );
  });
});

describe('decodeFlowExport of IPFIX', () => {
  const header = { seconds: SECONDS };
  const V6: Field[] = [
    [27, 16],
    [28, 16],
    [4, 1],
    [139, 2],
    [1, 8],
    [2, 8],
  ];

  it('returns IPv6 flows with fields of other lengths, of companies and of variable length around them', () => {
    const fields: Field[] = [[82, 65_535], ...V6, [77, 4, 9], [83, 65_535, 6876]];
    const record = Buffer.concat([
      ...[u8(3), Buffer.from('tap'), ip6('fd77:0:0:0:0:0:0:1'), ip6('fd77:0:0:0:0:0:0:2'), u8(58), u16(0x8000)],
      ...[u64(5_000_000_000n), u64(7n), u32(1), u8(255), u16(300), Buffer.alloc(300)],
    ]);
    const bytes = encodeIpfix(header, [encodeSet(2, encodeTemplate(256, fields)), encodeSet(256, record)]);
    expect(decode(bytes)).toMatchObject({
      ...{ protocol: 'ipfix', advance: 1, is_malformed: false },
      observations: [
        {
          ...{ source_ip: 'fd77::1', destination_ip: 'fd77::2', protocol: 58, icmp_type: 128, icmp_code: 0 },
          ...{ bytes: 5_000_000_000, packets: 7, first_ms: null, last_ms: null },
        },
      ],
    });
  });

  const ADDRESSES: Record<4 | 6, Field[]> = {
    4: [
      [8, 4],
      [12, 4],
    ],
    6: [
      [27, 16],
      [28, 16],
    ],
  };
  const NO6 = Buffer.alloc(32);
  const both = (order: readonly (4 | 6)[], four: Buffer, six: Buffer) => {
    const fields: Field[] = [...order.flatMap((family) => ADDRESSES[family]), [4, 1], [1, 4]];
    const record = Buffer.concat([...order.map((family) => (family === 4 ? four : six)), u8(6), u32(900)]);
    const bytes = encodeIpfix(header, [encodeSet(2, encodeTemplate(257, fields)), encodeSet(257, record)]);
    return observations(bytes).map(({ source_ip, destination_ip }) => [source_ip, destination_ip]);
  };

  it.each([[[4, 6] as const], [[6, 4] as const]])(
    'takes the addresses that are filled of templates with both families (%s)',
    (order) => {
      const four = (source: string, destination: string) => Buffer.concat([ip4(source), ip4(destination)]);
      const six = Buffer.concat([ip6('fd77:0:0:0:0:0:0:1'), ip6('fd77:0:0:0:0:0:0:2')]);
      expect(both(order, four('0.0.0.0', '0.0.0.0'), six)).toEqual([['fd77::1', 'fd77::2']]);
      expect(both(order, four('10.0.0.1', '10.0.0.2'), NO6)).toEqual([['10.0.0.1', '10.0.0.2']]);
      // A host that asks for its first address.
      expect(both(order, four('0.0.0.0', '255.255.255.255'), NO6)).toEqual([['0.0.0.0', '255.255.255.255']]);
    },
  );

  const ntp = u64((BigInt(SECONDS - 60 + 2_208_988_800) << 32n) | (2n ** 31n));
  it.each([
    ['seconds', [150, 151], 4, u32(SECONDS - 60), u32(SECONDS - 1), 60_000, 1000],
    ['milliseconds', [152, 153], 8, u64(BigInt(NOW - 60_001)), u64(BigInt(NOW - 7)), 60_001, 7],
    ['microseconds', [154, 155], 8, ntp, ntp, 59_500, 59_500],
    ['nanoseconds', [156, 157], 8, ntp, ntp, 59_500, 59_500],
    ['microseconds before the export', [158, 159], 4, u32(3_000_000), u32(1000), 3000, 1],
  ] as const)('reads times in %s', (_unit, [first, last], length, began, ended, firstAgo, lastAgo) => {
    const fields: Field[] = [...V4, [first, length], [last, length]];
    const record = Buffer.concat([flow4('10.0.0.1', '10.0.0.2', [1, 2], [1, 1]), began, ended]);
    const bytes = encodeIpfix(header, [encodeSet(2, encodeTemplate(256, fields)), encodeSet(256, record)]);
    expect(observations(bytes)).toMatchObject([{ first_ms: NOW - firstAgo, last_ms: NOW - lastAgo }]);
  });

  it('reads times of up time since the start that options announce, and their sampling', () => {
    const memory = new TemplateMemory();
    const fields: Field[] = [...V4, [22, 4], [21, 4]];
    const options = encodeIpfixOptions(
      257,
      [[143, 4]],
      [
        [160, 8],
        [305, 4],
        [306, 4],
      ],
    );
    const option = Buffer.concat([u32(1), u64(BigInt(NOW - 50_000)), u32(1), u32(99)]);
    const record = Buffer.concat([flow4('10.0.0.1', '10.0.0.2', [1, 2], [1, 1]), u32(10_000), u32(40_000)]);
    const templates = [encodeSet(2, encodeTemplate(256, fields)), encodeSet(3, options)];
    const bytes = encodeIpfix(header, [...templates, encodeSet(257, option), encodeSet(256, record)]);
    expect(decode(bytes, memory)).toMatchObject({
      advance: 2,
      observations: [{ first_ms: NOW - 40_000, last_ms: NOW - 10_000, sampling: 100 }],
    });
  });

  it('makes two flows of a record of both directions', () => {
    const fields: Field[] = [...V4, [1, 4, 29_305], [2, 4, 29_305]];
    const record = (packets: number) =>
      Buffer.concat([flow4('10.0.0.1', '10.0.0.2', [40_000, 443], [100, 2]), u32(900), u32(packets)]);
    const both = Buffer.concat([record(3), record(0)]);
    const bytes = encodeIpfix(header, [encodeSet(2, encodeTemplate(256, fields)), encodeSet(256, both)]);
    expect(decode(bytes)).toMatchObject({
      advance: 2,
      observations: [
        { source_ip: '10.0.0.1', bytes: 100, packets: 2, initiator: 'source' },
        { source_ip: '10.0.0.2', source_port: 443, destination_port: 40_000, bytes: 900, packets: 3, initiator: null },
        { source_ip: '10.0.0.1', bytes: 100, packets: 2, initiator: null },
      ],
    });
  });

  it('forgets templates that are withdrawn, and those that are not repeated', () => {
    const memory = new TemplateMemory();
    const record = encodeSet(256, flow4('10.0.0.1', '10.0.0.2', [1, 2], [1, 1]));
    const announce = encodeIpfix(header, [encodeSet(2, encodeTemplate(256, V4))]);
    const data = encodeIpfix(header, [record]);
    const isKnown = (now = NOW) => decode(data, memory, now)?.observations.length === 1;
    expect(decode(data, memory)).toMatchObject({ unknown_templates: 1, advance: null, observations: [] });
    decode(announce, memory);
    expect(isKnown()).toBe(true);
    decode(encodeIpfix(header, [encodeSet(2, encodeTemplate(256, []))]), memory);
    expect(isKnown()).toBe(false);
    decode(announce, memory);
    decode(encodeIpfix(header, [encodeSet(3, encodeTemplate(3, []))]), memory);
    expect(isKnown()).toBe(true);
    decode(encodeIpfix(header, [encodeSet(2, encodeTemplate(2, []))]), memory);
    expect(isKnown()).toBe(false);
    decode(announce, memory);
    expect(isKnown(NOW + TEMPLATE_LIMITS.lifetime_ms)).toBe(true);
    expect(isKnown(NOW + TEMPLATE_LIMITS.lifetime_ms + 1)).toBe(false);
  });

  it('keeps the templates of observation domains apart', () => {
    const memory = new TemplateMemory();
    decode(encodeIpfix({ ...header, domain: 1 }, [encodeSet(2, encodeTemplate(256, V4))]), memory);
    const data = encodeSet(256, flow4('10.0.0.1', '10.0.0.2', [1, 2], [1, 1]));
    expect(decode(encodeIpfix({ ...header, domain: 2 }, [data]), memory)).toMatchObject({ unknown_templates: 1 });
    expect(decode(encodeIpfix({ ...header, domain: 1 }, [data]), memory)).toMatchObject({ unknown_templates: 0 });
  });

  it('skips records that are not about IP traffic', () => {
    const fields: Field[] = [
      [56, 6],
      [80, 6],
      [1, 4],
      [2, 4],
    ];
    const bytes = encodeIpfix(header, [encodeSet(2, encodeTemplate(256, fields)), encodeSet(256, Buffer.alloc(20))]);
    expect(decode(bytes)).toMatchObject({ skipped: 1, observations: [], advance: 1 });
  });
});
