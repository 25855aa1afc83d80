import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from './observation';
import { PendingFlows } from './pending-flows';
import { placeInTime } from './place-in-time';
import { SequenceGaps } from './sequence';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const HOUR = 3_600_000;

describe('PendingFlows', () => {
  const observe = (port: number, bytes: number | null, packets: number | null): Observation => ({
    ...{ source_ip: '10.0.0.1', destination_ip: '10.0.0.2', protocol: 17, source_port: 5000, destination_port: port },
    ...{ icmp_type: null, icmp_code: null, vlan: null, bytes, packets, sampling: 1, initiator: null },
    ...{ first_ms: null, last_ms: null },
  });
  const times = { first_ms: NOW, last_ms: NOW, is_arrival: true };

  it('keeps the totals of what was added, however it is drained', () => {
    const record = fc.record({ port: fc.integer({ min: 1, max: 4 }), bytes: fc.nat(1e6), drain: fc.boolean() });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), (records) => {
        const pending = new PendingFlows();
        const drained = records.flatMap(({ port, bytes, drain }) => {
          pending.add(observe(port, bytes, 1), times, 'netflow9', true);
          return drain ? pending.drain() : [];
        });
        drained.push(...pending.drain());
        expect(pending.size).toBe(0);
        for (const port of [1, 2, 3, 4]) {
          const of = drained.filter((flow) => flow.destination_port === port);
          const sent = records.filter((one) => one.port === port);
          expect(of.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)).toBe(
            sent.reduce((sum, { bytes }) => sum + bytes, 0),
          );
          expect(of.reduce((sum, { packets }) => sum + (packets ?? 0), 0)).toBe(sent.length);
        }
      }),
    );
  });

  it('adds to known flows when there is no room, and refuses others', () => {
    const pending = new PendingFlows();
    expect(pending.add(observe(1, 10, 1), times, 'ipfix', true)).toBe(true);
    expect(pending.add(observe(1, 5, null), times, 'ipfix', false)).toBe(true);
    expect(pending.add(observe(2, 5, 1), times, 'ipfix', false)).toBe(false);
    expect(pending.drain()).toMatchObject([{ bytes: 15, packets: 1 }]);
  });
});

describe('placeInTime', () => {
  it('uses times of the exporter as far as they are plausible, else the arrival', () => {
    const place = (first_ms: number | null, last_ms: number | null) => placeInTime({ first_ms, last_ms }, NOW);
    expect(place(NOW - 5000, NOW - 1000)).toEqual({ first_ms: NOW - 5000, last_ms: NOW - 1000, is_arrival: false });
    expect(place(null, NOW - 1000)).toEqual({ first_ms: NOW - 1000, last_ms: NOW - 1000, is_arrival: false });
    // A clock a little ahead: nothing is stored in the future.
    expect(place(NOW + 2000, NOW + 5000)).toEqual({ first_ms: NOW, last_ms: NOW, is_arrival: false });
    const arrival = { first_ms: NOW, last_ms: NOW, is_arrival: true };
    for (const last of [null, NOW + 2 * HOUR, NOW - 3 * HOUR, 0]) expect(place(last, last)).toEqual(arrival);
    // A flow cannot end before it began, or last for a month.
    expect(place(NOW, NOW - 1000).first_ms).toBe(NOW - 1000);
    expect(place(NOW - 30 * 24 * HOUR, NOW - 1000).first_ms).toBe(NOW - 1000);
  });
});

describe('SequenceGaps', () => {
  const count = (steps: [sequence: number, advance: number | null][]) => {
    const gaps = new SequenceGaps();
    return steps.map(([sequence, advance]) => gaps.observe({ stream: 'ipfix 0', sequence, advance }));
  };

  it('counts what is missing, also across the end of 32 bits', () => {
    expect(
      count([
        [1, 1],
        [2, 1],
        [5, 1],
        [6, 1],
      ]),
    ).toEqual([0, 0, 2, 0]);
    expect(
      count([
        [2 ** 32 - 2, 1],
        [2 ** 32 - 1, 1],
        [0, 1],
        [2, 1],
      ]),
    ).toEqual([0, 0, 0, 1]);
  });

  it('accepts sequence numbers of records before the datagram, and after it', () => {
    expect(
      count([
        [0, 8],
        [8, 3],
        [11, 5],
        [20, 1],
      ]),
    ).toEqual([0, 0, 0, 4]);
    expect(
      count([
        [8, 8],
        [11, 3],
        [16, 5],
      ]),
    ).toEqual([0, 0, 0]);
  });

  it('counts no loss for a restart, for a datagram that was overtaken, and while the number of records is unknown', () => {
    expect(
      count([
        [4_000_000, 1],
        [1, 1],
        [2, 1],
      ]),
    ).toEqual([0, 0, 0]);
    expect(
      count([
        [5, 1],
        [7, 1],
        [6, 1],
        [8, 1],
      ]),
    ).toEqual([0, 1, 0, 0]);
    expect(
      count([
        [0, null],
        [9, 2],
        [11, 2],
      ]),
    ).toEqual([0, 0, 0]);
  });
});
