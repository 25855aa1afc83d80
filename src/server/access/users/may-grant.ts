import {
  computeReach,
  type Grantable,
  isWithinReach,
  PERMISSION_REACH,
  type RoleGrant,
  restrictGrants,
} from '@/domain/permissions';
import type { Actor, Scope } from '../../auth/scope';
import type { Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { countSuperAdmins } from '../queries/user-list';
import { findUserWithRoles } from '../queries/users';

/** Permissions held somewhere: in one tenant, in one project of it, or with both null everywhere. */
export type Held = { permissions: readonly string[]; tenant_id: string | null; project_id: string | null };

const isKnown = (text: string): text is Grantable => text === '*' || text in PERMISSION_REACH;

/** What of `requested` the grants do not cover: no one may grant, or take over, permissions they lack. */
export function listMissingPermissions(grants: readonly RoleGrant[], requested: readonly Held[]): Grantable[] {
  const missing = requested.flatMap(({ permissions, tenant_id, project_id }) =>
    permissions.filter(isKnown).filter((permission) => {
      const held = permission === '*' ? null : PERMISSION_REACH[permission];
      // Held for one tenant or project only, it has no effect for any user.
      if (tenant_id !== null && held === 'platform') return false;
      if (project_id !== null && held === 'tenant') return false;
      return !isWithinReach({ tenant_id, project_id }, computeReach(grants, permission));
    }),
  );
  return [...new Set(missing)];
}

/**
 * Refuses to grant permissions that the actor lacks, or to act on a user who has such permissions. Otherwise anyone
 * who may edit users could grant themselves anything.
 * @throws AppError `forbidden`
 */
export async function assertMayGrant(tx: Tx, actor: Actor, requested: readonly Held[]): Promise<void> {
  if (actor.kind === 'system') return;
  const found = actor.id === null ? null : await findUserWithRoles(tx, actor.id, clock.now().toISOString());
  const grants = found?.grants ?? [];
  // A program hands out no more than its token holds, whatever its owner may.
  const token = actor.kind === 'user' ? actor.api_token : undefined;
  const missing = listMissingPermissions(token ? restrictGrants(grants, token) : grants, requested);
  if (missing.length === 0) return;
  throw new AppError(
    'forbidden',
    missing.includes('*')
      ? 'Only a super administrator may do this.'
      : `This requires permissions that you do not have: ${missing.join(', ')}.`,
    { extra: { missing } },
  );
}

const getApiToken = (actor: Actor) => (actor.kind === 'user' ? actor.api_token : undefined);

/**
 * Refuses what no API token may do, whatever its permissions: set a password, end sign-ins or change what is needed to sign in. A token that leaked could
 * otherwise take accounts over, or shut people out.
 * @throws AppError `forbidden` for an API token
 */
export function assertNoToken(
  { actor }: Pick<Scope, 'actor'>,
  what:
    | 'set a password'
    | 'end sessions'
    | 'reactivate a token'
    | 'change an email address'
    | 'require a second factor',
): void {
  if (!getApiToken(actor)) return;
  throw new AppError('forbidden', `An API token cannot ${what}. Sign in to the console instead.`);
}

/**
 * Refuses an API token that changes the account of its own owner: its roles, sign-ins, tokens, or anything else.
 * @throws AppError `forbidden`
 */
export function assertNotTokenOwner(scope: Scope<'user:write'>, userId: string): void {
  if (!getApiToken(scope.actor) || scope.actor.id !== userId) return;
  throw new AppError(
    'forbidden',
    'An API token cannot change the account of its owner. Sign in to the console instead.',
  );
}

/**
 * Call after a change that may have taken the last one away, under `lockSuperAdmins`; the transaction then undoes it.
 * Roles that end some day do not count, nor accounts that only a sign-in provider lets in: the installation would lock itself then.
 * @throws AppError `conflict`
 */
export async function assertSuperAdminLeft(tx: Tx): Promise<void> {
  if ((await countSuperAdmins(tx)) > 0) return;
  throw new AppError(
    'conflict',
    'No super administrator would be left. First assign the role, without an end date, to another user who can sign in with a password.',
  );
}
