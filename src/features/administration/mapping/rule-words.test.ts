import { expect, test } from 'vitest';
import { leftOutText, ruleName, workloadsText } from './rule-words';

test('a rule is called by what it matches', () => expect(ruleName({ source: 'tag', value: 'web' })).toBe('Tag web'));

test.each([
  [0, '0 workloads'],
  [1, '1 workload'],
  [1200, '1,200 workloads'],
])('%i reads %s', (count, text) => expect(workloadsText(count)).toBe(text));

test.each([
  [{ kept_by_hand: 0, overruled: 0 }, null],
  [{ kept_by_hand: 1, overruled: 0 }, 'Left alone: 1 workload assigned by hand.'],
  [
    { kept_by_hand: 2, overruled: 3 },
    'Left alone: 2 workloads assigned by hand, 3 workloads decided by a rule that goes before.',
  ],
])('%o reads %s', (preview, text) => expect(leftOutText(preview)).toBe(text));
