import { sql } from 'drizzle-orm';
import { db, type Executor } from '../../db/client';
import { historyStart } from '../../db/schema/history';

/** Tables with former versions of rows, which `track_history` makes. */
async function listPastTables(executor: Executor): Promise<string[]> {
  const rows = await executor.execute<{ name: string }>(sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname like 'past\\_%'
    order by relname`);
  return rows.map(({ name }) => name);
}

/** Says that nothing before this time can be asked for any more. It never moves back. */
export async function moveHistoryStart(executor: Executor, at: string): Promise<void> {
  await executor.update(historyStart).set({ at: sql`greatest(${historyStart.at}, ${at}::timestamptz)` });
}

/** Rows of one statement. */
const BATCH = 20_000;

/** Deletes versions that ended at or before `horizon`: the one that was valid then stays. @returns how many */
export async function deletePastRows(horizon: string): Promise<number> {
  let deleted = 0;
  for (const name of await listPastTables(db)) {
    const table = sql.identifier(name);
    for (;;) {
      const { count } = await db.execute(sql`delete from ${table} where ctid = any (array(
        select ctid from ${table} where until_at <= ${horizon} limit ${BATCH}))`);
      deleted += count;
      if (count < BATCH) break;
    }
  }
  return deleted;
}

/** Deletes states of firewalls that no former reading refers to. @returns how many */
export async function deleteUnusedStates(): Promise<number> {
  const { count } = await db.execute(sql`delete from firewall_states s
    where not exists (select 1 from past_firewalls p where p.state_hash = s.state_hash)`);
  return count;
}
