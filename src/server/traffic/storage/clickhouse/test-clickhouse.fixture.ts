import { afterAll } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { findChdbProblem, startChdb } from '@/test/chdb-server';
import { connectTo } from './connection';
import { migrateClickhouse } from './migrate';
import { SETTLED_TABLES } from './migrations';

/** Tables from which everything else can be made again. */
export const OWN_TABLES = ['flows', 'rollup_minutes', 'rollup_hours', 'unresolved_minutes'];

/** A ClickHouse with the tables of flows, for the tests of a file. `server` is null where ClickHouse is not installed: tests are skipped then. */
export async function startTestClickhouse() {
  const server = findChdbProblem() === null ? await startChdb() : null;
  const connection = connectTo(server?.url ?? '');
  if (server) await migrateClickhouse(connection);
  afterAll(() => server?.stop());

  /** Removes all that both databases have of flows in ClickHouse. */
  const clear = async (): Promise<void> => {
    for (const table of [...OWN_TABLES, ...SETTLED_TABLES, 'flow_expiry', 'counted_days', 'made_days'])
      await connection.run(`truncate table ${table}`);
    await sqlClient()`truncate open_conversations, flow_outbox, refused_flows, traffic_marks, traffic_owners, traffic_by_workload, traffic_totals,
      flow_counted_days`;
  };
  return { server, connection, clear };
}
