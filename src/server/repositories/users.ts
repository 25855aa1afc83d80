import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { RoleGrant } from '@/domain/permissions';
import { db } from '../db/client';
import { refreshTokens, roleAssignments, roles, users } from '../db/schema/access';

/** An active user with a sign-in that is not revoked, and the roles held now. One query. */
export async function findSessionUser(
  userId: string,
  familyId: string,
): Promise<{ user: { id: string; email: string; name: string }; grants: RoleGrant[] } | null> {
  const rows = await db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      role: roles.name,
      permissions: roles.permissions,
      tenant_id: roleAssignments.tenant_id,
    })
    .from(users)
    .leftJoin(
      roleAssignments,
      and(
        eq(roleAssignments.user_id, users.id),
        or(isNull(roleAssignments.expires_at), gt(roleAssignments.expires_at, sql`now()`)),
      ),
    )
    .leftJoin(roles, eq(roles.id, roleAssignments.role_id))
    .where(
      and(
        eq(users.id, userId),
        eq(users.active, true),
        sql`exists (select 1 from ${refreshTokens} where ${refreshTokens.family_id} = ${familyId}
          and ${refreshTokens.user_id} = ${users.id} and ${refreshTokens.revoked_at} is null and ${refreshTokens.expires_at} > now())`,
      ),
    );
  const first = rows[0];
  if (!first) return null;
  const grants = rows.flatMap((row) =>
    row.role && row.permissions ? [{ role: row.role, permissions: row.permissions, tenant_id: row.tenant_id }] : [],
  );
  return { user: { id: first.id, email: first.email, name: first.name }, grants };
}
