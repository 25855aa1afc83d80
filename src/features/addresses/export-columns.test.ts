import { expect, test } from 'vitest';
import { IMPORT_COLUMNS } from '@/domain/choices';
import { ADDRESS_EXPORT, SUBNET_EXPORT } from './export-columns';

test.each([
  ['addresses', ADDRESS_EXPORT],
  ['subnets', SUBNET_EXPORT],
] as const)('a file of %s has every column that the import knows', (kind, columns) => {
  const headers = columns.map((column) => column.header);
  const { required, optional, unused } = IMPORT_COLUMNS[kind];
  expect(headers).toEqual(expect.arrayContaining([...required, ...optional]));
  // No other: an import refuses columns that it does not know.
  expect([...required, ...optional, ...unused]).toEqual(expect.arrayContaining(headers));
});
