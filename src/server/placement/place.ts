import type { z } from 'zod';
import type { FollowRulesResult } from '@/domain/mapping-rule';
import type { WorkloadAssignment, WorkloadAssignmentResult } from '@/domain/project';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { recordMoves } from '../enforcement/deployments/removal/record-moves';
import { startDeployments } from '../enforcement/deployments/schedule';
import { publishEvent } from '../events/event-hub';
import { AppError } from '../lib/errors';
import { groupBy } from '../lib/group-by';
import { notFound } from '../lib/refusals';
import { lockAssignable } from '../tenancy/lock-assignable';
import { listEnabledRules } from '../tenancy/queries/mapping-rules';
import { lockProject, setWorkloadProject } from '../tenancy/queries/projects';
import {
  clearManualAssignments,
  findPlacements,
  lockMapping,
  lockPlacedWorkloads,
  type Placement,
  savePlacements,
  type UnreadPlacement,
} from './queries/mapping-placements';

const toMove = (placement: Placement) => ({
  id: placement.workload_id,
  name: placement.workload_name,
  cluster_id: placement.cluster_id,
  project_id: placement.from_project_id,
  tenant_id: placement.from_tenant_id,
});

type Within = { clusterId?: string; workloadIds?: readonly string[]; unread?: UnreadPlacement };

/**
 * Places workloads as the mapping rules require: those not assigned manually, in one cluster, of some ids, or all. A
 * workload placed by a rule is unassigned when no rule matches it any more. Run twice, the second time writes nothing.
 * @returns those that have another project than before; `recordPlacements` writes the audit trail
 */
export async function placeByRules(tx: Tx, within: Within = {}): Promise<Placement[]> {
  await lockMapping(tx);
  const rules = await listEnabledRules(tx);
  const desired = await findPlacements(tx, rules, { ...within, deciders: true });
  if (desired.total === 0) return [];
  // A user may be assigning one of them right now: the desired placement is read again once they are locked.
  const workloadIds = desired.items.map(({ workload_id }) => workload_id);
  await lockPlacedWorkloads(tx, workloadIds);
  const { items } = await findPlacements(tx, rules, { workloadIds, unread: within.unread, deciders: true });
  await savePlacements(tx, items);
  return items.filter(({ from_project_id, to_project_id }) => from_project_id !== to_project_id);
}

/**
 * Everything that follows from what the rules moved, see `recordMoves`. Call it last, as everything that is recorded.
 * @returns deployments for `startDeployments` after the commit
 */
export async function recordPlacements(
  tx: Tx,
  scope: Pick<Scope, 'actor' | 'origin'>,
  moved: readonly Placement[],
): Promise<string[]> {
  const started: string[] = [];
  for (const [id, group] of groupBy(moved, (placement) => placement.to_project_id)) {
    const { to_project_name: name, to_tenant_id: tenant_id } = group[0] ?? {};
    const target = id && name && tenant_id ? { id, name, tenant_id } : null;
    started.push(...(await recordMoves(tx, scope, 'workload.mapped', target, group.map(toMove))));
  }
  return started;
}

/** `placeByRules` and `recordPlacements`. @returns how many workloads have another project than before, and what to start */
export async function applyMappingRules(
  tx: Tx,
  scope: Pick<Scope, 'actor' | 'origin'>,
  within: Within = {},
): Promise<{ changed: number; started: string[] }> {
  const moved = await placeByRules(tx, within);
  return { changed: moved.length, started: await recordPlacements(tx, scope, moved) };
}

/**
 * Assigns workloads to a project, or to none, manually: mapping rules leave them alone from now on. All or nothing.
 * Each tenant that gains or loses workloads has its own audit record.
 * @throws AppError `not_found` for a project or workload that is not visible; `forbidden` when a tenant user would put
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
        'Only users with permissions for the whole installation can move workloads out of their tenant.',
      );
    }
    const project = project_id === null ? null : await lockProject(tx, scope.reach, project_id, 'key share');
    if (project_id !== null && !project) throw notFound('project');
    const found = await lockAssignable(tx, scope, workload_ids);
    // Also those that a rule has put there already: from now on the assignment is manual.
    const decided = found.filter(
      (workload) => workload.project_id !== project_id || workload.project_assigned_by !== 'hand',
    );
    if (decided.length === 0) return { changed: 0, started: [] };
    await setWorkloadProject(
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

/**
 * Undoes the manual assignment of workloads: from now on the mapping rules decide where they belong. All or nothing.
 * @throws AppError `not_found` for a workload that is not visible; `forbidden` for a tenant user, whose workloads the
 * rules could put where they cannot bring them back from
 */
export async function followMappingRules(
  scope: Scope<'workload:write'>,
  workload_ids: readonly string[],
): Promise<z.output<typeof FollowRulesResult>> {
  const { changed, started } = await db.transaction(async (tx) => {
    if (scope.tenants !== 'all') {
      throw new AppError(
        'forbidden',
        'Only users with permissions for the whole installation can leave workloads to the mapping rules.',
      );
    }
    await lockMapping(tx);
    const found = await lockAssignable(tx, scope, workload_ids);
    const byHand = found.filter(
      (workload) =>
        workload.project_assigned_by === 'hand' ||
        (workload.project_assigned_by === null && workload.project_id !== null),
    );
    if (byHand.length === 0) return { changed: 0, started: [] };
    const workloadIds = byHand.map(({ id }) => id);
    await clearManualAssignments(tx, workloadIds);
    const moved = await placeByRules(tx, { workloadIds });
    for (const cluster_id of new Set(byHand.map((workload) => workload.cluster_id))) {
      await publishEvent(tx, { type: 'inventory.changed', cluster_id });
    }
    await recordAudit(tx, scope, {
      action: 'workload.left_to_rules',
      object_kind: 'workload',
      before: { workloads: byHand.map(({ id, name, project_id }) => ({ id, name, project_id })) },
      after: { project_assigned_by: 'rule' },
    });
    return { changed: moved.length, started: await recordPlacements(tx, scope, moved) };
  });
  await startDeployments(started);
  return { changed };
}
