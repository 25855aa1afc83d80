import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { db, type Tx } from './client';

/** How many statements with a mark in their text the connection of the transaction has prepared. */
async function countPrepared(tx: Tx, mark: string): Promise<number> {
  const rows = await tx.execute<{ statement: string }>(sql`select statement from pg_prepared_statements`);
  return rows.filter(({ statement }) => statement.includes(mark)).length;
}

describe('the client', () => {
  it('prepares a text from the third time on, once for all values', async () => {
    const ask = (tx: Tx, value: number) => tx.execute<{ n: number }>(sql`select ${value}::int + 1 as n /* often */`);
    await db.transaction(async (tx) => {
      const counts: number[] = [];
      for (const value of [1, 2, 3, 4]) {
        expect((await ask(tx, value))[0]?.n).toBe(value + 1);
        counts.push(await countPrepared(tx, 'often'));
      }
      expect(counts).toEqual([0, 0, 1, 1]);
    });
  });

  it('plans them for their values', async () => {
    const [row] = await db.execute<{ plan_cache_mode: string }>(sql`show plan_cache_mode`);
    expect(row?.plan_cache_mode).toBe('force_custom_plan');
  });

  it('limits them: texts that differ each time do not fill the memory of the connections', async () => {
    await db.transaction(async (tx) => {
      for (let text = 0; text < 300; text++) {
        for (let time = 0; time < 3; time++) await tx.execute(sql.raw(`select ${text} /* many */`));
      }
      expect(await countPrepared(tx, 'many')).toBeLessThanOrEqual(250);
    });
  });

  it('answers after their table has changed', async () => {
    await db.execute(sql`create table changing (a int)`);
    const read = () => db.execute(sql`select * from changing /* changing */`);
    for (let time = 0; time < 5; time++) await read();
    await db.execute(sql`insert into changing values (1)`);
    await db.execute(sql`alter table changing add column b int default 2`);
    expect([...(await read())]).toEqual([{ a: 1, b: 2 }]);
  });
});
