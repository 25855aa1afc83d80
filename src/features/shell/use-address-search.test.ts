import { expect, test } from 'vitest';
import { looksLikeAddress } from './use-address-search';

test.each([
  '10.0.0.5',
  ' 10.0.0.5 ',
  '10.0',
  '10.0.0.',
  'fd00::5',
  'fd00:1',
  '10.0.0.0/24',
  'bc:24:11:00:00:01',
  'BC2411000001',
])('%s is looked for', (text) => expect(looksLikeAddress(text)).toBe(true));
test.each(['', '10', 'settings', 'add', 'net0', '10.0.0.0/99', 'web-01', '2026-11-21'])('%s is not', (text) =>
  expect(looksLikeAddress(text)).toBe(false),
);
