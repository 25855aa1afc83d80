import { and, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Page } from '@/domain/list';
import type { BuiltInRole } from '@/domain/permissions';
import { ROLE_SORTS, Role, type RoleListInput } from '@/domain/role';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { roleAssignments, roles } from '../../db/schema/access';

export type RoleRow = typeof roles.$inferSelect;

/** Gives a user a built-in role platform-wide. @throws Error when the installation lacks the role */
export async function assignBuiltInRole(tx: Tx, userId: string, role: BuiltInRole): Promise<void> {
  const [row] = await tx.select({ id: roles.id }).from(roles).where(eq(roles.name, role));
  if (!row) throw new Error(`the built-in role ${role} is missing; run the migrations`);
  await tx.insert(roleAssignments).values({ user_id: userId, role_id: row.id, tenant_id: null });
}

const columnsAt = (now: string) =>
  selectColumns(Role, roles, {
    users_total: sql<number>`(select count(distinct ${roleAssignments.user_id})::int from ${roleAssignments}
    where ${eq(roleAssignments.role_id, roles.id)}
      and ${or(isNull(roleAssignments.expires_at), gt(roleAssignments.expires_at, now))})`,
  });

/** Roles page by page. Two queries. */
export async function listRoles(input: RoleListInput, now: string): Promise<Page<Role>> {
  const where = and(...buildConditions(input, roles, { q: hasText(roles.name, roles.title) }));
  const sorts = buildSortKeys(Role, ROLE_SORTS, columnsAt(now));
  return queryPage<Role>(input, { sorts, sort: 'title', id: roles.id }, (paging) => ({
    rows: db
      .select(columnsAt(now))
      .from(roles)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(roles, where),
  }));
}

/** One role, or null. */
export async function findRole(executor: Executor, id: string, now: string): Promise<Role | null> {
  const [row] = await executor.select(columnsAt(now)).from(roles).where(eq(roles.id, id));
  return row ?? null;
}

/** The row, locked against other writers; `update` also against new references to it. */
export async function lockRole(tx: Tx, id: string, strength: 'no key update' | 'update'): Promise<RoleRow | null> {
  const [row] = await tx.select().from(roles).where(eq(roles.id, id)).for(strength);
  return row ?? null;
}

/** Every role with what it permits, by title. */
export async function listAllRoles(executor: Executor): Promise<Pick<RoleRow, 'id' | 'title' | 'permissions'>[]> {
  return executor
    .select({ id: roles.id, title: roles.title, permissions: roles.permissions })
    .from(roles)
    .orderBy(roles.title);
}

export async function isRoleNameTaken(tx: Tx, name: string): Promise<boolean> {
  return (await tx.$count(roles, eq(roles.name, name))) > 0;
}

export async function insertRole(tx: Tx, row: typeof roles.$inferInsert): Promise<void> {
  await tx.insert(roles).values(row);
}

export async function updateRole(tx: Tx, id: string, changes: Partial<RoleRow>): Promise<void> {
  await tx
    .update(roles)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(roles.id, id));
}

/** Removes a role and the expired assignments of it. */
export async function deleteRoleRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(roleAssignments).where(eq(roleAssignments.role_id, id));
  await tx.delete(roles).where(eq(roles.id, id));
}

/** Roles by id; unknown ids are missing. They cannot be deleted until the transaction ends. */
export async function findRolesById(tx: Tx, ids: readonly string[]): Promise<Map<string, RoleRow>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .select()
    .from(roles)
    .where(inArray(roles.id, [...ids]))
    .orderBy(roles.id)
    .for('key share');
  return new Map(rows.map((row) => [row.id, row]));
}
