import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIp } from '../net/ip-address';
import { encodeIpfix, encodeIpfixTemplates, encodeIpfixTest, type IpfixRecord } from './ipfix';
import { IpfixCollector } from './ipfix-decoder.fixture';

const counter = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const octet = fc.integer({ min: 0, max: 255 });
const port = fc.integer({ min: 0, max: 65_535 });
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const addresses = fc.oneof(
  ...([4, 6] as const).map((family) => {
    const address = fc
      .bigInt({ min: 0n, max: 2n ** (family === 4 ? 32n : 128n) - 1n })
      .map((value) => formatIp({ family, value }));
    return fc.record({ source_ip: address, destination_ip: address });
  }),
);
const rest = fc.record({
  ...{ source_port: port, destination_port: port, protocol: octet, status: octet, first: time, last: time },
  icmp: fc.option(fc.record({ type: octet, code: octet })),
  counters: fc.option(fc.record({ bytes: counter, packets: counter })),
});
const record = fc.tuple(addresses, rest).map(([ends, other]): IpfixRecord => ({ ...ends, ...other }));
const limit = fc.oneof(fc.constantFrom(512, 1400, 8952), fc.integer({ min: 512, max: 3000 }));
const header = fc.record({
  domain: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  sequence: fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 2 ** 32 - 20, max: 2 ** 33 })),
  exported_at: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});

/** What a collector reads of a record, by the numbers of IANA. */
function readBack(values: Map<number, bigint>): IpfixRecord {
  const get = (element: number) => Number(values.get(element) ?? 0);
  const family = values.has(8) ? 4 : 6;
  const ip = (element: number) => formatIp({ family, value: values.get(element) ?? -1n });
  const icmp = values.get(family === 4 ? 32 : 139);
  return {
    ...{ source_ip: ip(family === 4 ? 8 : 27), destination_ip: ip(family === 4 ? 12 : 28) },
    ...{ source_port: get(7), destination_port: get(11), protocol: get(4), status: get(89) },
    ...{ first: get(152), last: get(153) },
    icmp: icmp === undefined ? null : { type: Number(icmp >> 8n), code: Number(icmp & 255n) },
    counters: values.has(1) ? { bytes: get(1), packets: get(2) } : null,
  };
}
/** Type and code are sent instead of ports. */
const withoutPorts = (one: IpfixRecord): IpfixRecord =>
  one.icmp ? { ...one, source_port: 0, destination_port: 0 } : one;

describe('encodeIpfix', () => {
  it('makes messages that a collector reads back as the records, within the limit and with the right sequence', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 120 }), header, limit, (records, given, most) => {
        const messages = encodeIpfix(records, given, most);
        let sequence = given.sequence;
        const found = messages.flatMap(({ bytes, records: count }) => {
          // Each message can be the first one that arrives.
          const message = new IpfixCollector().read(bytes);
          expect(bytes.length).toBeLessThanOrEqual(most);
          expect(message).toMatchObject({
            ...{ domain: given.domain, exported_at: given.exported_at, sequence: sequence % 2 ** 32 },
          });
          expect(message.records.length).toBe(count);
          sequence += count;
          return message.records.map(({ values }) => readBack(values));
        });
        expect(found).toEqual(records.map(withoutPorts));
        expect(sequence).toBe(given.sequence + records.length);
      }),
    );
  });

  it('fills messages: two do not fit into one', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 2, maxLength: 120 }), header, limit, (records, given, most) => {
        const messages = encodeIpfix(records, given, most);
        let from = 0;
        for (const [i, { records: count }] of messages.entries()) {
          if (i === messages.length - 1) break;
          const oneMore = encodeIpfix(records.slice(from, from + count + 1), given, 1_000_000);
          expect(oneMore[0]?.bytes.length).toBeGreaterThan(most);
          from += count;
        }
      }),
    );
  });

  it('refuses two addresses of different families', () => {
    const one = {
      source_ip: '10.0.0.1',
      destination_ip: '2001:db8::1',
      source_port: 1,
      destination_port: 2,
      protocol: 6,
    };
    const mixed = { ...one, icmp: null, counters: null, status: 0, first: 0, last: 0 };
    expect(() => encodeIpfix([mixed], { domain: 1, sequence: 0, exported_at: 0 }, 1400)).toThrow(/one family/);
  });
});

describe('encodeIpfixTemplates', () => {
  it('announces the template of every kind of record in the smallest message, without data', () => {
    const bytes = encodeIpfixTemplates({ domain: 5, sequence: 9, exported_at: 1 });
    const message = new IpfixCollector().read(bytes);
    expect(message).toMatchObject({ domain: 5, sequence: 9, records: [] });
    expect(message.templates).toEqual([256, 257, 258, 259, 260, 261, 262, 263]);
    expect(bytes.length).toBeLessThanOrEqual(512);
  });
});

describe('encodeIpfixTest', () => {
  it('says how many data records were sent, in a record that is no flow', () => {
    const bytes = encodeIpfixTest(1_770_000_000, 12_345);
    const message = new IpfixCollector().read(bytes);
    expect(message).toMatchObject({ domain: 0, sequence: 0, exported_at: 1_770_000_000 });
    expect(message.records).toEqual([
      {
        template: 264,
        scope: 1,
        values: new Map([
          [149, 0n],
          [42, 12_345n],
        ]),
      },
    ]);
    expect(bytes.length).toBeLessThanOrEqual(512);
  });
});
