import { and, asc, eq, gt, inArray, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import { USER_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import { Assignment, User, type UserListInput } from '@/domain/user';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { projects, roleAssignments, roles, tenants, users } from '../../db/schema/access';
import { refreshTokens } from '../../db/schema/sign-in';
import { hasSecondFactor, secondFactorSince } from './second-factors';

export type UserRow = typeof users.$inferSelect;
type HeldAssignment = Assignment & { user_id: string; permissions: string[] };

const StoredUser = User.omit({ assignments: true });
type StoredUser = Omit<User, 'assignments'>;

const columnsAt = (now: string) =>
  selectColumns(StoredUser, users, {
    second_factor_at: secondFactorSince,
    has_password: sql<boolean>`${users.password_hash} is not null`,
    second_factor_required: sql<boolean>`exists (select 1 from ${roleAssignments}
    join ${roles} on ${eq(roles.id, roleAssignments.role_id)}
    where ${eq(roleAssignments.user_id, users.id)} and ${roles.requires_second_factor}
      and ${or(isNull(roleAssignments.expires_at), gt(roleAssignments.expires_at, now))})`,
    sessions_total: sql<number>`(select count(distinct ${refreshTokens.family_id})::int from ${refreshTokens}
    where ${eq(refreshTokens.user_id, users.id)} and ${refreshTokens.revoked_at} is null
      and ${refreshTokens.rotated_at} is null and ${refreshTokens.expires_at} > ${now})`,
  });

/** The roles of these users, expired ones too, oldest first. One query. */
export async function findAssignments(
  executor: Executor,
  userIds: readonly string[],
  now: string,
): Promise<HeldAssignment[]> {
  if (userIds.length === 0) return [];
  const rows = await executor
    .select({
      ...selectColumns(Assignment.omit({ expired: true }), roleAssignments, {
        role: roles.name,
        role_title: roles.title,
        tenant_name: tenants.name,
        project_name: projects.name,
      }),
      user_id: roleAssignments.user_id,
      permissions: roles.permissions,
    })
    .from(roleAssignments)
    .innerJoin(roles, eq(roles.id, roleAssignments.role_id))
    .leftJoin(tenants, eq(tenants.id, roleAssignments.tenant_id))
    .leftJoin(projects, eq(projects.id, roleAssignments.project_id))
    .where(inArray(roleAssignments.user_id, [...userIds]))
    .orderBy(asc(roleAssignments.id));
  return rows.map((row) => ({
    ...row,
    expired: row.expires_at !== null && Date.parse(row.expires_at) <= Date.parse(now),
  }));
}

function withAssignments(rows: readonly StoredUser[], held: readonly HeldAssignment[]): User[] {
  const byUser = new Map<string, Assignment[]>(rows.map((row) => [row.id, []]));
  for (const { user_id, permissions: _, ...assignment } of held) byUser.get(user_id)?.push(assignment);
  return rows.map((row) => ({ ...row, assignments: byUser.get(row.id) ?? [] }));
}

/** Users with their roles, page by page. Three queries. */
export async function listUsers(input: UserListInput, now: string): Promise<Page<User>> {
  const holds = (condition: SQL) =>
    sql`exists (select 1 from ${roleAssignments} where ${eq(roleAssignments.user_id, users.id)} and ${condition}
      and ${or(isNull(roleAssignments.expires_at), gt(roleAssignments.expires_at, now))})`;
  const conditions = buildConditions(input, users, {
    q: hasText(users.email, users.name),
    second_factor: (requested) => sql`${hasSecondFactor} = ${requested}`,
    role_id: (id) => holds(eq(roleAssignments.role_id, id)),
    tenant_id: (id) => holds(eq(roleAssignments.tenant_id, id)),
  });
  const where = and(...conditions);
  const sorts = buildSortKeys(StoredUser, USER_SORTS, columnsAt(now));
  const page = await queryPage<StoredUser>(input, { sorts, sort: 'email', id: users.id }, (paging) => ({
    rows: db
      .select(columnsAt(now))
      .from(users)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(users, where),
  }));
  const held = await findAssignments(
    db,
    page.items.map(({ id }) => id),
    now,
  );
  return { ...page, items: withAssignments(page.items, held) };
}

/** One user with their roles, or null. Two queries. */
export async function findUser(executor: Executor, id: string, now: string): Promise<User | null> {
  const rows = await executor.select(columnsAt(now)).from(users).where(eq(users.id, id));
  return withAssignments(rows, await findAssignments(executor, [id], now))[0] ?? null;
}

/** The row, locked against other writers until the transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | null> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for('update');
  return row ?? null;
}

export async function isEmailTaken(tx: Tx, email: string, except: string | null): Promise<boolean> {
  return (await tx.$count(users, and(eq(users.email, email), except === null ? undefined : ne(users.id, except)))) > 0;
}

export async function updateUser(tx: Tx, id: string, changes: Partial<UserRow>): Promise<void> {
  await tx
    .update(users)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(users.id, id));
}

export async function deleteUserRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(users).where(eq(users.id, id));
}

type NewAssignment = Pick<
  typeof roleAssignments.$inferInsert,
  'role_id' | 'tenant_id' | 'project_id' | 'expires_at' | 'source'
>;

/** Takes these assignments away and gives those. */
export async function replaceAssignments(
  tx: Tx,
  userId: string,
  gone: readonly string[],
  added: readonly NewAssignment[],
): Promise<void> {
  if (gone.length > 0) await tx.delete(roleAssignments).where(inArray(roleAssignments.id, [...gone]));
  if (added.length > 0) await tx.insert(roleAssignments).values(added.map((one) => ({ ...one, user_id: userId })));
}

/** Makes this transaction the only one that changes who is super administrator, until it ends. */
export async function lockSuperAdmins(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('super-administrators', 0))`);
}

/**
 * Active users with all permissions everywhere, without expiry, who can sign in with a password: a sign-in provider
 * that fails or changes its answers must not leave the installation without an administrator.
 */
export async function countSuperAdmins(tx: Tx): Promise<number> {
  const [row] = await tx
    .select({ count: sql<number>`count(distinct ${users.id})::int` })
    .from(users)
    .innerJoin(roleAssignments, eq(roleAssignments.user_id, users.id))
    .innerJoin(roles, eq(roles.id, roleAssignments.role_id))
    .where(
      and(
        eq(users.active, true),
        eq(users.password_sign_in, true),
        isNotNull(users.password_hash),
        isNull(roleAssignments.tenant_id),
        isNull(roleAssignments.expires_at),
        sql`'*' = any(${roles.permissions})`,
      ),
    );
  return row?.count ?? 0;
}
