import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newId } from '../lib/ids';
import { db } from './client';
import { unnestRows } from './unnest-rows';

const COLUMNS = {
  key: 'int',
  owner: 'uuid',
  name: 'text',
  big: 'bigint',
  flag: 'boolean',
  at: 'timestamptz',
  address: 'inet',
  raw: 'jsonb',
} as const;

const IDS = Array.from({ length: 3 }, newId);
const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
const row = fc.record({
  owner: fc.oneof(fc.constantFrom(...IDS, null), fc.uuid()),
  name: fc.oneof(text, fc.constantFrom(null, 'NULL', '{}', '"', '\\', ',', '')),
  big: fc.oneof(fc.maxSafeInteger(), fc.constant(null)),
  flag: fc.oneof(fc.boolean(), fc.constant(null)),
  at: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
  address: fc.oneof(fc.constantFrom('10.0.0.1', '2001:db8::1'), fc.constant(null)),
  raw: fc.oneof(
    fc.dictionary(text, text, { maxKeys: 3 }).map((value) => JSON.stringify(value)),
    fc.constant(null),
  ),
});

/** One to many rows; some columns the same in all, ids that repeat. */
const rows = fc
  .tuple(
    fc.array(row, { minLength: 1, maxLength: 40 }),
    fc.subarray(['owner', 'name', 'big', 'flag', 'at', 'address', 'raw'] as const),
  )
  .map(([list, same]) =>
    list.map(
      (one, key) =>
        ({ ...one, ...Object.fromEntries(same.map((name) => [name, list[0]?.[name]])), key }) as typeof one & {
          key: number;
        },
    ),
  );

it('gives the database the rows as they are, in their order', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (list) => {
      const got = await db.execute<Record<string, unknown>>(
        sql`select key, owner::text, name, big::text, flag, at::text as at, host(address) as address, raw
          from ${unnestRows(COLUMNS, 'key', list)} as r`,
      );
      expect(
        got.map((one) => ({
          ...one,
          at: new Date(String(one.at)).toISOString(),
          raw: typeof one.raw === 'string' ? JSON.parse(one.raw) : one.raw,
        })),
      ).toEqual(
        list.map((one) => ({
          ...one,
          big: one.big === null ? null : String(one.big),
          raw: one.raw === null ? null : JSON.parse(one.raw),
        })),
      );
    }),
    { numRuns: 200 },
  );
});
