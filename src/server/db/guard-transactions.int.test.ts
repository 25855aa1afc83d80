import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { db, type Tx } from './client';

beforeAll(() => db.execute(sql`create table written (text text)`));
beforeEach(() => db.execute(sql`truncate written`));

const insert = (tx: Tx, text: string) => tx.execute(sql`insert into written values (${text})`);
const listWritten = async () =>
  (await db.execute<{ text: string }>(sql`select text from written`)).map(({ text }) => text);

/** Waits for the database, then writes. */
async function writeLate(tx: Tx, text: string): Promise<void> {
  await tx.execute(sql`select pg_sleep(0.1)`);
  await insert(tx, text);
}

describe('a part of a transaction that continues after its end', () => {
  it('writes nothing when another part has failed', async () => {
    let late = Promise.resolve();
    const failing = db.transaction(async (tx) => {
      await insert(tx, 'early');
      late = writeLate(tx, 'late');
      await Promise.all([late, Promise.reject(new Error('another part'))]);
    });
    await expect(failing).rejects.toThrow('another part');
    await expect(late).rejects.toThrow('Failed query');
    expect(await listWritten()).toEqual([]);
  });

  it('writes nothing when the transaction did not wait for it', async () => {
    let late = Promise.resolve();
    await db.transaction(async (tx) => {
      await insert(tx, 'early');
      late = delay(100).then(() => writeLate(tx, 'late'));
      // It may fail before the transaction is stored.
      late.catch(() => {});
    });
    await expect(late).rejects.toThrow('Failed query');
    expect(await listWritten()).toEqual(['early']);
  });
});

describe('a savepoint', () => {
  it('takes back what its part wrote, and nothing else', async () => {
    await db.transaction(async (tx) => {
      await insert(tx, 'before');
      const part = tx.transaction(async (inner) => {
        await insert(inner, 'part');
        await inner.execute(sql`select 1 / 0`);
      });
      await expect(part).rejects.toThrow('Failed query');
      await insert(tx, 'after');
    });
    expect(await listWritten()).toEqual(['before', 'after']);
  });

  it('does not end the process when its connection is lost', async () => {
    const lost = db.transaction(async (tx) => {
      await insert(tx, 'before');
      await tx.transaction((inner) => inner.execute(sql`select pg_terminate_backend(pg_backend_pid())`));
    });
    await expect(lost).rejects.toThrow('CONNECTION_CLOSED');
    expect(await listWritten()).toEqual([]);
  });
});
