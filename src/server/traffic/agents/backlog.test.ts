import { describe, expect, it } from 'vitest';
import { isBacklog, storableTime } from './backlog';

const now = new Date('2026-06-01T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();
const newest = {
  last_boot_id: 'a',
  last_sequence: 10,
  last_sent_at: ago(20),
  last_heartbeat_at: ago(20),
  interval_seconds: 30,
};
const evaluateBacklog = (boot_id: string, sequence: number, sentAgo: number, known = newest) =>
  isBacklog(known, { boot_id, sequence, sent_at: ago(sentAgo) }, now);

describe('isBacklog', () => {
  it('goes by sequence within one boot, whatever the clock says', () => {
    expect(evaluateBacklog('a', 11, 0)).toBe(false);
    expect(evaluateBacklog('a', 11, 86_400)).toBe(false);
    expect(evaluateBacklog('a', 9, 0)).toBe(true);
  });

  it('goes by time of sending between boots', () => {
    expect(evaluateBacklog('b', 0, 0)).toBe(false);
    expect(evaluateBacklog('b', 500, 3_600)).toBe(true);
  });

  it('takes the first heartbeat ever, and the first after a silence, for fresh', () => {
    expect(isBacklog(null, { boot_id: 'a', sequence: 0, sent_at: ago(9_999) }, now)).toBe(false);
    expect(evaluateBacklog('b', 0, 3_600, { ...newest, last_heartbeat_at: ago(91) })).toBe(false);
  });
});

describe('storableTime', () => {
  it('keeps times a database can hold', () => {
    expect(storableTime('2026-06-01T14:00:00+02:00', 'x')).toBe('2026-06-01T12:00:00.000Z');
    expect(storableTime('0000-01-01T00:00:00Z', 'x')).toBe('x');
  });
});
