import { recordAudit } from '../../../audit/record';
import { systemScope } from '../../../auth/scope';
import type { Tx } from '../../../db/client';
import { deleteResidual, findOwner } from '../../queries/residual-rules';
import type { HeldDeployment } from '../deployment-session';

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
