import type { DeploymentGuest, DeploymentGuestListInput } from '@/domain/deployments';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../repositories/deployment-guests';
import { readDeployment } from './read-deployment';

/** One page of the guests of a deployment, by vmid. @throws AppError `not_found` */
export async function listDeploymentGuests(
  scope: Scope<'policy:read'>,
  deploymentId: string,
  input: DeploymentGuestListInput,
): Promise<Page<DeploymentGuest>> {
  await readDeployment(scope, deploymentId);
  return repository.listDeploymentGuests(deploymentId, input);
}
