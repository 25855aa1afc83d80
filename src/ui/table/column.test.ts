import { expect, it } from 'vitest';
import { formatSort, parseSort } from './column';

it('reads and writes the sort of the list API', () => {
  expect(parseSort('-last_sync_at')).toEqual({ id: 'last_sync_at', desc: true });
  expect(parseSort('name')).toEqual({ id: 'name', desc: false });
  for (const sort of ['name', '-name']) expect(formatSort(parseSort(sort))).toBe(sort);
});
