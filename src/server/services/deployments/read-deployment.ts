import type { Deployment } from '@/domain/deployments';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { findDeployment, withGuestProblems } from '../../repositories/deployments';

/** @throws AppError `not_found` */
export async function readDeployment(
  scope: Scope<'policy:read'> | Scope<'policy:apply'>,
  id: string,
): Promise<Deployment> {
  const found = await findDeployment(db, scope.tenants, id);
  if (!found)
    throw new AppError('not_found', 'There is no such deployment. It may have been deleted with its cluster.');
  const { tenant_id: _, project_id: __, ...deployment } = found;
  const [described = deployment] = await withGuestProblems(db, [deployment]);
  return described;
}
