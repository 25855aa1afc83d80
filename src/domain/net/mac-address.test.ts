import { describe, expect, it } from 'vitest';
import { isGroupMac, normalizeMac } from './mac-address';

describe('MAC addresses', () => {
  it.each(['bc:24:11:20:99:1e', 'BC-24-11-20-99-1E', 'bc24.1120.991e', 'bc241120991e'])(
    '%s has one canonical form',
    (text) => {
      expect(normalizeMac(text)).toBe('BC:24:11:20:99:1E');
    },
  );

  it.each([
    'bc:24:11:20:99',
    'bc:24-11:20:99:1e',
    'bc:24:11:20:99:1e:00',
    'bc:24:11:20:99:1g',
    '',
    ' bc:24:11:20:99:1e',
  ])('refuse %j', (text) => expect(normalizeMac(text)).toBeNull());

  it('tell groups from interfaces', () => {
    expect(isGroupMac('01:00:5E:00:00:01')).toBe(true);
    expect(isGroupMac('BC:24:11:20:99:1E')).toBe(false);
  });
});
