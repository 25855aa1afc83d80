import type { Role, RoleInput, RoleUpdate } from '@/domain/role';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound } from '../../lib/refusals';
import { isRoleMapped } from '../queries/provider';
import * as repository from '../queries/roles';
import { lockSuperAdmins } from '../queries/user-list';
import { assertMayGrant, assertNoToken, assertSuperAdminLeft } from './may-grant';

const now = () => clock.now().toISOString();
type Audited = { title: string; permissions: readonly string[]; requires_second_factor: boolean };
const toAudited = ({ title, permissions, requires_second_factor }: Audited) => ({
  title,
  permissions,
  requires_second_factor,
});
const builtIn = () =>
  new AppError('refused', 'This is a built-in role and cannot be changed. Create a custom role instead.');

async function getStoredRole(tx: Tx, id: string): Promise<Role> {
  const role = await repository.findRole(tx, id, now());
  if (!role) throw new Error('expected the stored role to exist');
  return role;
}

/** @throws AppError `not_found` */
async function lockRole(tx: Tx, id: string, strength: 'no key update' | 'update') {
  const row = await repository.lockRole(tx, id, strength);
  if (!row) throw notFound('role');
  return row;
}

/** @throws AppError `not_found` */
export async function readRole(_scope: Scope<'role:read'>, id: string): Promise<Role> {
  const role = await repository.findRole(db, id, now());
  if (!role) throw notFound('role');
  return role;
}

/** @throws AppError `conflict` when the name is taken, `forbidden` for permissions that the actor lacks */
export function createRole(scope: Scope<'role:write'>, input: RoleInput): Promise<Role> {
  return db.transaction(async (tx) => {
    await assertMayGrant(tx, scope.actor, [{ permissions: input.permissions, tenant_id: null, project_id: null }]);
    if (await repository.isRoleNameTaken(tx, input.name)) {
      throw nameTaken('role', input.name);
    }
    const id = newId();
    await repository.insertRole(tx, { id, ...input });
    const role = await getStoredRole(tx, id);
    await recordAudit(tx, scope, {
      action: 'role.created',
      object_kind: 'role',
      object_id: id,
      object_name: input.name,
      after: toAudited(input),
    });
    return role;
  });
}

/**
 * Changes a role, effective immediately for all users who have it. Without a change nothing is written. For a built-in
 * role, only whether it requires a second factor can be changed.
 * @throws AppError `not_found`, `version_conflict`, `refused` for any other change of built-in roles, `forbidden` for
 * permissions that the actor lacks, before or after; `conflict` when no super administrator would be left
 */
export function updateRole(scope: Scope<'role:write'>, id: string, { version, ...input }: RoleUpdate): Promise<Role> {
  return db.transaction(async (tx) => {
    await lockSuperAdmins(tx);
    const row = await lockRole(tx, id, 'no key update');
    assertVersion('role', row.version, version);
    const changes = changedFields(row, input);
    if (Object.keys(changes).length === 0) return getStoredRole(tx, id);
    if (row.built_in && (changes.title !== undefined || changes.permissions !== undefined)) throw builtIn();
    // Holders without one could do nothing else from now on.
    if (changes.requires_second_factor) assertNoToken(scope, 'require a second factor');
    // What its holders have to do before they may use it is a matter for those who could give it.
    if (changes.permissions || changes.requires_second_factor !== undefined) {
      await assertMayGrant(tx, scope.actor, [
        { permissions: row.permissions, tenant_id: null, project_id: null },
        { permissions: changes.permissions ?? [], tenant_id: null, project_id: null },
      ]);
    }
    await repository.updateRole(tx, id, { ...changes, version: row.version + 1 });
    if (row.permissions.includes('*')) await assertSuperAdminLeft(tx);
    const role = await getStoredRole(tx, id);
    await recordAudit(tx, scope, {
      action: 'role.updated',
      object_kind: 'role',
      object_id: id,
      object_name: row.name,
      before: toAudited(row),
      after: toAudited(role),
    });
    return role;
  });
}

/**
 * Deletes an unassigned role.
 * @throws AppError `not_found`, `refused` for built-in roles, `conflict` while it is assigned to users
 */
export function deleteRole(scope: Scope<'role:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await lockRole(tx, id, 'update');
    if (row.built_in) throw builtIn();
    assertVersion('role', row.version, version);
    const { users_total } = await getStoredRole(tx, id);
    if (users_total > 0) {
      throw new AppError('conflict', `This role is assigned (users: ${users_total}). Unassign it first.`, {
        extra: { users_total },
      });
    }
    if (await isRoleMapped(tx, id)) {
      throw new AppError(
        'conflict',
        'A group of the sign-in provider assigns this role. Remove the role from that group first.',
      );
    }
    await repository.deleteRoleRow(tx, id);
    await recordAudit(tx, scope, {
      action: 'role.deleted',
      object_kind: 'role',
      object_id: id,
      object_name: row.name,
      before: toAudited(row),
    });
  });
}
