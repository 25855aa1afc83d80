import { expect, test } from 'vitest';
import { NO_BULK_CHANGE, toBulkChanges } from './bulk-edit-values';

test('only what is ticked is changed', () => {
  expect(toBulkChanges(NO_BULK_CHANGE)).toEqual({});
  expect(toBulkChanges({ ...NO_BULK_CHANGE, release: true, description: 'x' })).toEqual({ workload_id: null });
  expect(toBulkChanges({ ...NO_BULK_CHANGE, set_state: true, set_description: true })).toEqual({
    state: 'reserved',
    description: '',
  });
});
