import type { CurrentUser } from '@/domain/auth';
import { type ActingToken, type Grantable, isGranted, PERMISSIONS, restrictGrants } from '@/domain/permissions';
import { evaluateSession } from '@/domain/second-factor';
import type { Origin, Session } from '../../auth/scope';
import { hashToken, verifyToken } from '../../auth/session-tokens';
import { db, type Executor } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { findTenant, listTenantNames } from '../../tenancy/queries/tenants';
import { API_TOKEN_PREFIX } from '../account/api-tokens';
import { findApiTokenOwner, recordApiTokenUse } from '../queries/api-tokens';
import { findSessionUser, findUserWithRoles, type UserWithRoles } from '../queries/users';

/** The session of a program: the owner's grants as they are now, under the token's limit. */
async function readTokenSession(token: string, origin: Origin, lenient: boolean): Promise<Session | null> {
  const now = clock.now().toISOString();
  const found = await findApiTokenOwner(hashToken(token), now);
  if (!found) {
    if (lenient) return null;
    throw new AppError('unauthenticated', 'The API token is unknown, expired or revoked, or its owner is not active.');
  }
  const { owner, api_token } = found;
  await recordApiTokenUse(api_token.id, { at: now, address: origin.source_address });
  return { user: owner.user, grants: restrictGrants(owner.grants, api_token), family_id: null, api_token, origin };
}

/** What a user may do who did not sign in, for work on their behalf. Null: unknown or deactivated. */
export async function readUserSession(userId: string, origin: Origin): Promise<Session | null> {
  const found = await findUserWithRoles(db, userId, clock.now().toISOString());
  return found && { user: found.user, grants: found.grants, family_id: null, origin };
}

/**
 * The session behind `Authorization: Bearer <access token or API token>`, read at each request: a deactivated user, a revoked sign-in
 * or a revoked token has none. With `lenient` a bad token counts as none (open routes); otherwise it is `unauthenticated`.
 */
export async function readSession(request: Request, origin: Origin, lenient = false): Promise<Session | null> {
  const header = request.headers.get('authorization');
  if (!header) return null;
  const token = /^Bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(header)?.[1];
  if (token?.startsWith(API_TOKEN_PREFIX)) return readTokenSession(token, origin, lenient);
  const claims = token ? await verifyToken(token, 'access') : null;
  const found = claims && (await findSessionUser(claims.sub, claims.sid, clock.now().toISOString()));
  const standing = found ? evaluateSession(found.second_factor, found.proof) : 'over';
  if (found && standing !== 'over') {
    const must_enrol = standing === 'must_enrol';
    return { user: found.user, grants: must_enrol ? [] : found.grants, family_id: claims.sid, must_enrol, origin };
  }
  if (lenient) return null;
  throw new AppError('unauthenticated', 'The access token is invalid or expired. Refresh it or sign in again.');
}

const EVERYTHING: readonly Grantable[] = ['*', ...PERMISSIONS];

/**
 * The user as the pages and API clients see themselves: effective permissions, assigned roles, accessible tenants. All
 * are empty for users who have to set up a second factor first.
 */
export async function describeUser(
  executor: Executor,
  found: UserWithRoles,
  must_enrol: boolean,
): Promise<CurrentUser> {
  const { user } = found;
  if (must_enrol) return { ...user, must_enrol, permissions: [], grants: [], tenants: [], all_tenants: false };
  const { grants } = found;
  const everywhere = grants.some((grant) => grant.tenant_id === null);
  const named = new Map(grants.flatMap((g) => (g.tenant_id && g.tenant_name ? [[g.tenant_id, g.tenant_name]] : [])));
  const tenants = everywhere
    ? await listTenantNames(executor, 1000)
    : [...named].map(([id, name]) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return {
    ...user,
    must_enrol,
    permissions: EVERYTHING.filter((permission) => isGranted(grants, permission)),
    grants: grants.map(({ role, title, tenant_id, project_id, project_name, permissions }) => ({
      role,
      title,
      tenant_id,
      project_id,
      project_name,
      permissions: [...permissions],
    })),
    tenants,
    all_tenants: everywhere,
  };
}

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
 * The actor, with permissions, roles and tenants: for an API token those of the token, not of its owner.
 * @throws AppError `unauthenticated` when deactivated in between
 */
export async function readCurrentUser(session: Session): Promise<CurrentUser> {
  const found = await findUserWithRoles(db, session.user.id, clock.now().toISOString());
  if (!found) throw new AppError('unauthenticated', 'Sign in to continue.');
  const { api_token } = session;
  return describeUser(db, api_token ? await limitRoles(found, api_token) : found, session.must_enrol ?? false);
}
