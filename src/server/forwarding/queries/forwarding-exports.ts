import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import { db, type Executor, type Tx } from '../../db/client';
import { pgArray } from '../../db/pg-array';
import { forwardingExports } from '../../db/schema/forwarding';
import { unnestRows } from '../../db/unnest-rows';

export type ExportRow = typeof forwardingExports.$inferSelect;

/** What was sent to a destination of conversations with some keys. */
export function listExports(destination_id: string, keys: readonly string[]): Promise<ExportRow[]> {
  return db
    .select()
    .from(forwardingExports)
    .where(
      and(
        eq(forwardingExports.destination_id, destination_id),
        sql`${forwardingExports.flow_key} = any (${pgArray('uuid', keys)})`,
      ),
    );
}

const COLUMNS = {
  destination_id: 'uuid',
  conversation_id: 'uuid',
  flow_key: 'uuid',
  low_bytes: 'bigint',
  low_packets: 'bigint',
  high_bytes: 'bigint',
  high_packets: 'bigint',
  first_seen_at: 'timestamptz',
  last_seen_at: 'timestamptz',
  exported_at: 'timestamptz',
} as const;
const NAMES = Object.keys(COLUMNS);

/** Stores what was sent of conversations, each once, and forgets those that are a part of others by now. */
export async function storeExports(tx: Tx, rows: readonly ExportRow[], parts: readonly string[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const kept = NAMES.slice(2);
  await tx.execute(sql`
    insert into ${forwardingExports} (${sql.raw(NAMES.join(', '))})
    ${unnestRows(COLUMNS, 'conversation_id', rows)}
    on conflict (destination_id, conversation_id) do update set ${sql.raw(kept.map((name) => `${name} = excluded.${name}`).join(', '))}`);
  if (parts.length === 0) return;
  await tx
    .delete(forwardingExports)
    .where(
      and(
        eq(forwardingExports.destination_id, first.destination_id),
        inArray(forwardingExports.conversation_id, [...parts]),
      ),
    );
}

/** Deletes what was sent before a time, when its conversations cannot be sent again. @returns how many */
export async function deleteOldExports(executor: Executor, cutoff: string): Promise<number> {
  const rows = await executor
    .delete(forwardingExports)
    .where(lt(forwardingExports.exported_at, cutoff))
    .returning({ id: forwardingExports.conversation_id });
  return rows.length;
}
