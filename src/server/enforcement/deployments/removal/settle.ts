import { MAX_BULK_MEMBERS } from '@/domain/choices';
import type { Owned } from '@/domain/permissions';
import { recordAudit } from '../../../audit/record';
import { type Scope, systemScope } from '../../../auth/scope';
import type { Tx } from '../../../db/client';
import { batches } from '../../../db/update-rows';
import { groupBy } from '../../../lib/group-by';
import { assertNoApprovalNeeded } from '../../changes/gate';
import { readInstance } from '../../policies/policy-inputs';
import {
  deleteResidual,
  deleteReturnedResiduals,
  findLeftBehind,
  findOwner,
  type LeftBehind,
  lockTenantWorkloadsForShare,
  type OwnedWorkload,
  saveResidualRules,
  setResidualProject,
} from '../../queries/residual-rules';
import type { HeldDeployment } from '../deployment-session';
import { requestRemovalIn } from '../schedule';

type Left = Omit<LeftBehind, 'on_move'> & { mode: 'remove' | 'keep' };

/** Workloads that one audit record names: a record is read as a whole. */
const PER_RECORD = 500;

/**
 * Both sides read what was left: the tenant of the policies which and where, the other one on which workloads. Within one tenant
 * one record says all.
 */
async function auditResidualRules(
  tx: Tx,
  scope: Pick<Scope, 'actor' | 'origin'>,
  left: readonly Left[],
  tenantOf: ReadonlyMap<string, string | null>,
): Promise<void> {
  const record = async (tenant_id: string | null, rows: readonly Left[], ofPolicies: boolean) => {
    const workloads = [...groupBy(rows, ({ workload_id, mode }) => `${workload_id} ${mode}`).values()].flatMap(
      (list) => {
        const [first] = list;
        if (!first) return [];
        const { workload_id: id, workload_name: name, mode } = first;
        const policies = list.map(({ policy_id, policy_name }) => ({ id: policy_id, name: policy_name }));
        return [{ id, name, mode, policies: ofPolicies ? policies : policies.length }];
      },
    );
    for (const batch of batches(workloads, PER_RECORD)) {
      const after = { workloads: batch };
      await recordAudit(tx, scope, { action: 'workload.rules_left', object_kind: 'workload', tenant_id, after });
    }
  };
  for (const [tenant, rows] of groupBy(left, ({ tenant_id }) => tenant_id)) await record(tenant, rows, true);
  const gone = left.filter(({ workload_id, tenant_id }) => tenantOf.get(workload_id) !== tenant_id);
  for (const [tenant, rows] of groupBy(gone, ({ workload_id }) => tenantOf.get(workload_id) ?? null)) {
    if (tenant !== null) await record(tenant, rows, false);
  }
}

/** Notes what was left as residual, requests its removal, and records it. @returns deployments to start after the commit */
export async function recordResidualRules(
  tx: Tx,
  scope: Pick<Scope, 'actor' | 'origin'>,
  left: readonly Left[],
  owned: readonly OwnedWorkload[],
): Promise<string[]> {
  await saveResidualRules(tx, left);
  const ids = await requestRemovalIn(
    tx,
    left.filter(({ mode }) => mode === 'remove'),
  );
  await auditResidualRules(
    tx,
    scope,
    left,
    new Map(owned.map(({ workload_id, tenant_id }) => [workload_id, tenant_id])),
  );
  return ids;
}

/** The edits of a change that move the workloads of which rules are removed, by project. */
const listMoves = (moved: readonly OwnedWorkload[], concerned: ReadonlySet<string>) =>
  [
    ...groupBy(
      moved.filter(({ workload_id }) => concerned.has(workload_id)),
      ({ project_id }) => project_id,
    ),
  ].flatMap(([project_id, list]) =>
    [...batches(list, MAX_BULK_MEMBERS)].map((batch) => ({
      kind: 'move' as const,
      project_id,
      workload_ids: batch.map(({ workload_id }) => workload_id),
    })),
  );

/**
 * Decides, as part of a move, what happens to rules that policies left on workloads on which they may no longer act.
 * A manual move removes them; a move by a mapping rule follows the setting of the policy's tenant. Until they are
 * gone they are recorded as residual.
 * @throws AppError what `assertNoApprovalNeeded` throws, for a user
 * @returns deployments for `startDeployments` after the commit
 */
export async function settleMoves(
  tx: Tx,
  scope: Pick<Scope, 'actor' | 'origin'>,
  moved: readonly OwnedWorkload[],
  { by, isApproved }: { readonly by: 'hand' | 'rule'; readonly isApproved: boolean },
): Promise<string[]> {
  if (moved.length === 0) return [];
  await deleteReturnedResiduals(tx, moved);
  const found = await findLeftBehind(tx, await readInstance(tx), moved);
  if (found.length === 0) return [];
  // What moved on the hypervisor has moved: only a user's own request waits for approval.
  if (scope.actor.kind === 'user' && !isApproved) {
    const removed = found.filter(({ on_move }) => by === 'hand' || on_move === 'remove');
    await assertNoApprovalNeeded(tx, removed, {
      isEnforcing: removed.length > 0,
      title: 'Move workloads',
      items: listMoves(moved, new Set(removed.map(({ workload_id }) => workload_id))),
    });
  }
  const modes = found.map(({ on_move, ...row }): Left => ({ ...row, mode: by === 'hand' ? 'remove' : on_move }));
  return recordResidualRules(tx, scope, modes, moved);
}

/**
 * Decides, as part of giving a policy to a project or back to its tenant, what becomes of its rules on workloads on which it may
 * not act any more: they are removed as after a move. Those that were residual where it may act again are its own.
 * @returns deployments for `startDeployments` after the commit
 */
export async function settleOwner(
  tx: Tx,
  scope: Pick<Scope, 'actor' | 'origin'>,
  policyId: string,
  { tenant_id, project_id }: Owned,
): Promise<string[]> {
  // A workload moves before or after this: each then finds what the other did.
  const workloads = tenant_id === null ? [] : await lockTenantWorkloadsForShare(tx, tenant_id);
  await setResidualProject(tx, policyId, project_id);
  await deleteReturnedResiduals(tx, workloads);
  const left = await findLeftBehind(tx, await readInstance(tx), workloads, policyId);
  if (left.length === 0) return [];
  const removed = left.map(({ on_move: _, ...row }) => ({ ...row, mode: 'remove' as const }));
  return recordResidualRules(tx, scope, removed, workloads);
}

const scope = systemScope('policy:apply', 'workload move');

/**
 * Notes that nothing of the policy is left on a workload that moved, in the audit trails of both tenants: that of the tenant which
 * had it names the policy and the workload as it was called then, that of the other one neither.
 */
export async function settleRemoval(
  tx: Tx,
  { policy_id }: Pick<HeldDeployment, 'policy_id'>,
  workloadId: string,
): Promise<void> {
  const residual = await deleteResidual(tx, policy_id, workloadId);
  if (!residual) return;
  const owner = await findOwner(tx, workloadId);
  const entry = { action: 'workload.residual_rules_removed', object_kind: 'workload', object_id: workloadId } as const;
  if (residual.tenant_id !== null) {
    await recordAudit(tx, scope, {
      ...entry,
      object_name: residual.workload_name,
      tenant_id: residual.tenant_id,
      after: { policy_id, policy_name: residual.policy_name },
    });
  }
  if (owner && (owner.tenant_id === null || owner.tenant_id !== residual.tenant_id)) {
    await recordAudit(tx, scope, {
      ...entry,
      object_name: owner.workload_name,
      tenant_id: owner.tenant_id,
      before: { since: residual.since },
    });
  }
}
