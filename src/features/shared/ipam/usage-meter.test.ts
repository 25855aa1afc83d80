import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { capacityText, usageText } from './usage-meter';

const usage = (used: number, capacity: string) => ({
  capacity,
  used,
  active: used,
  reserved: 0,
  dhcp: 0,
  conflict: 0,
  stale: 0,
  utilisation: used / Number(capacity),
});

test.each([
  ['254', '254'],
  ['65534', '65,534'],
  ['1048576', '1,048,576'],
  ['16777214', '16.8 M'],
  ['18446744073709551615', '2^64'],
  ['18446744073709551000', '2^64'],
  ['1208925819614629174706175', '2^80'],
])('%s addresses are written %s', (capacity, text) => expect(capacityText(capacity)).toBe(text));

test('the usage text shows used and total addresses', () => {
  expect(usageText(english, usage(12, '254'))).toBe('12 of 254');
  expect(usageText(english, usage(1200, '18446744073709551615'))).toBe('1,200 of 2^64');
});
