import { expect, test } from 'vitest';
import { totalCounters } from './run-columns';

test('counters of stages add up', () => {
  const none = { seen: 0, created: 0, changed: 0, removed: 0, skipped: 0, errors: 0 };
  const counters = { nodes: { ...none, seen: 3, created: 3 }, guests: { ...none, seen: 40, removed: 2, errors: 1 } };
  expect(totalCounters({ counters })).toEqual({ ...none, seen: 43, created: 3, removed: 2, errors: 1 });
  expect(totalCounters({ counters: {} })).toEqual(none);
});
