import { expect, test } from 'vitest';
import type { IpRange } from '@/domain/ipam/ip-range';
import { EMPTY_RANGE, toRangeInput, toRangeUpdate, toRangeValues } from './range-form-values';

const stored = {
  kind: 'dhcp',
  first_address: '10.0.0.100',
  last_address: '10.0.0.199',
  description: '',
  version: 2,
} as IpRange;

test('only changes are sent', () => {
  expect(toRangeUpdate(toRangeValues(stored), stored)).toEqual({ version: 2 });
  expect(toRangeUpdate({ ...toRangeValues(stored), last_address: '10.0.0.150' }, stored)).toEqual({
    last_address: '10.0.0.150',
    version: 2,
  });
  expect(toRangeInput(EMPTY_RANGE, 's1')).toEqual({ ...EMPTY_RANGE, subnet_id: 's1' });
});
