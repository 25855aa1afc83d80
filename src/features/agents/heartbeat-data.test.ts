import { describe, expect, it } from 'vitest';
import { lastDay } from './heartbeat-data';

describe('heartbeat hours', () => {
  it('shows every hour of the last day, also those without heartbeats', () => {
    const counts = { accepted: 0, updated: 0, rejected: 0 };
    const now = Date.parse('2026-06-02T10:30:00Z');
    const { starts, heartbeats } = lastDay(
      [
        { hour_at: '2026-06-01T11:00:00Z', heartbeats: 7, ...counts },
        { hour_at: '2026-06-02T10:00:00Z', heartbeats: 60, ...counts },
        // Older than the window: the last day began in the middle of this hour.
        { hour_at: '2026-06-01T10:00:00Z', heartbeats: 3, ...counts },
      ],
      now,
    );
    expect(starts).toHaveLength(24);
    expect(new Date(starts[0] ?? 0).toISOString()).toBe('2026-06-01T11:00:00.000Z');
    expect(heartbeats).toEqual([7, ...Array(22).fill(0), 60]);
  });
});
