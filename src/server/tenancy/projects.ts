import type { Project, ProjectInput, ProjectUpdate } from '@/domain/project';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound } from '../lib/refusals';
import { countMappingRules } from './queries/mapping-rules';
import * as repository from './queries/projects';
import { lockTenant } from './queries/tenants';

const audited = ({ name, description }: { name: string; description: string }) => ({ name, description });

/** @throws AppError `not_found` */
export async function readProject(scope: Scope<'project:read'>, id: string): Promise<Project> {
  const project = await repository.findProject(db, scope.reach, id);
  if (!project) throw notFound('project');
  return project;
}

/** @throws AppError `not_found` for a tenant not visible to the caller, `conflict` when the name exists in it */
export function createProject(scope: Scope<'project:write'>, input: ProjectInput): Promise<Project> {
  return db.transaction(async (tx) => {
    const reachable = scope.tenants === 'all' || scope.tenants.includes(input.tenant_id);
    if (!reachable || !(await lockTenant(tx, input.tenant_id, 'key share'))) {
      throw notFound('tenant', [{ field: 'tenant_id', message: 'Specify a tenant that is visible to you.' }]);
    }
    if (await repository.projectNameExists(tx, input.tenant_id, input.name)) throw nameTaken('project', input.name);
    const id = newId();
    await repository.insertProject(tx, { id, ...input });
    const project = await repository.findProject(tx, scope.tenants, id);
    if (!project) throw new Error('expected the stored project to exist');
    await recordAudit(tx, scope, {
      action: 'project.created',
      object_kind: 'project',
      object_id: id,
      object_name: input.name,
      tenant_id: input.tenant_id,
      after: audited(input),
    });
    return project;
  });
}

/**
 * Changes a project; what is left out stays. Without a change nothing is written.
 * @throws AppError `not_found`, `version_conflict`, `conflict` when the name is taken
 */
export function updateProject(
  scope: Scope<'project:write'>,
  id: string,
  { version, ...input }: ProjectUpdate,
): Promise<Project> {
  return db.transaction(async (tx) => {
    const row = await repository.lockProject(tx, scope.tenants, id);
    if (!row) throw notFound('project');
    assertVersion('project', row.version, version);
    const changes = changedFields(row, input);
    const renamed = changes.name !== undefined && changes.name.toLowerCase() !== row.name.toLowerCase();
    if (
      changes.name !== undefined &&
      renamed &&
      (await repository.projectNameExists(tx, row.tenant_id, changes.name))
    ) {
      throw nameTaken('project', changes.name);
    }
    const changed = Object.keys(changes).length > 0;
    if (changed) await repository.updateProject(tx, id, { ...changes, version: row.version + 1 });
    const project = await repository.findProject(tx, scope.tenants, id);
    if (!project) throw new Error('expected the locked project to exist');
    if (changed) {
      await recordAudit(tx, scope, {
        action: 'project.updated',
        object_kind: 'project',
        object_id: id,
        object_name: project.name,
        tenant_id: row.tenant_id,
        before: audited(row),
        after: audited(project),
      });
    }
    return project;
  });
}

/** @throws AppError `conflict` while the project owns policies or groups, or roles are held for it */
function assertNoHoldings(held: repository.ProjectHoldings): void {
  const left = [
    [held.policies.length, `policies: ${held.policies.join(', ')}`],
    [held.security_groups.length, `groups: ${held.security_groups.join(', ')}`],
    [held.assignments, `users with a role for it: ${held.assignments}`],
    [held.mappings, `groups of the sign-in provider that assign a role for it: ${held.mappings}`],
  ].flatMap(([count, text]) => (count === 0 ? [] : [text]));
  if (left.length === 0) return;
  const roles = held.roles.length === 0 ? '' : ` (${held.roles.join(', ')})`;
  throw new AppError(
    'conflict',
    `The project is not empty: ${left.join('; ')}${roles}. Delete or unassign these first.`,
    {
      extra: { counts: { ...held, policies: held.policies.length, security_groups: held.security_groups.length } },
    },
  );
}

/**
 * Deletes a project without workloads: with them, its tenant would lose sight of them unasked.
 * @throws AppError `not_found`; `conflict` while it has workloads, mapping rules would give it some, it owns policies or groups,
 * or roles are held for it
 */
export function deleteProject(scope: Scope<'project:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await repository.lockProject(tx, scope.tenants, id, 'update');
    const project = row && (await repository.findProject(tx, scope.tenants, id));
    if (!row || !project) throw notFound('project');
    assertVersion('project', row.version, version);
    if (project.workloads_total > 0) {
      throw new AppError(
        'conflict',
        `The project has workloads (${project.workloads_total}). Assign them to another project first.`,
        { extra: { workloads_total: project.workloads_total } },
      );
    }
    const rules = await countMappingRules(tx, id);
    if (rules > 0) {
      throw new AppError(
        'conflict',
        `Mapping rules assign workloads to the project (${rules}). Change or delete these rules first.`,
        { extra: { mapping_rules_total: rules } },
      );
    }
    assertNoHoldings(await repository.findProjectHoldings(tx, id));
    await repository.deleteProjectRow(tx, id);
    await recordAudit(tx, scope, {
      action: 'project.deleted',
      object_kind: 'project',
      object_id: id,
      object_name: row.name,
      tenant_id: row.tenant_id,
      before: audited(row),
    });
  });
}
