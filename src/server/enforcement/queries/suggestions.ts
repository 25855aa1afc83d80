import { eq, lt, sql } from 'drizzle-orm';
import type { Owned } from '@/domain/permissions';
import type { Executor, Tx } from '../../db/client';
import { suggestions } from '../../db/schema/suggestions';
import { runLeases } from '../../jobs/queries/run-leases';

export type SuggestionRow = typeof suggestions.$inferSelect;
export type NewSuggestion = typeof suggestions.$inferInsert;

export const suggestionLeases = runLeases(suggestions);

export async function insertSuggestion(tx: Tx, row: NewSuggestion): Promise<void> {
  await tx.insert(suggestions).values(row);
}

export async function findSuggestion(executor: Executor, id: string): Promise<SuggestionRow | null> {
  const [row] = await executor.select().from(suggestions).where(eq(suggestions.id, id));
  return row ?? null;
}

/** The same, and others that would change it wait. */
export async function lockSuggestion(tx: Tx, id: string): Promise<SuggestionRow | null> {
  const [row] = await tx.select().from(suggestions).where(eq(suggestions.id, id)).for('update');
  return row ?? null;
}

type Choices = Partial<
  Pick<SuggestionRow, 'position' | 'groups' | 'widths' | 'close' | 'version' | 'change_id' | 'impact_id'>
>;

export async function updateSuggestion(executor: Executor, id: string, changes: Choices): Promise<void> {
  await executor.update(suggestions).set(changes).where(eq(suggestions.id, id));
}

/** How many of an owner's suggestions are not computed yet. */
export const countUnfinished = (tx: Tx, { tenant_id }: Owned): Promise<number> =>
  suggestionLeases.countUnfinished(tx, sql`${suggestions.tenant_id} is not distinct from ${tenant_id}::uuid`);

/** Deletes suggestions from before `cutoff`. Changes that were made of them stay. @returns how many */
export async function deleteOldSuggestions(executor: Executor, cutoff: string): Promise<number> {
  const rows = await executor
    .delete(suggestions)
    .where(lt(suggestions.created_at, cutoff))
    .returning({ id: suggestions.id });
  return rows.length;
}
