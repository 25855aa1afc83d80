import type { Deployment, DeploymentListInput } from '@/domain/deployments';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import * as repository from '../queries/deployments';

/** One page of the deployments, newest first. */
export async function listDeployments(
  scope: Scope<'policy:read'>,
  input: DeploymentListInput,
): Promise<Page<Deployment>> {
  const page = await repository.listDeployments(scope.reach, input);
  return { ...page, items: await repository.withGuestProblems(db, page.items) };
}
