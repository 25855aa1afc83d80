import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import type { ManagedBy } from '@/domain/managed-source';
import type { Executor, Tx } from '../../db/client';
import { policies, securityGroups } from '../../db/schema/policies';
import { policyTests } from '../../db/schema/policy-tests';

/** What a source can manage. */
export const MANAGED_TABLES = { policy: policies, security_group: securityGroups, policy_test: policyTests };
export type ManagedKind = keyof typeof MANAGED_TABLES;

/** By ID, what manages those of these policies, groups and policy tests that are managed as code. Three queries. */
export async function listManagers(executor: Executor, ids: readonly string[]): Promise<Map<string, ManagedBy>> {
  const found = new Map<string, ManagedBy>();
  if (ids.length === 0) return found;
  for (const table of Object.values(MANAGED_TABLES)) {
    const rows = await executor
      .select({ id: table.id, managed_by: table.managed_by })
      .from(table)
      .where(and(inArray(table.id, [...ids]), isNotNull(table.managed_by)));
    for (const { id, managed_by } of rows) if (managed_by) found.set(id, managed_by);
  }
  return found;
}

/** Has a source manage an object, or none. */
export async function updateManager(
  tx: Tx,
  kind: ManagedKind,
  id: string,
  managed_by: ManagedBy | null,
): Promise<void> {
  const table = MANAGED_TABLES[kind];
  await tx.update(table).set({ managed_by }).where(eq(table.id, id));
}

/** One of them, of any owner; other writers of it wait until the transaction ends. */
export async function lockManaged(tx: Tx, kind: ManagedKind, id: string) {
  const { id: key, name, tenant_id, project_id, managed_by } = MANAGED_TABLES[kind];
  const [row] = await tx
    .select({ id: key, name, tenant_id, project_id, managed_by })
    .from(MANAGED_TABLES[kind])
    .where(eq(key, id))
    .for('update');
  return row ?? null;
}

/**
 * Locks those of these policies, groups and policy tests that exist, before the transaction locks anything else of them: all that lock
 * several of them do it in this order, so that none waits for one that waits for it. Other ids are ignored.
 */
export async function lockObjects(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const table of Object.values(MANAGED_TABLES)) {
    await tx
      .select({ id: table.id })
      .from(table)
      .where(inArray(table.id, [...ids]))
      .orderBy(table.id)
      .for('update');
  }
}
