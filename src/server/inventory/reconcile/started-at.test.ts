import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startedAt } from './guests';

const now = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);

describe('a start time', () => {
  it('stays the same while the uptime grows, however coarse it is', () => {
    fc.assert(
      fc.property(
        fc.nat(1e7),
        fc.array(fc.record({ ms: fc.nat(3_600_000), lag: fc.nat(20) }), { maxLength: 20 }),
        (uptime, reads) => {
          const first = startedAt(uptime, null, now);
          let [known, passed] = [first, 0];
          for (const { ms, lag } of reads) {
            passed += ms;
            known = startedAt(Math.max(0, uptime + Math.floor(passed / 1000) - lag), known, later(passed));
          }
          expect(known).toBe(first);
        },
      ),
    );
  });

  it('moves with a restart and stays with an unknown uptime', () => {
    const known = startedAt(3600, null, now);
    expect(known).toBe('2026-03-01T11:00:00.000Z');
    expect(startedAt(5, known, now)).toBe('2026-03-01T11:59:55.000Z');
    expect(startedAt(null, known, now)).toBe(known);
    expect(startedAt(null, null, now)).toBeNull();
  });
});
