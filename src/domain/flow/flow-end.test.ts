import { expect, it } from 'vitest';
import { parseEndFilter } from './flow-end';
import { EndFilterText } from './flow-filter';

it.each([
  ['10.0.0.5', '10.0.0.5/32'],
  ['10.0.0.5/24', '10.0.0.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8::1', '2001:db8::1/128'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['::ffff:10.0.0.5', '10.0.0.5/32'],
  ['::ffff:10.0.0.5/120', '10.0.0.0/24'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  ['::ffff:10.0.0.5/95', '::fffe:0:0/95'],
  ['::ffff:0:10.0.0.5', '::ffff:0:a00:5/128'],
])('reads %s as the network %s', (text, cidr) => {
  expect(parseEndFilter(text)).toEqual({ kind: 'network', cidr });
});

it('reads the two words, and nothing else', () => {
  expect(parseEndFilter('internal')).toEqual({ kind: 'internal' });
  expect(parseEndFilter('external')).toEqual({ kind: 'external' });
  for (const text of ['', 'any', '10.0.0', '10.0.0.0/33', '10.0.0.5/x', 'fe80::1%eth0']) {
    expect(parseEndFilter(text)).toBeNull();
    expect(EndFilterText.safeParse(text).success).toBe(false);
  }
});
