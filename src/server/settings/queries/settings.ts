import { eq, inArray, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { systemSettings } from '../../db/schema/operations';

export type Setting = typeof systemSettings.$inferSelect;

/** Stored settings by key. One query. */
export async function findSettings(executor: Executor, keys: readonly string[]): Promise<Map<string, Setting>> {
  const rows = await executor
    .select()
    .from(systemSettings)
    .where(inArray(systemSettings.key, [...keys]));
  return new Map(rows.map((row) => [row.key, row]));
}

/** A stored setting. Its value is what the program once wrote, so every reader parses it. */
export async function findSetting(executor: Executor, key: string): Promise<Setting | null> {
  const [row] = await executor.select().from(systemSettings).where(eq(systemSettings.key, key));
  return row ?? null;
}

/** A stored setting that no other transaction changes until this one ends. */
export async function lockSetting(tx: Tx, key: string): Promise<Setting | null> {
  const [row] = await tx.select().from(systemSettings).where(eq(systemSettings.key, key)).for('update');
  return row ?? null;
}

/** Stores a setting unless there is one already. @returns whether this call did it */
export async function insertSetting(executor: Executor, key: string, value: unknown, at: string): Promise<boolean> {
  const rows = await executor
    .insert(systemSettings)
    .values({ key, value, updated_at: at })
    .onConflictDoNothing()
    .returning({ key: systemSettings.key });
  return rows.length > 0;
}

/** Replaces a setting that this transaction has locked. @returns the stored row */
export async function updateSetting(tx: Tx, key: string, value: unknown, at: string): Promise<Setting> {
  const [row] = await tx
    .update(systemSettings)
    .set({ value, version: sql`${systemSettings.version} + 1`, updated_at: at })
    .where(eq(systemSettings.key, key))
    .returning();
  if (!row) throw new Error(`expected a setting ${key}`);
  return row;
}

/** Sets top-level fields of a setting that is an object, in one statement, creating it when it is missing. */
export async function mergeSetting(
  executor: Executor,
  key: string,
  fields: Record<string, unknown>,
  at: string,
): Promise<void> {
  await executor
    .insert(systemSettings)
    .values({ key, value: fields, updated_at: at })
    .onConflictDoUpdate({
      target: systemSettings.key,
      set: { value: sql`${systemSettings.value} || excluded.value`, updated_at: at },
    });
}

export async function deleteSetting(tx: Tx, key: string): Promise<void> {
  await tx.delete(systemSettings).where(eq(systemSettings.key, key));
}
