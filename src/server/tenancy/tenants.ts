import type { Tenant, TenantInput, TenantUpdate } from '@/domain/tenant';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound } from '../lib/refusals';
import * as repository from './queries/tenants';

type Audited = Omit<Tenant, 'id' | 'counts' | 'version' | 'created_at' | 'updated_at'>;
const audited = (tenant: Audited): Audited => {
  const { name, description, on_move, on_expiry, recertification_days, ...rest } = tenant;
  const { approvals_required, approval_scope, maintenance_windows } = rest;
  return {
    ...{ name, description, on_move, on_expiry, recertification_days },
    ...{ approvals_required, approval_scope, maintenance_windows },
  };
};

/** @throws AppError `not_found` */
export async function readTenant(scope: Scope<'tenant:read'>, id: string): Promise<Tenant> {
  const tenant = await repository.findTenant(db, scope.tenants, id);
  if (!tenant) throw notFound('tenant');
  return tenant;
}

/** @throws AppError `conflict` when the name is taken */
export function createTenant(scope: Scope<'tenant:write'>, input: TenantInput): Promise<Tenant> {
  return db.transaction(async (tx) => {
    if (await repository.tenantNameExists(tx, input.name)) throw nameTaken('tenant', input.name);
    const id = newId();
    await repository.insertTenant(tx, { id, ...input });
    const tenant = await repository.findTenant(tx, 'all', id);
    if (!tenant) throw new Error('expected the stored tenant to exist');
    await recordAudit(tx, scope, {
      action: 'tenant.created',
      object_kind: 'tenant',
      object_id: id,
      object_name: input.name,
      tenant_id: id,
      after: audited(tenant),
    });
    return tenant;
  });
}

/**
 * Changes a tenant; what is left out stays. Without a change nothing is written.
 * @throws AppError `not_found`, `version_conflict`, `conflict` when the name is taken
 */
export function updateTenant(
  scope: Scope<'tenant:write'>,
  id: string,
  { version, ...input }: TenantUpdate,
): Promise<Tenant> {
  return db.transaction(async (tx) => {
    const row = await repository.lockTenant(tx, id);
    if (!row) throw notFound('tenant');
    assertVersion('tenant', row.version, version);
    const changes = changedFields(row, input);
    const renamed = changes.name !== undefined && changes.name.toLowerCase() !== row.name.toLowerCase();
    if (changes.name !== undefined && renamed && (await repository.tenantNameExists(tx, changes.name))) {
      throw nameTaken('tenant', changes.name);
    }
    const changed = Object.keys(changes).length > 0;
    if (changed) await repository.updateTenant(tx, id, { ...changes, version: row.version + 1 });
    const tenant = await repository.findTenant(tx, 'all', id);
    if (!tenant) throw new Error('expected the locked tenant to exist');
    if (changed) {
      await recordAudit(tx, scope, {
        action: 'tenant.updated',
        object_kind: 'tenant',
        object_id: id,
        object_name: tenant.name,
        tenant_id: id,
        before: audited(row),
        after: audited(tenant),
      });
    }
    return tenant;
  });
}

/**
 * Deletes an empty tenant. Roles that users hold for it go with it.
 * @throws AppError `not_found`; `conflict` while it has projects, groups or policies
 */
export function deleteTenant(scope: Scope<'tenant:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await repository.lockTenant(tx, id, 'update');
    const tenant = row && (await repository.findTenant(tx, 'all', id));
    if (!row || !tenant) throw notFound('tenant');
    assertVersion('tenant', row.version, version);
    const { projects, security_groups, policies } = tenant.counts;
    const left = [
      [projects, 'projects'],
      [security_groups, 'groups'],
      [policies, 'policies'],
    ].flatMap(([count, noun]) => (count === 0 ? [] : [`${noun}: ${count}`]));
    if (left.length > 0) {
      throw new AppError('conflict', `The tenant is not empty (${left.join(', ')}). Delete these first.`, {
        extra: { counts: tenant.counts },
      });
    }
    await repository.deleteTenantRow(tx, id);
    await recordAudit(tx, scope, {
      action: 'tenant.deleted',
      object_kind: 'tenant',
      object_id: id,
      object_name: row.name,
      tenant_id: id,
      before: { ...audited(row), users: tenant.counts.users },
    });
  });
}
