import type {
  Deployment,
  DeploymentGuest,
  DeploymentGuestDetail,
  DeploymentGuestListInput,
  DeploymentListInput,
} from '@/domain/deployments';
import type { Page } from '@/domain/list';
import { type Owned, toOwner } from '@/domain/permissions';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { ruleNamer } from '../guest-firewall/named-rules';
import { redactGuestResult, redactSets } from '../guest-firewall/redact-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import * as guestQueries from '../queries/deployment-guests';
import { findDeploymentGuest } from '../queries/deployment-guests';
import * as repository from '../queries/deployments';
import { findDeployment, withGuestProblems } from '../queries/deployments';

/** One page of the deployments, newest first. */
export async function listDeployments(
  scope: Scope<'policy:read'>,
  input: DeploymentListInput,
): Promise<Page<Deployment>> {
  const page = await repository.listDeployments(scope.reach, input);
  return { ...page, items: await repository.withGuestProblems(db, page.items) };
}

type Timed = Scope<'policy:read'> | Scope<'policy:apply'>;

async function find(scope: Timed, id: string) {
  const found = await findDeployment(db, scope.reach, id);
  if (!found) throw notFound('deployment');
  return found;
}

/** Whose the policy was when the deployment was requested. @throws AppError `not_found` */
export const readDeploymentOwner = async (scope: Timed, id: string): Promise<Owned> => toOwner(await find(scope, id));

/** @throws AppError `not_found` */
export async function readDeployment(scope: Timed, id: string): Promise<Deployment> {
  const { tenant_id: _, project_id: __, ...deployment } = await find(scope, id);
  const [described = deployment] = await withGuestProblems(db, [deployment]);
  return described;
}

/** One page of the guests of a deployment, by vmid. @throws AppError `not_found` */
export async function listDeploymentGuests(
  scope: Scope<'policy:read'>,
  deploymentId: string,
  input: DeploymentGuestListInput,
): Promise<Page<DeploymentGuest>> {
  const owner = await readDeploymentOwner(scope, deploymentId);
  const page = await guestQueries.listDeploymentGuests(deploymentId, input);
  if (scope.tenants === 'all') return page;
  const namer = ruleNamer((await readFirewallState()).inputs, scope.reach, owner);
  return { ...page, items: page.items.map((guest) => redactGuestResult(guest, namer)) };
}

/** A guest's result with its plan and how it was before. @throws AppError `not_found` */
export async function readDeploymentGuest(
  scope: Scope<'policy:read'>,
  deploymentId: string,
  workloadId: string,
): Promise<DeploymentGuestDetail> {
  const owner = await readDeploymentOwner(scope, deploymentId);
  const guest = await findDeploymentGuest(db, deploymentId, workloadId);
  if (!guest) throw new AppError('not_found', 'The deployment does not include this workload.');
  const found = { ...guest, reason: guest.status === 'skipped' ? (guest.problems[0]?.code ?? null) : null };
  if (scope.tenants === 'all') return found;
  const namer = ruleNamer((await readFirewallState()).inputs, scope.reach, owner);
  const { state_before: before } = found;
  return {
    ...redactGuestResult(found, namer),
    state_before: before && {
      ...before,
      rules: before.rules.map(namer.withholdLive),
      sets: redactSets(before.sets, before.rules, namer, false),
    },
  };
}
