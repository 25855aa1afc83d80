import { describe, expect, it } from 'vitest';
import { HISTORY_SLOTS, nextRound, olderRound, type Progress } from './rounds';

const NOW = 100_000;
const progress = (values: Partial<Progress>): Progress => ({
  covered_to: undefined,
  last: NOW,
  greeted: undefined,
  history: HISTORY_SLOTS,
  ...values,
});

describe('nextRound', () => {
  it('waits while nothing is over, and reports each slot that is', () => {
    expect(nextRound(progress({ covered_to: NOW }))).toBeNull();
    expect(nextRound(progress({ covered_to: NOW - 1 }))).toEqual({ from: NOW, to: NOW, kind: 'live' });
    expect(nextRound(progress({ covered_to: NOW - 4 }))).toEqual({ from: NOW - 3, to: NOW, kind: 'live' });
  });

  it('greets before it delivers what was missed', () => {
    expect(nextRound(progress({ covered_to: NOW - 20 }))).toBe('greet');
    expect(nextRound(progress({}))).toBe('greet');
  });

  it('delivers the history once, without gaps, oldest first and below the greeting, then continues live', () => {
    let covered_to: number | undefined;
    const rounds = [];
    // Time advances while it delivers.
    for (let last = NOW; ; last += rounds.length % 10 === 0 ? 1 : 0) {
      const next = nextRound(progress({ covered_to, last, greeted: NOW }));
      if (next === null || next === 'greet') throw new Error(`unexpected ${next}`);
      rounds.push(next);
      expect(next.from).toBe(covered_to === undefined ? NOW - HISTORY_SLOTS : covered_to + 1);
      covered_to = next.to;
      if (next.kind === 'live') break;
      expect(next.to).toBeLessThan(NOW);
    }
    expect(rounds.length).toBeGreaterThan(100);
    expect(rounds.length).toBeLessThan(250);
    expect(rounds.at(-1)?.from).toBe(NOW);
    expect(rounds.map(({ from, to }) => to - from + 1).filter((length) => length > 60)).toEqual([]);
  });

  it('leaves out what is too old to be kept', () => {
    expect(nextRound(progress({ covered_to: 5, greeted: NOW }))).toMatchObject({
      from: NOW - HISTORY_SLOTS,
      kind: 'late',
    });
  });
});

describe('olderRound', () => {
  it('delivers what is before the recent history once, without gaps, and leaves out what became too old', () => {
    let from = NOW - HISTORY_SLOTS - 10;
    const to = NOW - 241;
    for (let rounds = 0; ; rounds += 1) {
      const next = olderRound({ from, to }, NOW);
      if (!next) {
        expect(rounds).toBeGreaterThan(50);
        break;
      }
      expect(next.from).toBe(Math.max(from, NOW - HISTORY_SLOTS));
      expect(next.to).toBeGreaterThanOrEqual(next.from);
      from = next.to + 1;
    }
    expect(from).toBe(to + 1);
  });
});
