import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IPAM_STAGES, RUN_KINDS, RUN_STATUSES, SYNC_STAGES } from '@/domain/choices';
import { english } from '@/lib/i18n/translator';
import { counterText, runProgress, stageStates } from './stage-states';

const none = { seen: 0, created: 0, changed: 0, removed: 0, skipped: 0, errors: 0 };
const states = (status: (typeof RUN_STATUSES)[number], stage: string | null, counters = {}) =>
  stageStates({ kind: 'inventory', status, stage, counters }).map((view) => view.state);

test('a queued run waits everywhere', () => {
  expect(new Set(states('queued', null))).toEqual(new Set(['waiting']));
});

test('a running one has done what lies before, with problems where it counted some', () => {
  expect(states('running', 'interfaces', { guests: { ...none, seen: 3, errors: 1 } })).toEqual([
    'done',
    'done',
    'done',
    'done',
    'warned',
    'running',
    'waiting',
  ]);
});

test('a failed one stopped in its stage and did not try the rest', () => {
  expect(states('failed', 'connect')).toEqual(['failed', ...Array(6).fill('skipped')]);
  expect(states('failed', null)).toEqual(Array(7).fill('skipped'));
});

test('a discovery has stages of its own', () => {
  const views = stageStates({ kind: 'ipam', status: 'running', stage: 'addresses', counters: {} });
  expect(views.map((view) => view.stage)).toEqual([...IPAM_STAGES]);
  expect(views.map((view) => view.state)).toEqual(['done', 'done', 'done', 'running', 'waiting', 'waiting']);
});

test('progress never leaves 0 to 1, never goes back within a run, and is 1 only at the end', () => {
  const run = fc.record({
    kind: fc.constantFrom(...RUN_KINDS),
    status: fc.constantFrom(...RUN_STATUSES),
    stage: fc.constantFrom(null, ...SYNC_STAGES, ...IPAM_STAGES),
    progress_done: fc.nat(100),
    progress_total: fc.option(fc.nat(50)),
  });
  fc.assert(
    fc.property(run, (given) => {
      const share = runProgress({ ...given, counters: {} });
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(1);
      if (given.status === 'running') {
        const more = runProgress({ ...given, progress_done: given.progress_done + 1, counters: {} });
        expect(more).toBeGreaterThanOrEqual(share);
      }
    }),
  );
});

test.each([
  [null, null],
  [none, null],
  [{ ...none, seen: 4 }, 'unchanged'],
  [{ ...none, seen: 1400, created: 1200, errors: 1 }, '1,200 created, 1 problem'],
  [{ ...none, removed: 2, skipped: 1, errors: 2 }, '2 removed, 1 skipped, 2 problems'],
])('%o reads %s', (counters, text) => expect(counterText(english, counters)).toBe(text));
