import type { z } from 'zod';
import type { FollowRulesResult } from '@/domain/mapping-rule';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { startDeployments } from '../enforcement/deployments/start-deployments';
import { publishEvent } from '../events/publish-event';
import { AppError } from '../lib/errors';
import { placeByRules, recordPlacements } from './apply-mapping-rules';
import { lockAssignable } from './assign-workloads';
import { freeWorkloads, lockMapping } from './queries/mapping-placements';

/**
 * Undoes that workloads were assigned by hand: from now on the mapping rules decide where they belong. All or nothing.
 * @throws AppError `not_found` for a workload out of reach; `forbidden` for somebody of a tenant, whose workloads the rules
 * could put where they cannot bring them back from
 */
export async function followMappingRules(
  scope: Scope<'workload:write'>,
  workload_ids: readonly string[],
): Promise<z.output<typeof FollowRulesResult>> {
  const { changed, started } = await db.transaction(async (tx) => {
    if (scope.tenants !== 'all') {
      throw new AppError(
        'forbidden',
        'Only somebody with rights for the whole installation may leave workloads to the mapping rules.',
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
    await freeWorkloads(tx, workloadIds);
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
