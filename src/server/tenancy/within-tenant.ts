import type { Grantable } from '@/domain/permissions';
import { narrowScope, type Scope } from '../auth/scope';
import { db } from '../db/client';
import { notFound } from '../lib/refusals';
import { tenantExists } from './queries/tenants';

/**
 * The scope as the people of one tenant have it; as it is without one.
 * @throws AppError `not_found` for a tenant that is out of reach
 */
export async function withinTenant<P extends Grantable>(
  scope: Scope<P>,
  tenantId: string | undefined,
): Promise<Scope<P>> {
  if (tenantId === undefined) return scope;
  const narrowed = narrowScope(scope, tenantId);
  if (!narrowed || !(await tenantExists(db, tenantId))) throw notFound('tenant');
  return narrowed;
}
