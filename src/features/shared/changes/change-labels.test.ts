import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import { CHANGE_STATES, isFinalState } from '@/domain/change/states';
import { findNextStep, isPaused, STATE_LABELS } from './change-labels';

type Wave = Change['rollout'][number];
const wave = (started_at: string | null, finished_at: string | null): Wave => ({
  kind: 'rest',
  workloads: {},
  workloads_total: 1,
  started_at,
  finished_at,
});
const AT = '2026-11-26T12:00:00Z';
const waiting = [wave(AT, AT), wave(null, null)];
const running = [wave(AT, AT), wave(AT, null)];

describe('the state of a change', () => {
  it('waits for something unless it is final or withdrawn', () => {
    for (const state of CHANGE_STATES) {
      expect([state, STATE_LABELS[state].waitsFor === null]).toEqual([
        state,
        isFinalState(state) || state === 'withdrawn',
      ]);
    }
  });
});

describe('the step that leads on', () => {
  it('confirms rather than rolls back', () => {
    const change = { state: 'awaiting_confirmation', rollout: [], actions: ['roll_back', 'confirm'] } as const;
    expect(findNextStep({ ...change, rollout: [], actions: [...change.actions] })).toBe('confirm');
  });

  it('continues only while the roll-out waits', () => {
    const applying = { state: 'applying' as const, actions: ['continue' as const, 'roll_back' as const] };
    expect(findNextStep({ ...applying, rollout: waiting })).toBe('continue');
    expect(findNextStep({ ...applying, rollout: running })).toBe('roll_back');
    expect(findNextStep({ ...applying, state: 'failed', rollout: running })).toBe('continue');
  });

  it('continues rather than stops the timer of a change that waits', () => {
    const change = { state: 'failed' as const, rollout: running };
    expect(findNextStep({ ...change, actions: ['confirm', 'continue', 'roll_back'] })).toBe('continue');
  });

  it('does not exist for readers who may do nothing', () => {
    expect(findNextStep({ state: 'in_review', rollout: [], actions: [] })).toBeNull();
  });
});

describe('a roll-out', () => {
  it('pauses between two waves, and not before the first or after the last', () => {
    expect(isPaused({ state: 'applying', rollout: waiting })).toBe(true);
    expect(isPaused({ state: 'applying', rollout: running })).toBe(false);
    expect(isPaused({ state: 'applying', rollout: [wave(null, null)] })).toBe(false);
    expect(isPaused({ state: 'applying', rollout: [wave(AT, AT)] })).toBe(false);
    expect(isPaused({ state: 'rolling_back', rollout: waiting })).toBe(false);
  });
});
