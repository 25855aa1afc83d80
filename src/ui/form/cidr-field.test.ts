import { expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { cidrHint } from './cidr-field';

it.each([
  ['10.0.0.0/24', { text: '256 addresses' }],
  ['10.0.0.1/32', { text: '1 address' }],
  ['2001:db8::/64', { text: '2^64 addresses' }],
  [
    '10.0.0.5/24',
    { text: '10.0.0.5 is an address inside the prefix, not the prefix itself.', suggestion: '10.0.0.0/24' },
  ],
  ['10.0.0', null],
  ['10.0.0.0', null],
  ['10.0.0.0/33', null],
])('%s', (text, hint) => expect(cidrHint(english, text)).toEqual(hint));
