import { expect, it } from 'vitest';
import { diffSets } from './diff-sets';

const desired = [{ name: 'fabric-v4-a', cidrs: ['10.0.0.1', '10.0.1.0/24'] }];

it('finds nothing to do where the sets hold the same networks, in any form and order', () => {
  const live = { 'fabric-v4-a': [{ cidr: '10.0.1.0/24' }, { cidr: '10.0.0.1/32' }], mine: [{ cidr: '10.9.9.9' }] };
  expect(diffSets(desired, live)).toEqual({ created: [], changed: [], removed: [] });
});

it('names sets to create and managed sets that no rule uses, and leaves unmanaged sets', () => {
  const live = { 'fabric-v4-old': [], mine: [] };
  expect(diffSets(desired, live)).toEqual({ created: desired, changed: [], removed: ['fabric-v4-old'] });
});

it('names entries that are missing, foreign, negated or broken', () => {
  const live = {
    'fabric-v4-a': [
      { cidr: '10.0.0.1', nomatch: 1 },
      { cidr: '10.0.1.0/24', errors: { cidr: 'no' } },
      { cidr: '10.7.0.0/16' },
    ],
  };
  expect(diffSets(desired, live).changed).toEqual([
    { name: 'fabric-v4-a', added: ['10.0.0.1', '10.0.1.0/24'], removed: ['10.0.0.1', '10.0.1.0/24', '10.7.0.0/16'] },
  ]);
});
