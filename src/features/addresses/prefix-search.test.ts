import { expect, test } from 'vitest';
import { subnetQuery } from './prefix-search';

test.each([
  ['', null],
  [' 10.0.0.5 ', { contains: '10.0.0.5' }],
  ['FD00::0:5', { contains: 'fd00::5' }],
  ['10.0.0.0/8', { within: '10.0.0.0/8' }],
  ['10.0.0.5/24', { within: '10.0.0.0/24' }],
  ['10.0.0.', { q: '10.0.0.' }],
  ['10.0.0.0/99', { q: '10.0.0.0/99' }],
  ['servers', { q: 'servers' }],
])('%s', (text, query) => expect(subnetQuery(text)).toEqual(query));
