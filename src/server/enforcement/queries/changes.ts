import { and, eq, exists, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { ChangeState } from '@/domain/change/states';
import { type Owned, type Reach, toOwner } from '@/domain/permissions';
import type { Executor, Tx } from '../../db/client';
import { changeObjects, changeOwners, changeReviews, changes, changeTransitions } from '../../db/schema/changes';
import { newId } from '../../lib/ids';
import { ownedInReach } from '../../tenancy/queries/tenant-reach';

export type ChangeRow = typeof changes.$inferSelect;
export type NewChange = typeof changes.$inferInsert & { id: string };
export type ChangeReviewRow = typeof changeReviews.$inferSelect;
export type ChangeTransitionRow = typeof changeTransitions.$inferSelect;

/** Whether one of the owners of a change is visible; undefined when everything is. */
export function changeInReach(executor: Executor, reach: Reach): SQL | undefined {
  const visible = ownedInReach(changeOwners, reach);
  if (!visible) return undefined;
  return exists(
    executor
      .select({ one: sql`1` })
      .from(changeOwners)
      .where(and(eq(changeOwners.change_id, changes.id), visible)),
  );
}

/** A change, if it is visible. */
export async function findChange(executor: Executor, reach: Reach, id: string): Promise<ChangeRow | null> {
  const [row] = await executor
    .select()
    .from(changes)
    .where(and(eq(changes.id, id), changeInReach(executor, reach)));
  return row ?? null;
}

/** The same, locked until the transaction ends. */
export async function lockChange(tx: Tx, reach: Reach, id: string): Promise<ChangeRow | null> {
  const [row] = await tx
    .select()
    .from(changes)
    .where(and(eq(changes.id, id), changeInReach(tx, reach)))
    .for('update');
  return row ?? null;
}

/** Changes that wait to be approved or applied. */
export async function listReviewed(executor: Executor): Promise<ChangeRow[]> {
  return executor
    .select()
    .from(changes)
    .where(inArray(changes.state, ['in_review', 'approved']));
}

/** The owners of the objects that a change changes. */
export async function listChangeOwners(executor: Executor, changeId: string): Promise<Owned[]> {
  const rows = await executor.select().from(changeOwners).where(eq(changeOwners.change_id, changeId));
  return rows.map(toOwner);
}

/** Adds a change with its owners and objects. */
export async function insertChange(
  tx: Tx,
  row: NewChange,
  owners: readonly Owned[],
  objectIds: readonly string[],
): Promise<void> {
  await tx.insert(changes).values(row);
  await replaceChangeParts(tx, row.id, owners, objectIds);
}

/** Replaces the owners and objects of a change after its items changed. */
export async function replaceChangeParts(
  tx: Tx,
  change_id: string,
  owners: readonly Owned[],
  objectIds: readonly string[],
): Promise<void> {
  await tx.delete(changeOwners).where(eq(changeOwners.change_id, change_id));
  await tx.delete(changeObjects).where(eq(changeObjects.change_id, change_id));
  const distinct = new Map(owners.map((owner) => [`${owner.tenant_id} ${owner.project_id}`, toOwner(owner)]));
  if (distinct.size > 0) {
    await tx.insert(changeOwners).values([...distinct.values()].map((owner) => ({ ...owner, id: newId(), change_id })));
  }
  const objects = [...new Set(objectIds)].map((object_id) => ({ change_id, object_id }));
  if (objects.length > 0) await tx.insert(changeObjects).values(objects);
}

/** Stores values of a change as long as it is in this state. @returns the row as it is now; null: another state came first */
export async function updateChangeIn(
  executor: Executor,
  id: string,
  state: ChangeState,
  values: Partial<NewChange>,
): Promise<ChangeRow | null> {
  const [row] = await executor
    .update(changes)
    .set({ ...values, updated_at: sql`now()` })
    .where(and(eq(changes.id, id), eq(changes.state, state)))
    .returning();
  return row ?? null;
}

/** Notes that a change went from one state to another. */
export async function insertChangeTransition(
  tx: Tx,
  row: Omit<typeof changeTransitions.$inferInsert, 'id' | 'created_at'>,
): Promise<void> {
  await tx.insert(changeTransitions).values({ ...row, id: newId() });
}

/** Adds a decision of a review. */
export async function insertChangeReview(
  tx: Tx,
  row: Omit<typeof changeReviews.$inferInsert, 'id' | 'created_at'>,
): Promise<void> {
  await tx.insert(changeReviews).values({ ...row, id: newId() });
}

/** Ends the effect of all approvals of a change that still count. @returns how many */
export async function revokeChangeReviews(tx: Tx, changeId: string, reason: string): Promise<number> {
  const rows = await tx
    .update(changeReviews)
    .set({ revoked: reason })
    .where(and(eq(changeReviews.change_id, changeId), isNull(changeReviews.revoked)))
    .returning({ id: changeReviews.id });
  return rows.length;
}

/** The decisions and states of a change, oldest first. */
export async function readChangeHistory(executor: Executor, changeId: string) {
  const [reviews, transitions] = await Promise.all([
    executor
      .select()
      .from(changeReviews)
      .where(eq(changeReviews.change_id, changeId))
      .orderBy(changeReviews.created_at, changeReviews.id),
    executor
      .select()
      .from(changeTransitions)
      .where(eq(changeTransitions.change_id, changeId))
      .orderBy(changeTransitions.created_at, changeTransitions.id),
  ]);
  return { reviews, transitions };
}
