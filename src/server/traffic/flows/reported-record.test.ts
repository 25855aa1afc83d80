import { flowSchema } from '@fabric/agent-contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeFlow } from '../agents/testing/heartbeat.fixture';
import { reportedRecord } from './reported-record';

describe('reportedRecord', () => {
  it('returns the flow as it was reported, with its evidence beside it', () => {
    const flow = makeFlow({ delta_bytes: 4, raw: { excerpt: 'policy DROP', zone: 3, bytes: -1 } });
    const { raw: _, ...fields } = flow;
    expect(JSON.parse(reportedRecord(flow))).toEqual({ ...fields, excerpt: 'policy DROP', zone: 3 });
    expect(JSON.parse(reportedRecord(makeFlow({ observed_at: flow.observed_at })))).toEqual({
      ...makeFlow({ observed_at: flow.observed_at }),
    });
  });

  it('keeps what an object cannot be assigned, and says when two names are stored alike', () => {
    const record = reportedRecord(
      makeFlow({ state: '\u0000', raw: JSON.parse('{"__proto__":0,"a\\u0000":1,"a\\ud800":2}') }),
    );
    expect(record).toContain('"__proto__":0');
    expect(JSON.parse(record)).toMatchObject({ truncated: true });
  });

  it('returns valid JSON of limited size that PostgreSQL can store, whatever the agent sent', () => {
    const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 500 }), fc.double(), fc.boolean(), fc.constant(null));
    const evidence = fc.dictionary(
      fc.string({ unit: 'binary', maxLength: 64 }),
      fc.oneof(value, fc.array(value, { maxLength: 32 })),
    );
    fc.assert(
      fc.property(
        evidence,
        fc.string({ unit: 'binary', maxLength: 32 }),
        fc.string({ unit: 'binary', maxLength: 64 }),
        (raw, state, collector) => {
          const flow = flowSchema.parse({ ...makeFlow(), state, collector });
          const text = reportedRecord({ ...flow, raw: JSON.parse(JSON.stringify(raw)) });
          expect(text).not.toMatch(/\\u(0000|d[89a-f])/i);
          expect(text.length).toBeLessThanOrEqual(1_250);
          const stored = JSON.parse(text);
          expect(stored).toMatchObject({ source_ip: flow.source_ip, bytes: flow.bytes });
          if (Object.keys(stored).length < Object.keys({ ...raw, ...flow }).length) expect(stored.truncated).toBe(true);
        },
      ),
    );
  });
});
