import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { findSensitiveService } from '@/domain/dashboard/sensitive-ports';
import { db } from '@/server/db/client';
import { SENSITIVE_PORT } from '@/server/db/schema/flows';

it('looks at exactly the sensitive ports', async () => {
  const rows = await db.execute<{ port: number }>(
    sql`select destination_port as port from generate_series(0, 65535) as ports (destination_port) where ${SENSITIVE_PORT}`,
  );
  const expected = Array.from({ length: 65_536 }, (_, port) => port).filter(
    (port) => findSensitiveService(port) !== null,
  );
  expect(rows.map(({ port }) => port)).toEqual(expected);
});

it('can use the index of these flows', async () => {
  const plan = await db.transaction(async (tx) => {
    await tx.execute(sql`set local enable_seqscan = off`);
    return tx.execute(sql`explain select 1 from traffic_flows as t where ${SENSITIVE_PORT} and t.source_cidr is null`);
  });
  expect(JSON.stringify(plan)).toContain('traffic_flows_sensitive_idx');
});
