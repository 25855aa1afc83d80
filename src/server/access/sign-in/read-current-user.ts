import type { CurrentUser } from '@/domain/auth';
import { type ActingToken, restrictGrants } from '@/domain/restrict-grants';
import type { Session } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { findTenant } from '../../tenancy/queries/tenants';
import { findUserWithRoles, type UserWithRoles } from '../queries/users';
import { describeUser } from './describe-user';

/** What is left of the roles under a token's limit, with the name of the token's tenant. */
async function limitRoles(found: UserWithRoles, token: ActingToken): Promise<UserWithRoles> {
  const tenant = token.tenant_id === null ? null : await findTenant(db, 'all', token.tenant_id);
  const grants = restrictGrants(found.grants, token).map((grant) => ({
    ...grant,
    tenant_name: tenant?.name ?? grant.tenant_name,
  }));
  return { ...found, grants };
}

/**
 * Who acts, with permissions, roles and tenants: for an API token what the token may do, not its owner.
 * @throws AppError `unauthenticated` when deactivated meanwhile
 */
export async function readCurrentUser(session: Session): Promise<CurrentUser> {
  const found = await findUserWithRoles(db, session.user.id, clock.now().toISOString());
  if (!found) throw new AppError('unauthenticated', 'Sign in to continue.');
  const { api_token } = session;
  return describeUser(db, api_token ? await limitRoles(found, api_token) : found, session.must_enrol ?? false);
}
