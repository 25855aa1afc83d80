import { getPriority } from 'node:os';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { db, withDatabaseUse } from '@/server/db/client';
import { lowerBackends } from './lower-backends';

const pidOf = async () => {
  const [row] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return row?.pid ?? 0;
};

it.runIf(process.platform === 'linux')('lowers the priority of connections for heavy statements only', async () => {
  const heavy = await withDatabaseUse('heavy', pidOf);
  const light = await withDatabaseUse('reads', pidOf);
  const before = getPriority(light);
  lowerBackends(10)();
  await expect.poll(() => getPriority(heavy), { timeout: 10_000 }).toBe(10);
  expect(getPriority(light)).toBe(before);
});
