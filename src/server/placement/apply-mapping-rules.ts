import type { Scope } from '../auth/scope';
import type { Tx } from '../db/client';
import { groupBy } from '../lib/group-by';
import { listEnabledRules } from '../tenancy/queries/mapping-rules';
import { findPlacements, lockMapping, lockPlaced, type Placement, savePlacements } from './queries/mapping-placements';
import { recordMoves } from './record-moves';

const moveOf = (placement: Placement) => ({
  id: placement.workload_id,
  name: placement.workload_name,
  cluster_id: placement.cluster_id,
  project_id: placement.from_project_id,
  tenant_id: placement.from_tenant_id,
});

type Within = { clusterId?: string; workloadIds?: readonly string[] };

/**
 * Puts workloads where the mapping rules want them: those that nobody assigned by hand, in one cluster, of some ids, or all.
 * What a rule put somewhere leaves again when no rule matches it any more. Run twice, the second time writes nothing.
 * @returns those that have another project than before; `recordPlacements` tells the audit trail
 */
export async function placeByRules(tx: Tx, within: Within = {}): Promise<Placement[]> {
  await lockMapping(tx);
  const rules = await listEnabledRules(tx);
  const wanted = await findPlacements(tx, rules, { ...within, deciders: true });
  if (wanted.total === 0) return [];
  // Somebody may assign one of them at this moment: what is wanted is read again once nobody can.
  const workloadIds = wanted.items.map(({ workload_id }) => workload_id);
  await lockPlaced(tx, workloadIds);
  const { items } = await findPlacements(tx, rules, { workloadIds, deciders: true });
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
    started.push(...(await recordMoves(tx, scope, 'workload.mapped', target, group.map(moveOf))));
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
