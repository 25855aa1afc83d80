import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { allReasons, countLiveRules, guestsText, placesText } from './policy-labels';

const deployment = (values: object) => ({
  cluster_id: 'c',
  cluster_name: 'lab',
  rule_placement: 'above' as const,
  status: 'stale' as const,
  reasons: [],
  expected: 0,
  live: 0,
  missing: 0,
  outdated: 0,
  leftover: 0,
  guests: 0,
  read_at: null,
  ...values,
});

test('places are counted where there are some; one cluster goes without saying', () => {
  expect(guestsText(english, [])).toBeNull();
  expect(guestsText(english, [deployment({ guests: 0 })])).toBeNull();
  expect(guestsText(english, [deployment({ guests: 1 }), deployment({ guests: 0 })])).toBe('1 workload');
  expect(guestsText(english, [deployment({ guests: 11 }), deployment({ guests: 1200 })])).toBe(
    '1,211 workloads in 2 clusters',
  );
  expect(placesText(english, 0, 0)).toBe('0 workloads');
});

test('reasons of several clusters are named once', () => {
  const reasons = allReasons({
    deployments: [
      deployment({ reasons: ['unreadable', 'never_applied'] }),
      deployment({ reasons: ['never_applied', 'leftover'] }),
    ],
  });
  expect(reasons).toEqual(['never_applied', 'leftover', 'unreadable']);
});

test('live rules count whatever is there', () =>
  expect(countLiveRules([deployment({ live: 2, outdated: 3 }), deployment({ leftover: 4, missing: 9 })])).toBe(9));
