import type { DeploymentGuest, DeploymentGuestListInput } from '@/domain/deployments';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import { ruleNamer } from '../guest-firewall/named-rules';
import { openGuestResult } from '../guest-firewall/withhold-state';
import { readBoard } from '../policies/board/read-board';
import * as repository from '../queries/deployment-guests';
import { readDeploymentOwner } from './read-deployment';

/** One page of the guests of a deployment, by vmid. @throws AppError `not_found` */
export async function listDeploymentGuests(
  scope: Scope<'policy:read'>,
  deploymentId: string,
  input: DeploymentGuestListInput,
): Promise<Page<DeploymentGuest>> {
  const owner = await readDeploymentOwner(scope, deploymentId);
  const page = await repository.listDeploymentGuests(deploymentId, input);
  if (scope.tenants === 'all') return page;
  const namer = ruleNamer((await readBoard()).world, scope.reach, owner);
  return { ...page, items: page.items.map((guest) => openGuestResult(guest, namer)) };
}
