import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { decodeFlowExport } from './decode-flow-export';
import {
  encodeIpfix,
  encodeIpfixOptions,
  encodeNetflow9,
  encodeNetflow9Options,
  encodeSet,
  encodeTemplate,
  type Field,
  u16,
  u32,
} from './encode-export.fixture';
import { TEMPLATE_LIMITS, TemplateMemory } from './template-memory';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const SECONDS = NOW / 1000;

const V4: Field[] = [
  ...[[8, 4] as const, [12, 4] as const, [7, 2] as const, [11, 2] as const, [4, 1] as const],
  ...[[1, 4] as const, [2, 4] as const],
];
const decode = (bytes: Uint8Array, memory = new TemplateMemory(), now = NOW) => decodeFlowExport(bytes, memory, now);

describe('decodeFlowExport of untrusted bytes', () => {
  it('returns null for other protocols', () => {
    for (const first of [0, 1, 5, 8, 11, 0x1603])
      expect(decode(Buffer.concat([u16(first), Buffer.alloc(60)]))).toBeNull();
  });

  const anyField = fc.tuple(
    fc.oneof(fc.integer({ min: 0, max: 420 }), fc.constantFrom(8, 12, 27, 28, 1, 2, 4, 34, 305, 160)),
    fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(0, 65_535, 65_534)),
  );
  const anySet = fc.oneof(
    fc
      .tuple(fc.integer({ min: 250, max: 270 }), fc.array(anyField, { maxLength: 12 }))
      .map(([id, fields]) => encodeSet(id % 2 === 0 ? 0 : 2, encodeTemplate(id, fields))),
    fc
      .tuple(
        fc.integer({ min: 256, max: 270 }),
        fc.array(anyField, { maxLength: 4 }),
        fc.array(anyField, { maxLength: 6 }),
      )
      .map(([id, scopes, fields]) => encodeSet(1, encodeNetflow9Options(id, scopes, fields))),
    fc
      .tuple(fc.integer({ min: 0, max: 270 }), fc.uint8Array({ maxLength: 200 }))
      .map(([id, content]) => encodeSet(id, Buffer.from(content))),
    fc.uint8Array({ maxLength: 60 }).map((content) => Buffer.from(content)),
  );
  const anyDatagram = fc
    .tuple(fc.boolean(), fc.array(anySet, { maxLength: 8 }))
    .map(([isIpfix, sets]) =>
      isIpfix ? encodeIpfix({ seconds: SECONDS }, sets) : encodeNetflow9({ uptime_ms: 5, seconds: SECONDS }, sets),
    );

  /** Whatever arrives: bounded by the bytes that arrived, and nothing that storage would refuse. */
  function assertSound(bytes: Uint8Array, memory: TemplateMemory) {
    const result = decode(bytes, memory);
    if (!result) return;
    expect(result.observations.length).toBeLessThanOrEqual(2 * bytes.length);
    for (const one of result.observations) {
      expect(one.protocol).toBeLessThan(256);
      for (const counter of [one.bytes, one.packets]) expect(counter ?? 0).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
      for (const port of [one.source_port, one.destination_port]) expect(port ?? 0).toBeLessThan(65_536);
      expect(one.sampling ?? 1).toBeGreaterThanOrEqual(1);
    }
  }

  it('never throws, loops or allocates without bound for sets of any content', () => {
    fc.assert(
      fc.property(fc.array(anyDatagram, { maxLength: 6 }), (datagrams) => {
        const memory = new TemplateMemory();
        for (const datagram of datagrams) assertSound(datagram, memory);
      }),
      { numRuns: getRunCount(500, 20_000) },
    );
  });

  it('never throws for any bytes, and for datagrams that are cut off anywhere', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.constantFrom(9, 10),
        anyDatagram,
        fc.nat(),
        (tail, version, datagram, at) => {
          const memory = new TemplateMemory();
          assertSound(Buffer.concat([u16(version), tail]), memory);
          assertSound(tail, memory);
          assertSound(datagram.subarray(0, at % (datagram.length + 1)), memory);
          const damaged = Buffer.from(datagram);
          if (damaged.length > 2) damaged[2 + (at % (damaged.length - 2))] = at & 255;
          assertSound(damaged, memory);
        },
      ),
      { numRuns: getRunCount(500, 20_000) },
    );
  });

  it('bounds templates, domains and samplers of one exporter', () => {
    const memory = new TemplateMemory();
    for (let domain = 0; domain < TEMPLATE_LIMITS.domains + 20; domain += 1) {
      decode(encodeIpfix({ seconds: SECONDS, domain }, [encodeSet(2, encodeTemplate(256, V4))]), memory, NOW + domain);
    }
    expect(memory.size).toBe(TEMPLATE_LIMITS.domains);
    const domain = memory.domain('ipfix 1000', NOW);
    for (let id = 256; id < 256 + TEMPLATE_LIMITS.templates_per_domain + 50; id += 1) {
      decode(encodeIpfix({ seconds: SECONDS, domain: 1000 }, [encodeSet(2, encodeTemplate(id, V4))]), memory, NOW + id);
    }
    expect(memory.domain('ipfix 1000', NOW).templates.size).toBe(TEMPLATE_LIMITS.templates_per_domain);
    // The oldest went.
    expect(domain.templates.has(256)).toBe(false);
    // So do their fields: of large templates fewer are kept.
    const large: Field[] = Array.from({ length: TEMPLATE_LIMITS.fields_per_template }, () => [1, 1]);
    for (let id = 256; id < 456; id += 1) {
      decode(
        encodeIpfix({ seconds: SECONDS, domain: 1002 }, [encodeSet(2, encodeTemplate(id, large))]),
        memory,
        NOW + id,
      );
    }
    const { templates, fields } = memory.domain('ipfix 1002', NOW);
    expect(fields).toBe(TEMPLATE_LIMITS.fields_per_domain);
    expect(templates.size).toBe(TEMPLATE_LIMITS.fields_per_domain / TEMPLATE_LIMITS.fields_per_template);
    expect([...templates.values()].reduce((sum, template) => sum + template.fields.length, 0)).toBe(fields);
    const sampler: Field[] = [
      [302, 4],
      [34, 4],
    ];
    const options = encodeSet(3, encodeIpfixOptions(256, [[143, 4]], sampler));
    const records = Array.from({ length: 400 }, (_, id) => Buffer.concat([u32(1), u32(id), u32(100)]));
    decode(encodeIpfix({ seconds: SECONDS, domain: 1001 }, [options, encodeSet(256, Buffer.concat(records))]), memory);
    expect(memory.domain('ipfix 1001', NOW).samplings.size).toBe(TEMPLATE_LIMITS.samplings_per_domain);
  });

  it('refuses templates whose records would have no bytes, and too many fields', () => {
    const memory = new TemplateMemory();
    const none: Field[] = [
      [8, 0],
      [12, 0],
    ];
    const many: Field[] = Array.from({ length: TEMPLATE_LIMITS.fields_per_template + 1 }, () => [1, 1]);
    decode(
      encodeIpfix({ seconds: SECONDS }, [
        encodeSet(2, Buffer.concat([encodeTemplate(256, none), encodeTemplate(257, many)])),
      ]),
      memory,
    );
    const data = [256, 257].map((id) => encodeSet(id, Buffer.alloc(400)));
    expect(decode(encodeIpfix({ seconds: SECONDS }, data), memory)).toMatchObject({ unknown_templates: 2 });
  });
});
