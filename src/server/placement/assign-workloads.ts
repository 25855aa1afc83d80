import type { WorkloadAssignment, WorkloadAssignmentResult } from '@/domain/project';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { startDeployments } from '../enforcement/deployments/start-deployments';
import { AppError } from '../lib/errors';
import { notFound } from '../lib/refusals';
import { type AssignableWorkload, lockProject, lockWorkloads, setProjectOf } from '../tenancy/queries/projects';
import { recordMoves } from './record-moves';

/** @throws AppError `not_found` naming the workloads that are out of reach */
export async function lockAssignable(
  tx: Tx,
  scope: Scope<'workload:write'>,
  ids: readonly string[],
): Promise<AssignableWorkload[]> {
  const found = await lockWorkloads(tx, scope.reach, ids);
  if (found.length === ids.length) return found;
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  throw new AppError('not_found', `There is no such workload (${missing.length} of ${ids.length}).`, {
    errors: missing
      .slice(0, 20)
      .map((id) => ({ field: `workload_ids.${ids.indexOf(id)}`, message: 'No such workload.' })),
  });
}

/**
 * Gives workloads to a project, or to none, by hand: mapping rules leave them alone from now on. All or nothing. Each tenant
 * that gets or loses workloads has its own audit record.
 * @throws AppError `not_found` for a project or workload out of reach; `forbidden` when somebody of a tenant would put
 * workloads outside every tenant, where they could not bring them back from
 */
export async function assignWorkloads(
  scope: Scope<'workload:write'>,
  { project_id, workload_ids }: WorkloadAssignment,
): Promise<WorkloadAssignmentResult> {
  const { changed, started } = await db.transaction(async (tx) => {
    if (project_id === null && scope.reach !== 'all') {
      throw new AppError(
        'forbidden',
        'Only somebody with rights for the whole installation may take workloads out of their tenant.',
      );
    }
    const project = project_id === null ? null : await lockProject(tx, scope.reach, project_id, 'key share');
    if (project_id !== null && !project) throw notFound('project');
    const found = await lockAssignable(tx, scope, workload_ids);
    // Also those that a rule has put there already: from now on somebody has decided.
    const decided = found.filter(
      (workload) => workload.project_id !== project_id || workload.project_assigned_by !== 'hand',
    );
    if (decided.length === 0) return { changed: 0, started: [] };
    await setProjectOf(
      tx,
      decided.map(({ id }) => id),
      project_id,
    );
    return {
      changed: decided.length,
      started: await recordMoves(tx, scope, 'workload.assigned', project, decided),
    };
  });
  await startDeployments(started);
  return { changed };
}
