import { getPriority } from 'node:os';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { db, withDatabaseUse } from '@/server/db/client';
import { lowerBackendPriority } from './lower-backends';

const getBackendPid = async () => {
  const [row] = await db.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return row?.pid ?? 0;
};

it.runIf(process.platform === 'linux')('lowers the priority of connections for heavy statements only', async () => {
  const heavy = await withDatabaseUse('heavy', getBackendPid);
  const light = await withDatabaseUse('reads', getBackendPid);
  const before = getPriority(light);
  lowerBackendPriority(10)();
  await expect.poll(() => getPriority(heavy)).toBe(10);
  expect(getPriority(light)).toBe(before);
});
