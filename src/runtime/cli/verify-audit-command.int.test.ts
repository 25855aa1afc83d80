import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordAudit } from '@/server/audit/record';
import { db, sqlClient } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { buildFabric, fabric } from './testing.fixture';

let program: Awaited<ReturnType<typeof buildFabric>>;
beforeAll(async () => {
  program = await buildFabric();
}, 60_000);
afterAll(() => program.remove());

const run = (...args: string[]) =>
  fabric(program.file, ['verify-audit', ...args], { DATABASE_URL: env().DATABASE_URL ?? '' });

const write = () =>
  db.transaction((tx) =>
    recordAudit(
      tx,
      { actor: { kind: 'system', id: null, name: 'test' }, origin: null },
      { action: 'thing.changed', object_kind: 'thing', after: { version: 1.5 } },
    ),
  );

describe('fabric verify-audit', () => {
  it('says that the trail is intact, gives an anchor, and names the first broken record', async () => {
    for (let i = 0; i < 3; i += 1) await write();
    const intact = await run();
    expect(intact).toMatchObject({ status: 0, stderr: '' });
    expect(intact.stdout).toMatch(/^Intact: 3 records\.\n3:[0-9a-f]{64}\n$/);
    const anchor = intact.stdout.split('\n')[1] ?? '';
    await write();
    expect((await run('--anchor', anchor)).status).toBe(0);
    expect(await run('--anchor', '3:zz')).toMatchObject({ status: 1 });
    await sqlClient().begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update audit_records set actor_name = 'nobody' where seq = 2`;
    });
    expect(await run()).toMatchObject({ status: 1, stderr: 'Broken: record 2 was changed after it was written.\n' });
  });
});
