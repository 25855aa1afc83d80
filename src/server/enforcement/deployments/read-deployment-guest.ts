import type { DeploymentGuestDetail } from '@/domain/deployments';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { ruleNamer } from '../guest-firewall/named-rules';
import { openGuestResult, openSets } from '../guest-firewall/withhold-state';
import { readBoard } from '../policies/board/read-board';
import { findDeploymentGuest } from '../queries/deployment-guests';
import { readDeploymentOwner } from './read-deployment';

/** A guest's result with its plan and how it was before. @throws AppError `not_found` */
export async function readDeploymentGuest(
  scope: Scope<'policy:read'>,
  deploymentId: string,
  workloadId: string,
): Promise<DeploymentGuestDetail> {
  const owner = await readDeploymentOwner(scope, deploymentId);
  const guest = await findDeploymentGuest(db, deploymentId, workloadId);
  if (!guest) throw new AppError('not_found', 'The deployment has no such guest.');
  const found = { ...guest, reason: guest.status === 'skipped' ? (guest.problems[0]?.code ?? null) : null };
  if (scope.tenants === 'all') return found;
  const namer = ruleNamer((await readBoard()).world, scope.reach, owner);
  const { state_before: before } = found;
  return {
    ...openGuestResult(found, namer),
    state_before: before && {
      ...before,
      rules: before.rules.map(namer.withholdLive),
      sets: openSets(before.sets, before.rules, namer, false),
    },
  };
}
