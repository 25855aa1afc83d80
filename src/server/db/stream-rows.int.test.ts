import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { db } from './client';
import { readSnapshot, type Streams } from './stream-rows';

const ROWS = 6_000;

beforeAll(async () => {
  await db.execute(sql`create table if not exists streamed (number int primary key)`);
  await db.execute(sql`insert into streamed select generate_series(1, ${ROWS})`);
});

async function firstValue(streams: Streams, query: ReturnType<typeof sql>): Promise<unknown> {
  const found: unknown[] = [];
  await streams.eachValues<[unknown]>(query, (rows) => {
    found.push(...rows.map(([value]) => value));
  });
  return found[0];
}

describe('a snapshot over two connections', () => {
  it('reads one state, whatever is stored in between', async () => {
    const count = sql`select count(*)::int from streamed`;
    await readSnapshot((first) =>
      first.second(async (second) => {
        expect(await firstValue(first, count)).toBe(ROWS);
        await db.execute(sql`insert into streamed values (${ROWS + 1})`);
        expect(await firstValue(second, count)).toBe(ROWS);
        await db.execute(sql`delete from streamed where number > ${ROWS}`);
      }),
    );
  });

  it('lets each connection wait for the other as long as an answer may take', async () => {
    const limit = sql`select current_setting('idle_in_transaction_session_timeout')`;
    await readSnapshot((first) =>
      first.second(async (second) => {
        expect([await firstValue(first, limit), await firstValue(second, limit)]).toEqual(['15min', '15min']);
      }),
    );
    await readSnapshot(async (alone) => expect(await firstValue(alone, limit)).toBe('1min'));
  });

  it.each([500, 2_000])(
    'gives all rows in order, one batch after the other, to a slow reader (%s at a time)',
    async (batch) => {
      const numbers: number[] = [];
      let working = 0;
      await readSnapshot(({ eachValues }) =>
        eachValues<[number]>(
          sql`select number from streamed order by number`,
          async (rows) => {
            working += 1;
            expect(working).toBe(1);
            expect(rows.length).toBeLessThanOrEqual(batch);
            await delay(5);
            numbers.push(...rows.map(([value]) => value));
            working -= 1;
          },
          batch,
        ),
      );
      expect(numbers).toEqual(Array.from({ length: ROWS }, (_, at) => at + 1));
    },
  );
});
