import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { admit } from '../admission/admission';
import { toAppError } from '../rest/problem';
import { type DatabaseUse, db, withDatabaseUse } from './client';

let headers: Record<string, string>;
beforeAll(async () => {
  headers = await bearer(await makeUser('super_admin'));
});

const setting = async (name: string) => {
  const [row] = await db.execute<{ value: string }>(sql`select current_setting(${name}) as value`);
  return row?.value;
};
function signal(): [Promise<void>, () => void] {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return [given, () => give()];
}
const scope = { actor: { kind: 'user' as const, id: 'a', name: 'a' }, reach: 'all' };

describe('connections by use', () => {
  it('bound light reads by 10 s, and changes, heartbeats and heavy reads by a minute', async () => {
    expect(await setting('statement_timeout')).toBe('1min');
    expect(await withDatabaseUse('reads', () => setting('statement_timeout'))).toBe('10s');
    const heavy = () => Promise.all([setting('statement_timeout'), setting('max_parallel_workers_per_gather')]);
    // Also where the request that became heavy began as a light one.
    expect(await withDatabaseUse('reads', () => admit('compute', scope, null, heavy))).toEqual(['1min', '0']);
  });

  it('answer light reads while heavy ones and changes have taken all of theirs', async () => {
    expect((await call('/auth/me', { headers })).status).toBe(200);
    let ended = 0;
    const [locked, lock] = signal();
    const [released, release] = signal();
    const held = withDatabaseUse('reads', () =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(130)`);
        lock();
        await released;
      }),
    );
    await locked;
    const wait = () =>
      db.execute(sql`select pg_advisory_xact_lock(130)`).then(() => {
        ended += 1;
      });
    const busy = (['heavy', 'work'] as const).flatMap((use) =>
      Array.from({ length: 20 }, () => withDatabaseUse(use, wait)),
    );
    const me = await call('/auth/me', { headers });
    expect([me.status, ended]).toEqual([200, 0]);
    release();
    await Promise.all([held, ...busy]);
    expect(ended).toBe(40);
  });

  it('belong to the use of the query, whichever use asked first', async () => {
    const inUse = (use: DatabaseUse) =>
      withDatabaseUse(use, async () => ('execute' in db ? setting('statement_timeout') : null));
    expect([await inUse('reads'), await inUse('work'), await inUse('heavy')]).toEqual(['10s', '1min', '1min']);
    expect(await setting('statement_timeout')).toBe('1min');
  });

  it('tell a statement that took too long as 503 that is not worth another try', async () => {
    const slow = db.transaction(async (tx) => {
      await tx.execute(sql`set local statement_timeout = 50`);
      await tx.execute(sql`select pg_sleep(5)`);
    });
    const error = toAppError(await slow.catch((thrown: unknown) => thrown));
    expect([error.status, error.code, error.extra]).toEqual([503, 'unavailable', { reason: 'too_slow' }]);
    expect(error.message).toMatch(/Request less data/);
  });
});
