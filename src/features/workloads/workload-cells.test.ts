import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { firewallText } from './workload-cells';

const read = '2026-11-21T00:00:00.000Z';

test.each([
  [0, 0, read, null],
  [1, 1, read, 'On'],
  [1, 0, read, 'Off'],
  [2, 2, read, 'All 2'],
  [2, 0, read, 'None of 2'],
  [3, 1, read, '1 of 3'],
  [0, 0, null, 'Unknown'],
  [2, 1, null, 'Unknown'],
])('%i cards, %i flagged, read at %s: %s', (interfaces_total, interfaces_firewalled, config_read_at, text) => {
  expect(firewallText(english, { interfaces_total, interfaces_firewalled, config_read_at })).toBe(text);
});
