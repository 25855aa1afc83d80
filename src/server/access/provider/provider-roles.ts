import { recordAudit } from '../../audit/record';
import type { Origin } from '../../auth/scope';
import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { logger } from '../../lib/logger';
import { listRoleMappings } from '../queries/sign-in-provider';
import * as repository from '../queries/user-list';
import { auditedAssignments } from '../users/assignments';

type Held = Awaited<ReturnType<typeof repository.findAssignments>>[number];
type Place = { role_id: string; tenant_id: string | null; project_id: string | null };

const same = (a: Place, b: Place) =>
  a.role_id === b.role_id && a.tenant_id === b.tenant_id && a.project_id === b.project_id;
/** Assignments that make somebody super administrator. */
const isSuper = (one: Held) => one.tenant_id === null && one.permissions.includes('*');

/**
 * Gives a user the roles of their groups and takes those away that came from groups they left. What was given by hand is
 * neither changed nor given twice. Whoever would be the last super administrator stays one. Call it under
 * `lockSuperAdmins`, with the user locked. @returns whether anything changed
 */
export async function applyGroups(
  tx: Tx,
  user: { id: string; email: string; version: number },
  groups: readonly string[],
  origin: Origin,
): Promise<boolean> {
  const now = clock.now().toISOString();
  const mapped = (await listRoleMappings(tx)).filter(({ group }) => groups.includes(group));
  const wanted = mapped.filter((one, index) => mapped.findIndex((other) => same(one, other)) === index);
  const held = await repository.findAssignments(tx, [user.id], now);
  const gone = held.filter((one) => one.source === 'oidc' && !wanted.some((other) => same(one, other)));
  const added = wanted.filter((one) => !held.some((other) => same(one, other)));
  if (gone.length + added.length === 0) return false;
  const place = ({ role_id, tenant_id, project_id }: Place) => ({
    role_id,
    tenant_id,
    project_id,
    expires_at: null,
    source: 'oidc' as const,
  });
  await repository.replaceAssignments(
    tx,
    user.id,
    gone.map(({ id }) => id),
    added.map(place),
  );
  const last = gone.filter(isSuper);
  if (last.length > 0 && (await repository.countSuperAdmins(tx)) === 0) {
    await repository.replaceAssignments(tx, user.id, [], last.map(place));
    logger.warn({ user_id: user.id }, 'the groups would leave no super administrator; the role stays');
    if (gone.length + added.length === last.length) return false;
  }
  await repository.updateUser(tx, user.id, { version: user.version + 1 });
  const after = await repository.findAssignments(tx, [user.id], now);
  await recordAudit(
    tx,
    { actor: { kind: 'system', id: null, name: 'sign-in provider' }, origin },
    {
      action: 'user.roles_changed',
      object_kind: 'user',
      object_id: user.id,
      object_name: user.email,
      before: { assignments: auditedAssignments(held) },
      after: { assignments: auditedAssignments(after) },
    },
  );
  return true;
}
