import type { Owned } from '@/domain/permissions';
import type { Scope } from '../../../auth/scope';
import type { Tx } from '../../../db/client';
import { readInstance } from '../../policies/world/load-policy-world';
import { findLeftBehind, forgetReturned, holdWorkloadsOf, setResidualProject } from '../../queries/residual-rules';
import { noteLeft } from './settle-moves';

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
  const workloads = tenant_id === null ? [] : await holdWorkloadsOf(tx, tenant_id);
  await setResidualProject(tx, policyId, project_id);
  await forgetReturned(tx, workloads);
  const left = await findLeftBehind(tx, await readInstance(tx), workloads, policyId);
  if (left.length === 0) return [];
  const removed = left.map(({ on_move: _, ...row }) => ({ ...row, mode: 'remove' as const }));
  return noteLeft(tx, scope, removed, workloads);
}
