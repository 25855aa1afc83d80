import { expect, test } from 'vitest';
import { IMPORT_COLUMNS, IMPORT_KINDS } from '@/domain/choices';
import { english } from '@/lib/i18n/translator';
import { exampleFile, outcomeText } from './import-labels';

test('the example files have every column the import knows, and full rows', () => {
  for (const kind of IMPORT_KINDS) {
    const [head = '', ...rows] = exampleFile(kind).trim().split('\r\n');
    const columns = head.split(',');
    expect([...columns].sort()).toEqual([...IMPORT_COLUMNS[kind].required, ...IMPORT_COLUMNS[kind].optional].sort());
    for (const row of rows) expect(row.split(',')).toHaveLength(columns.length);
  }
});

const run = {
  kind: 'addresses' as const,
  conflicts: 0,
  dry_run: true,
  status: 'ok' as const,
  mode: 'atomic' as const,
  rows_total: 20_000,
  rows_bad: 0,
  created: 19_000,
  updated: 0,
  unchanged: 1000,
};

test.each([
  [{}, 'All 20,000 rows are valid: 19,000 new, 1,000 unchanged.'],
  [{ rows_total: 1, created: 1, unchanged: 0 }, 'The row is valid: 1 new.'],
  [{ rows_bad: 1, unchanged: 999 }, '1 row of 20,000 cannot be imported. Other rows: 19,000 new, 999 unchanged.'],
  [{ status: 'failed' as const, rows_total: 0 }, 'The file cannot be imported.'],
  [{ dry_run: false }, '20,000 rows imported: 19,000 new, 1,000 unchanged.'],
  [
    { dry_run: false, rows_bad: 200, unchanged: 800 },
    '19,800 rows imported: 19,000 new, 800 unchanged. 200 rows skipped.',
  ],
  [
    { dry_run: false, status: 'failed' as const, rows_bad: 2, created: 0 },
    'No rows imported: 2 rows of 20,000 are invalid.',
  ],
  [
    { kind: 'netbox' as const, conflicts: 1, rows_bad: 3 },
    'Preview: 19,000 new, 0 changed, 1,000 unchanged, 1 conflict, 3 skipped.',
  ],
  [{ kind: 'netbox' as const, status: 'failed' as const }, 'NetBox could not be previewed.'],
])('%o', (change, text) => expect(outcomeText(english, { ...run, ...change })).toBe(text));
