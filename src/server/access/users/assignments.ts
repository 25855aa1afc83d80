import type { AssignmentInput, AssignmentsInput, User } from '@/domain/user';
import { recordAudit } from '../../audit/record';
import type { Actor, Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError, type FieldError } from '../../lib/errors';
import { assertVersion, notFound } from '../../lib/refusals';
import { findProjectTenants } from '../../tenancy/queries/projects';
import { findTenantNames } from '../../tenancy/queries/tenants';
import { findRolesById } from '../queries/roles';
import * as repository from '../queries/user-list';
import { assertMayGrant, assertNotTokenOwner, assertSuperAdminLeft } from './may-grant';

type Held = Awaited<ReturnType<typeof repository.findAssignments>>[number];
type Auditable = { role: string; tenant_id: string | null; project_id: string | null; expires_at: string | null };

/** Assignments as the audit trail keeps them. */
export const toAuditedAssignments = (assignments: readonly Auditable[]): Auditable[] =>
  assignments.map(({ role, tenant_id, project_id, expires_at }) => ({ role, tenant_id, project_id, expires_at }));

const isSameTime = (a: string | null, b: string | null) =>
  a === null || b === null ? a === b : Date.parse(a) === Date.parse(b);
const isSameAssignment = (a: AssignmentInput, b: AssignmentInput) =>
  a.role_id === b.role_id &&
  a.tenant_id === b.tenant_id &&
  a.project_id === b.project_id &&
  isSameTime(a.expires_at, b.expires_at);

/** The roles that are asked for, with their names and permissions. @throws AppError `not_found`, `malformed` */
async function resolve(tx: Tx, requested: readonly AssignmentInput[], held: readonly Held[]) {
  const [roles, tenants, projects] = await Promise.all([
    findRolesById(
      tx,
      requested.map(({ role_id }) => role_id),
    ),
    findTenantNames(
      tx,
      requested.flatMap(({ tenant_id }) => tenant_id ?? []),
    ),
    findProjectTenants(
      tx,
      requested.flatMap(({ project_id }) => project_id ?? []),
    ),
  ]);
  const now = clock.now().getTime();
  const missing: FieldError[] = [];
  const wrong: FieldError[] = [];
  const seen = new Set<string>();
  requested.forEach((one, index) => {
    const field = `assignments.${index}`;
    if (!roles.has(one.role_id)) missing.push({ field: `${field}.role_id`, message: 'Role not found.' });
    if (one.tenant_id !== null && !tenants.has(one.tenant_id)) {
      missing.push({ field: `${field}.tenant_id`, message: 'Tenant not found.' });
    }
    if (one.project_id !== null && projects.get(one.project_id) !== one.tenant_id) {
      missing.push({ field: `${field}.project_id`, message: 'Project not found in the tenant.' });
    }
    const key = `${one.role_id} ${one.tenant_id} ${one.project_id}`;
    if (seen.has(key)) wrong.push({ field, message: 'The same role is assigned twice for the same scope.' });
    seen.add(key);
    const kept = held.some((before) => isSameAssignment(before, one));
    if (!kept && one.expires_at !== null && Date.parse(one.expires_at) <= now) {
      wrong.push({ field: `${field}.expires_at`, message: 'This time is in the past.' });
    }
  });
  if (missing.length > 0) throw notFound('role, tenant or project', missing);
  if (wrong.length > 0) throw new AppError('malformed', 'The roles have invalid fields.', { errors: wrong });
  return requested.map((one) => {
    const role = roles.get(one.role_id);
    if (!role) throw new Error('expected the role to exist');
    return { ...one, role: role.name, permissions: role.permissions };
  });
}

/**
 * Brings a user's roles from `held` to `requested` inside the caller's transaction. Only what is given or taken needs rights
 * of the actor.
 * @throws AppError `not_found` for unknown roles or tenants, `malformed`, `forbidden`
 */
export async function assign(
  tx: Tx,
  actor: Actor,
  userId: string,
  held: readonly Held[],
  requested: readonly AssignmentInput[],
): Promise<{ changed: boolean; after: Auditable[] }> {
  const resolved = await resolve(tx, requested, held);
  const gone = held.filter((one) => !resolved.some((other) => isSameAssignment(one, other)));
  const added = resolved.filter((one) => !held.some((other) => isSameAssignment(one, other)));
  await assertMayGrant(tx, actor, [...gone, ...added]);
  await repository.replaceAssignments(
    tx,
    userId,
    gone.map(({ id }) => id),
    added.map(({ role_id, tenant_id, project_id, expires_at }) => ({ role_id, tenant_id, project_id, expires_at })),
  );
  return { changed: gone.length + added.length > 0, after: resolved };
}

/**
 * Assigns a user exactly these roles, effective from the next request. Without a change nothing is written.
 * @throws AppError `not_found`, `version_conflict`, `forbidden` for permissions that the actor lacks, `conflict` when
 * no super administrator would be left
 */
export async function setAssignments(
  scope: Scope<'user:write'>,
  id: string,
  { version, assignments }: AssignmentsInput,
): Promise<User> {
  assertNotTokenOwner(scope, id);
  return db.transaction(async (tx) => {
    await repository.lockSuperAdmins(tx);
    const row = await repository.lockUser(tx, id);
    if (!row) throw notFound('user');
    assertVersion('user', row.version, version);
    const held = await repository.findAssignments(tx, [id], clock.now().toISOString());
    const { changed, after } = await assign(tx, scope.actor, id, held, assignments);
    if (changed) {
      await repository.updateUser(tx, id, { version: row.version + 1 });
      await assertSuperAdminLeft(tx);
    }
    const user = await repository.findUser(tx, id, clock.now().toISOString());
    if (!user) throw new Error('expected the locked user to exist');
    if (changed) {
      await recordAudit(tx, scope, {
        action: 'user.roles_changed',
        object_kind: 'user',
        object_id: id,
        object_name: row.email,
        before: { assignments: toAuditedAssignments(held) },
        after: { assignments: toAuditedAssignments(after) },
      });
    }
    return user;
  });
}
