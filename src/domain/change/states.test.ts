import { describe, expect, it } from 'vitest';
import { CHANGE_STATES, EDITABLE_STATES, isFinalState, isTransition, NEXT_STATES, ROLLOUT_STATES } from './states';

describe('states of a change', () => {
  const reach = (start: (typeof CHANGE_STATES)[number]) => {
    const seen = new Set([start]);
    for (const state of seen) for (const next of NEXT_STATES[state]) seen.add(next);
    return seen;
  };

  it('follow from a draft, each of them', () => {
    expect([...reach('draft')].sort()).toEqual([...CHANGE_STATES].sort());
  });

  it('never leave a rollout but by its end or by being refused before the first write', () => {
    for (const state of ROLLOUT_STATES) {
      const left = NEXT_STATES[state].filter((next) => !(ROLLOUT_STATES as readonly string[]).includes(next));
      expect([state, left.filter((next) => !isFinalState(next))]).toEqual([
        state,
        state === 'applying' ? ['approved'] : [],
      ]);
    }
  });

  it('let every rollout end', () => {
    for (const state of ROLLOUT_STATES) expect([...reach(state)].some(isFinalState)).toBe(true);
  });

  it('lead from every editable state to a draft only by an edit, and never to a write without approval', () => {
    for (const state of EDITABLE_STATES) {
      if (state !== 'approved') expect(isTransition(state, 'applying')).toBe(false);
      if (state !== 'draft') expect(isTransition(state, 'draft')).toBe(true);
    }
  });
});
