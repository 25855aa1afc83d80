import type { DeploymentGuestDetail } from '@/domain/deployments';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { findDeploymentGuest } from '../../repositories/deployment-guests';
import { readDeployment } from './read-deployment';

/** A guest's result with its plan and how it was before. @throws AppError `not_found` */
export async function readDeploymentGuest(
  scope: Scope<'policy:read'>,
  deploymentId: string,
  workloadId: string,
): Promise<DeploymentGuestDetail> {
  await readDeployment(scope, deploymentId);
  const guest = await findDeploymentGuest(db, deploymentId, workloadId);
  if (!guest) throw new AppError('not_found', 'The deployment has no such guest.');
  return { ...guest, reason: guest.status === 'skipped' ? (guest.problems[0]?.code ?? null) : null };
}
