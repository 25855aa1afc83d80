import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../durations';
import { computeErrorPercent } from './estimate';
import type { Observation } from './observation';
import { findRate, PendingEstimates } from './pending-estimates';

const HOUR = 480_000 * HOUR_MS;
const observed = (values: Partial<Observation> = {}): Observation => ({
  ...{ source_ip: '10.0.0.1', destination_ip: '10.0.0.2', protocol: 6, source_port: 50_000, destination_port: 443 },
  ...{ icmp_type: null, icmp_code: null, vlan: null, bytes: 1500, packets: 1, first_ms: null, last_ms: null },
  ...{ sampling: 100, initiator: null },
  ...values,
});

describe('findRate', () => {
  it.each([
    [100, 100],
    [1.5, 1.5],
    [2 ** 32, 2 ** 32],
    [1, 1],
    [0.5, null],
    [null, null],
    [0, null],
    [2 ** 32 + 1, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
  ])('returns for %s %s', (sampling, rate) => {
    expect(findRate({ sampling })).toBe(rate);
  });
});

describe('PendingEstimates', () => {
  it('adds callers of one service, and separates hours, ends, services and directions', () => {
    const estimates = new PendingEstimates();
    const add = (values: Partial<Observation>, last_ms = HOUR) =>
      estimates.add(observed(values), 100, { last_ms }, true);
    add({});
    add({ source_port: 50_001, bytes: 60 }, HOUR + HOUR_MS - 1);
    add({}, HOUR + HOUR_MS);
    add({ destination_port: 80 });
    add({ source_ip: '10.0.0.2', destination_ip: '10.0.0.1', source_port: 443, destination_port: 50_000 });
    add({ protocol: 1, source_port: null, destination_port: null, bytes: null, packets: null });
    expect(estimates.drain()).toMatchObject([
      {
        bucket_ms: HOUR,
        bytes: 156_000,
        packets: 200,
        samples: 2,
        variance: 20_000,
        records: 2,
        last_ms: HOUR + HOUR_MS - 1,
      },
      { bucket_ms: HOUR + HOUR_MS, packets: 100 },
      { ends: { service_port: 80 } },
      { ends: { source_ip: '10.0.0.2', service_port: 443 } },
      { ends: { protocol: 1, service_port: null }, bytes: 0, packets: 0, samples: 0 },
    ]);
    expect(estimates.size).toBe(0);
  });

  it('adds what finds no room to the others of its hour', () => {
    const estimates = new PendingEstimates();
    const add = (destination_ip: string, hasRoom: boolean, last_ms = HOUR) =>
      estimates.add(observed({ destination_ip }), 10, { last_ms }, hasRoom);
    expect(add('10.0.0.2', true)).toBe(true);
    expect(add('10.0.0.3', false)).toBe(false);
    expect(add('10.0.0.4', false)).toBe(false);
    expect(add('10.0.0.4', false, HOUR + HOUR_MS)).toBe(false);
    expect(add('10.0.0.2', false)).toBe(true);
    expect(estimates.drain()).toMatchObject([
      { ends: { destination_ip: '10.0.0.2' }, samples: 2, records: 2 },
      { ends: null, bucket_ms: HOUR, packets: 20, samples: 2, records: 2 },
      { ends: null, bucket_ms: HOUR + HOUR_MS, samples: 1 },
    ]);
  });

  it('stays within what JavaScript counts', () => {
    const estimates = new PendingEstimates();
    const most = { bytes: Number.MAX_SAFE_INTEGER, packets: Number.MAX_SAFE_INTEGER };
    for (let i = 0; i < 3; i++) estimates.add(observed(most), 2 ** 32, { last_ms: HOUR }, true);
    const [estimate] = estimates.drain();
    expect(estimate).toMatchObject({ bytes: Number.MAX_SAFE_INTEGER, packets: Number.MAX_SAFE_INTEGER });
    expect(estimate?.variance).toBeLessThan(1e36);
  });
});

describe('computeErrorPercent', () => {
  it('equals 196·√(1/samples), rounded up, with one rate', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 2, max: 65_536 }), (samples, rate) => {
        const error = computeErrorPercent({ packets: samples * rate, variance: samples * rate * rate });
        expect(error).toBe(Math.ceil(Number((196 / Math.sqrt(samples)).toFixed(9))));
      }),
    );
  });

  it.each([
    [{ packets: 19_600, variance: 196 * 100 * 100 }, 14],
    [{ packets: 38_416 * 2, variance: 38_416 * 4 }, 1],
    [{ packets: 0, variance: 0 }, null],
  ])('returns for %j %s', (sums, error) => {
    expect(computeErrorPercent(sums)).toBe(error);
  });

  it('grows when few packets of a high rate are most of the sum', () => {
    // A thousand packets sampled 1 of 2, and ten sampled 1 of 10,000.
    const mixed = { packets: 2_000 + 100_000, variance: 1_000 * 4 + 10 * 10_000 ** 2 };
    expect(computeErrorPercent(mixed)).toBe(61);
  });
});
