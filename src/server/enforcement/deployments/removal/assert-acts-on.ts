import type { Executor } from '../../../db/client';
import { isResidual, listOwnedBy } from '../../queries/residual-rules';
import type { HeldDeployment } from '../deployment-session';
import { GuestProblem } from '../guest/guest-problem';

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
        message: 'Nothing is left to remove there: the policy applies to the workload again.',
        remedy: null,
      },
      !written,
    );
  }
  if ((await listOwnedBy(executor, deployment, [workloadId])).size > 0) return;
  throw new GuestProblem(
    {
      code: 'workload_moved',
      message: 'The workload belongs to another tenant or project by now, so the policy does not apply to it.',
      remedy: null,
    },
    !written,
  );
}
