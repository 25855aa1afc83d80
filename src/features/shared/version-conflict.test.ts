import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { listDifferences } from './version-conflict';

const labels = { name: 'Name', dns: 'DNS servers', dhcp: 'DHCP' };

test('only what differs is shown, lists and flags as words', () => {
  expect(
    listDifferences(
      english,
      labels,
      { name: 'a', dns: ['10.0.0.1', '10.0.0.2'], dhcp: true },
      { name: 'a', dns: [], dhcp: false, version: 3 },
    ),
  ).toEqual([
    { field: 'dns', label: 'DNS servers', mine: '10.0.0.1, 10.0.0.2', theirs: '' },
    { field: 'dhcp', label: 'DHCP', mine: 'Yes', theirs: 'No' },
  ]);
});

test('null, undefined and the empty text are the same', () => {
  expect(listDifferences(english, { name: 'Name' }, { name: '' }, { name: null })).toEqual([]);
  expect(listDifferences(english, { name: 'Name' }, {}, { name: null })).toEqual([]);
});
