import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { leftOutText, ruleName } from './mapping-labels';

test('a rule is called by what it matches', () =>
  expect(ruleName(english, { source: 'tag', value: 'web' })).toBe('Tag web'));

test.each([
  [{ kept_by_hand: 0, overruled: 0 }, null],
  [{ kept_by_hand: 1, overruled: 0 }, 'Not moved: 1 workload assigned manually.'],
  [{ kept_by_hand: 1200, overruled: 0 }, 'Not moved: 1,200 workloads assigned manually.'],
  [
    { kept_by_hand: 2, overruled: 3 },
    'Not moved: 2 workloads assigned manually, 3 workloads assigned by rules with precedence.',
  ],
])('%o reads %s', (preview, text) => expect(leftOutText(english, preview)).toBe(text));
