import type { Deployment, DeploymentListInput } from '@/domain/deployments';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../repositories/deployments';

/** One page of the deployments, newest first. */
export const listDeployments = (scope: Scope<'policy:read'>, input: DeploymentListInput): Promise<Page<Deployment>> =>
  repository.listDeployments(scope.tenants, input);
