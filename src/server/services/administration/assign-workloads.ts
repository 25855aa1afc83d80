import type { WorkloadAssignment, WorkloadAssignmentResult } from '@/domain/project';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { AppError } from '../../lib/errors';
import { lockProject, lockWorkloads, setProjectOf } from '../../repositories/projects';
import { noSuchProject } from './projects';

/**
 * Gives workloads to a project, or to none. All or nothing; those that are there already are left alone. Each tenant
 * that gets or loses workloads has its own audit record.
 * @throws AppError `not_found` for a project or workload out of reach; `forbidden` when somebody of a tenant would put
 * workloads outside every tenant, where they could not bring them back from
 */
export function assignWorkloads(
  scope: Scope<'workload:write'>,
  { project_id, workload_ids }: WorkloadAssignment,
): Promise<WorkloadAssignmentResult> {
  return db.transaction(async (tx) => {
    if (project_id === null && scope.tenants !== 'all') {
      throw new AppError(
        'forbidden',
        'Only somebody with rights for the whole installation may take workloads out of their tenant.',
      );
    }
    const project = project_id === null ? null : await lockProject(tx, scope.tenants, project_id, 'key share');
    if (project_id !== null && !project) throw noSuchProject();
    const found = await lockWorkloads(tx, scope.tenants, workload_ids);
    if (found.length < workload_ids.length) {
      const known = new Set(found.map(({ id }) => id));
      const missing = workload_ids.filter((id) => !known.has(id));
      throw new AppError('not_found', `There is no such workload (${missing.length} of ${workload_ids.length}).`, {
        errors: missing
          .slice(0, 20)
          .map((id) => ({ field: `workload_ids.${workload_ids.indexOf(id)}`, message: 'No such workload.' })),
      });
    }
    const moving = found.filter((workload) => workload.project_id !== project_id);
    if (moving.length === 0) return { changed: 0 };
    await setProjectOf(
      tx,
      moving.map(({ id }) => id),
      project_id,
    );
    for (const cluster_id of new Set(moving.map((workload) => workload.cluster_id))) {
      await publishEvent(tx, { type: 'inventory.changed', cluster_id });
    }
    const to = project?.tenant_id ?? null;
    const tenants = new Set([to, ...moving.map(({ tenant_id }) => tenant_id)]);
    for (const tenant_id of tenants) {
      const concerned = tenant_id === to ? moving : moving.filter((workload) => workload.tenant_id === tenant_id);
      // Another tenant's project is none of this tenant's business.
      const visible = (of: string | null, id: string | null) => (of === tenant_id || tenant_id === null ? id : null);
      await recordAudit(tx, scope, {
        action: 'workload.assigned',
        object_kind: 'project',
        object_id: visible(to, project_id),
        object_name: visible(to, project?.name ?? null),
        tenant_id,
        before: {
          workloads: concerned.map(({ id, name, project_id: before, tenant_id: of }) => ({
            id,
            name,
            project_id: visible(of, before),
          })),
        },
        after: { project_id: visible(to, project_id) },
      });
    }
    return { changed: moving.length };
  });
}
