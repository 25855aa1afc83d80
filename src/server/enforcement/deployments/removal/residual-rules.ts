import { anonymizeRule, toLiveRuleView } from '@/domain/firewall/rule-view';
import { isWithinReach, type Owned } from '@/domain/permissions';
import { parseMarker } from '@/domain/policy/marker';
import type { ResidualRemoval, ResidualRulesList } from '@/domain/residual-rules';
import { recordAudit } from '../../../audit/record';
import type { Scope } from '../../../auth/scope';
import { db, type Executor, type Tx } from '../../../db/client';
import { notFound } from '../../../lib/refusals';
import { assertNoApprovalNeeded } from '../../changes/gate';
import { readFirewallState } from '../../policies/firewall-state/read-firewall-state';
import {
  findOwner,
  isResidual,
  listDueRemovals,
  listOwnedBy,
  listResidualRules,
  setRemoval,
} from '../../queries/residual-rules';
import type { HeldDeployment } from '../deployment-session';
import { GuestProblem } from '../guest/perform-step';
import { requestRemovalIn, startDeployments } from '../schedule';

const workloadNotFound = () => notFound('workload');

/**
 * Rules that policies of former tenants and projects left on a workload, as last read, one item for each policy. No
 * cluster is contacted.
 * @throws AppError `not_found` for a workload that is not visible
 */
export async function listResidual(scope: Scope<'workload:read'>, workloadId: string): Promise<ResidualRulesList> {
  const [rows, firewall] = await Promise.all([listResidualRules(scope.reach, workloadId), readFirewallState()]);
  const workload = firewall.inputs.workloads.get(workloadId);
  if (!workload || !isWithinReach(workload, scope.reach)) throw workloadNotFound();
  const snapshot = firewall.snapshots.guests.get(workloadId);
  return {
    items: rows.map(({ id, policy_id, mode, since, attempts, attempted_at, problem }) => ({
      id,
      workload_id: workloadId,
      mode,
      since,
      attempts,
      attempted_at,
      problem,
      rules:
        snapshot?.state.rules
          ?.filter(({ comment }) => {
            const marker = parseMarker(comment);
            return marker?.instance === firewall.inputs.instance && marker.policy_id === policy_id;
          })
          .map((rule) => anonymizeRule(toLiveRuleView(rule, firewall.inputs.instance, workload.vmid))) ?? null,
      read_at: snapshot?.read_at ?? null,
    })),
  };
}

/** Requests the removal inside the caller's transaction. @returns deployments to start after the commit, and for how many policies */
export async function removeResidualIn(
  tx: Tx,
  by: Pick<Scope, 'actor' | 'origin'>,
  { id, name, tenant_id }: Pick<Owned, 'tenant_id'> & { readonly id: string; readonly name: string },
): Promise<{ requested: number; ids: string[] }> {
  await setRemoval(tx, id);
  const left = await listDueRemovals(tx, [id]);
  if (left.length === 0) return { requested: 0, ids: [] };
  const ids = await requestRemovalIn(tx, left);
  await recordAudit(tx, by, {
    action: 'workload.residual_removal_requested',
    object_kind: 'workload',
    object_id: id,
    object_name: name,
    tenant_id,
    after: { policies: left.length },
  });
  return { requested: left.length, ids };
}

/**
 * Requests immediate removal of everything that policies of former tenants and projects left on a workload,
 * including what was to be kept; the worker retries until it is gone.
 * @throws AppError `not_found` for a workload not visible to the caller; what `assertNoApprovalNeeded` throws
 */
export async function removeResidual(scope: Scope<'policy:apply'>, workloadId: string): Promise<ResidualRemoval> {
  const { requested, ids } = await db.transaction(async (tx) => {
    const owner = await findOwner(tx, workloadId);
    if (!owner || !isWithinReach(owner, scope.reach)) throw workloadNotFound();
    if ((await listDueRemovals(tx, [workloadId])).length > 0) {
      await assertNoApprovalNeeded(tx, [owner], {
        isEnforcing: true,
        title: `Remove residual rules from ${owner.workload_name}`,
        items: [{ kind: 'residual_removal', workload_id: workloadId }],
      });
    }
    return removeResidualIn(tx, scope, { id: workloadId, name: owner.workload_name, tenant_id: owner.tenant_id });
  });
  await startDeployments(ids);
  return { requested };
}

type Acting = Pick<HeldDeployment, 'kind' | 'policy_id' | 'tenant_id' | 'project_id'>;

/**
 * That the deployment may write to a workload: an apply or cleanup where a policy of its owner acts, a removal where
 * something is noted as left. The owner may have become another one since the work was planned.
 * @throws GuestProblem `workload_moved`
 */
export async function assertActsOn(
  executor: Executor,
  deployment: Acting,
  workloadId: string,
  written = false,
): Promise<void> {
  const { kind, policy_id } = deployment;
  if (kind === 'removal') {
    if (await isResidual(executor, policy_id, workloadId)) return;
    throw new GuestProblem(
      {
        code: 'workload_moved',
        message: 'Nothing to remove: the policy applies to the workload again.',
        remedy: null,
      },
      !written,
    );
  }
  if ((await listOwnedBy(executor, deployment, [workloadId])).size > 0) return;
  throw new GuestProblem(
    {
      code: 'workload_moved',
      message: 'The workload now belongs to another tenant or project, so the policy does not apply to it.',
      remedy: null,
    },
    !written,
  );
}
