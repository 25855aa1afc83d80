import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WorkloadListInput } from '@/domain/inventory';
import { recordStatements } from '@/test/count-queries';
import { listWorkloads } from '../inventory/queries/workloads';
import { newId } from '../lib/ids';
import { db } from './client';
import { type PgArrayType, pgArray } from './pg-array';
import { workloads } from './schema/workloads';

const VALUES: Record<PgArrayType, fc.Arbitrary<string | number | boolean>> = {
  bigint: fc.maxSafeInteger(),
  boolean: fc.boolean(),
  cidr: fc.constantFrom('10.0.0.0/8', '2001:db8::/32'),
  date: fc.constantFrom('2026-01-31', '1970-01-01'),
  float8: fc.constantFrom(0, -1.5, 1e21),
  inet: fc.constantFrom('10.0.0.1', '2001:db8::1'),
  int: fc.integer(),
  jsonb: fc.constantFrom('{"a": [1, "}"]}', '[]', 'null'),
  smallint: fc.integer({ min: -32_768, max: 32_767 }),
  text: fc.oneof(
    fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', '')),
    fc.constantFrom('NULL', '{}', '"', '\\', ',', ''),
  ),
  timestamptz: fc.constantFrom('2026-11-23T02:00:00Z'),
  uuid: fc.uuid(),
};
const TYPES = Object.keys(VALUES) as PgArrayType[];

describe('pgArray', () => {
  it.each(TYPES)('sends values of type %s as they are', async (type) => {
    const oneByOne = (value: string | number | boolean | null) =>
      sql`${value === null ? null : String(value)}::text::${sql.raw(type)}`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(VALUES[type]), { minLength: 1, maxLength: 20 }), async (list) => {
        const [row] = await db.execute<{ same: boolean }>(
          sql`select ${pgArray(type, list)} is not distinct from array[${sql.join(list.map(oneByOne), sql`, `)}] as same`,
        );
        expect(row?.same).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it.each(TYPES)('yields a constant for the planner, of type %s', async (type) => {
    const [value = ''] = fc.sample(VALUES[type], { numRuns: 1, seed: 1 });
    const plan = await db.execute<{ 'QUERY PLAN': string }>(sql`explain (costs off)
      select from (select null::${sql.raw(type)} as one from generate_series(1, 9) offset 0) as t
      where one = any (${pgArray(type, [value])})`);
    const filter = plan.map((row) => row['QUERY PLAN']).find((line) => line.includes('Filter:'));
    // A constant is printed quoted and with its type, and nothing of a cast is left.
    expect(filter).toMatch(/any \('\{.*\}'::[a-z ]+\[\]\)/i);
    expect(filter).not.toContain('::text)');
  });
});

describe('listWorkloads', () => {
  it('compares ids with an array that is parsed once', async () => {
    const { statements } = await recordStatements(() =>
      listWorkloads('all', { limit: 10 } as WorkloadListInput, [newId(), newId()]),
    );
    expect(statements.filter((text) => text.includes('any ('))).toHaveLength(2);
    for (const text of statements) expect(text).not.toMatch(/::text::\w+\[\]/);
    const [plan] = await db.execute<{ 'QUERY PLAN': [{ Plan: { Filter?: string } }] }>(
      sql`explain (format json) select from ${workloads} where ${workloads.id} = any (${pgArray('uuid', [newId()])})`,
    );
    expect(JSON.stringify(plan)).not.toContain('::text');
  });
});
