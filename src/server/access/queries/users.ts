import { and, eq, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { RoleGrant } from '@/domain/permissions';
import type { SecondFactorStanding, SignInProof } from '@/domain/second-factor';
import { db, type Executor, type Tx } from '../../db/client';
import { projects, roleAssignments, roles, tenants, users } from '../../db/schema/access';
import { refreshTokens } from '../../db/schema/sign-in';
import { hasSecondFactor } from './second-factors';

export type HeldRole = RoleGrant & { title: string; tenant_name: string | null; project_name: string | null };
export type UserWithRoles = {
  user: { id: string; email: string; name: string };
  grants: HeldRole[];
  second_factor: SecondFactorStanding;
};
export type SessionUser = UserWithRoles & { proof: SignInProof };

const NO_PROOF = sql<SignInProof | null>`null::json`;

/** Active users with the roles they hold at `now`; one row per role, one without roles otherwise. */
async function readWithRoles(
  executor: Executor,
  now: string,
  where: SQL | undefined,
  proof = NO_PROOF,
): Promise<(UserWithRoles & { proof: SignInProof | null }) | null> {
  const rows = await executor
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      role: roles.name,
      title: roles.title,
      permissions: roles.permissions,
      requires_second_factor: roles.requires_second_factor,
      tenant_id: roleAssignments.tenant_id,
      tenant_name: tenants.name,
      project_id: roleAssignments.project_id,
      project_name: projects.name,
      enrolled: hasSecondFactor,
      proof,
    })
    .from(users)
    .leftJoin(
      roleAssignments,
      and(
        eq(roleAssignments.user_id, users.id),
        or(isNull(roleAssignments.expires_at), gt(roleAssignments.expires_at, now)),
      ),
    )
    .leftJoin(roles, eq(roles.id, roleAssignments.role_id))
    .leftJoin(tenants, eq(tenants.id, roleAssignments.tenant_id))
    .leftJoin(projects, eq(projects.id, roleAssignments.project_id))
    .where(and(eq(users.active, true), where));
  const first = rows[0];
  if (!first) return null;
  const grants = rows.flatMap(({ role, title, permissions, tenant_id, tenant_name, project_id, project_name }) =>
    role !== null && title !== null && permissions !== null
      ? [{ role, title, permissions, tenant_id, tenant_name, project_id, project_name }]
      : [],
  );
  const required_by = rows.flatMap((row) => (row.requires_second_factor && row.title !== null ? [row.title] : []));
  return {
    user: { id: first.id, email: first.email, name: first.name },
    grants,
    second_factor: { enrolled: first.enrolled, required_by: [...new Set(required_by)] },
    proof: first.proof,
  };
}

/** An active user with a sign-in (family of refresh tokens) that is neither revoked nor expired. One query. */
export async function findSessionUser(userId: string, familyId: string, now: string): Promise<SessionUser | null> {
  const found = await readWithRoles(
    db,
    now,
    eq(users.id, userId),
    sql<SignInProof | null>`(select json_build_object('method', ${refreshTokens.method}, 'second_factor', ${refreshTokens.second_factor})
      from ${refreshTokens} where ${refreshTokens.family_id} = ${familyId}
        and ${refreshTokens.user_id} = ${users.id} and ${refreshTokens.revoked_at} is null
        and ${refreshTokens.expires_at} > ${now} limit 1)`,
  );
  return found?.proof ? { ...found, proof: found.proof } : null;
}

/** An active user with their roles. */
export async function findUserWithRoles(
  executor: Executor,
  userId: string,
  now: string,
): Promise<UserWithRoles | null> {
  return readWithRoles(executor, now, eq(users.id, userId));
}

/** What sign-in needs to know of an account. */
export async function findCredentials(
  email: string,
  executor: Executor = db,
): Promise<{
  id: string;
  email: string;
  password_hash: string | null;
  password_sign_in: boolean;
  active: boolean;
} | null> {
  const [found] = await executor
    .select({
      id: users.id,
      email: users.email,
      password_hash: users.password_hash,
      password_sign_in: users.password_sign_in,
      active: users.active,
    })
    .from(users)
    .where(eq(users.email, email));
  return found ?? null;
}

/** Address and password hash of an account; null when there is none. */
export async function findOwnCredentials(
  executor: Executor,
  id: string,
): Promise<{ email: string; password_hash: string | null } | null> {
  const [found] = await executor
    .select({ email: users.email, password_hash: users.password_hash })
    .from(users)
    .where(eq(users.id, id));
  return found ?? null;
}

export async function insertUser(tx: Tx, user: typeof users.$inferInsert): Promise<{ id: string }> {
  const [row] = await tx.insert(users).values(user).returning({ id: users.id });
  if (!row) throw new Error('insert returned nothing');
  return row;
}

/** Notes a sign-in. */
export async function recordSignIn(tx: Tx, userId: string, at: string): Promise<void> {
  await tx.update(users).set({ last_login_at: at }).where(eq(users.id, userId));
}

/** Stores a new password unless it was changed since `known` was read. @returns whether it was stored */
export async function updatePassword(tx: Tx, userId: string, known: string, passwordHash: string): Promise<boolean> {
  const rows = await tx
    .update(users)
    .set({ password_hash: passwordHash })
    .where(and(eq(users.id, userId), eq(users.password_hash, known)))
    .returning({ id: users.id });
  return rows.length > 0;
}

/** Those of some users that were not deleted. */
export async function listExistingUsers(executor: Executor, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await executor
    .select({ id: users.id })
    .from(users)
    .where(inArray(users.id, [...ids]));
  return rows.map(({ id }) => id);
}

/** Whether the installation has any user, active or not. */
export async function hasAnyUser(executor: Executor): Promise<boolean> {
  const [row] = await executor.select({ id: users.id }).from(users).limit(1);
  return row !== undefined;
}
