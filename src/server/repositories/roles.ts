import { eq } from 'drizzle-orm';
import type { BuiltInRole } from '@/domain/permissions';
import type { Tx } from '../db/client';
import { roleAssignments, roles } from '../db/schema/access';

/** Gives a user a built-in role platform-wide. @throws Error when the installation lacks the role */
export async function assignBuiltInRole(tx: Tx, userId: string, role: BuiltInRole): Promise<void> {
  const [row] = await tx.select({ id: roles.id }).from(roles).where(eq(roles.name, role));
  if (!row) throw new Error(`the built-in role ${role} is missing; run the migrations`);
  await tx.insert(roleAssignments).values({ user_id: userId, role_id: row.id, tenant_id: null });
}
