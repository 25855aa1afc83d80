import type { Deployment } from '@/domain/deployments';
import { type Owned, ownedPart } from '@/domain/permissions';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { findDeployment, withGuestProblems } from '../queries/deployments';

type Reading = Scope<'policy:read'> | Scope<'policy:apply'>;

async function find(scope: Reading, id: string) {
  const found = await findDeployment(db, scope.reach, id);
  if (!found) throw notFound('deployment');
  return found;
}

/** Whose the policy was when the deployment was requested. @throws AppError `not_found` */
export const readDeploymentOwner = async (scope: Reading, id: string): Promise<Owned> =>
  ownedPart(await find(scope, id));

/** @throws AppError `not_found` */
export async function readDeployment(scope: Reading, id: string): Promise<Deployment> {
  const { tenant_id: _, project_id: __, ...deployment } = await find(scope, id);
  const [described = deployment] = await withGuestProblems(db, [deployment]);
  return described;
}
