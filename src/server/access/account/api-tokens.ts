import { randomBytes } from 'node:crypto';
import type { ApiToken, ApiTokenInput, CreatedApiToken } from '@/domain/account';
import { DAY_MS } from '@/domain/durations';
import { computeReach, isEmptyReach, isWithinReach } from '@/domain/permissions';
import { recordAudit } from '../../audit/record';
import { getActor, type PersonSession, type Scope } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { db, type Executor, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { notFound } from '../../lib/refusals';
import * as repository from '../queries/api-tokens';
import { findAssignments, findUser } from '../queries/user-list';
import { assertMayGrant, assertNoToken, assertNotTokenOwner } from '../users/may-grant';

/** What every API token begins with, so that scanners for leaked secrets recognize it. */
export const API_TOKEN_PREFIX = 'fabric_api_';

/** How much of a token is kept to tell it from others: worth nothing to a thief. */
const SHOWN = API_TOKEN_PREFIX.length + 6;

/** A new token of 256 random bits, and the part of it that is shown afterwards. */
export function newApiToken(): { token: string; prefix: string } {
  const token = API_TOKEN_PREFIX + randomBytes(32).toString('base64url');
  return { token, prefix: token.slice(0, SHOWN) };
}

/** More than any user keeps track of. */
const MAX_TOKENS = 50;

async function listTokens(executor: Executor, userId: string): Promise<ApiToken[]> {
  const now = clock.now().getTime();
  const rows = await repository.listApiTokens(executor, userId);
  return rows.map((row) => ({ ...row, expired: Date.parse(row.expires_at) <= now }));
}

/** The user's own tokens, including expired ones. */
export async function listOwnTokens(session: PersonSession): Promise<{ items: ApiToken[] }> {
  return { items: await listTokens(db, session.user.id) };
}

/** What a token of the session may not have: its owner does not have it there either. */
function listMissingPermissions(session: PersonSession, { permissions, tenant_id }: ApiTokenInput): string[] {
  return permissions.filter((permission) => {
    const reach = computeReach(session.grants, permission);
    // A role for a project is covered by a token without a tenant: it acts where its owner may.
    return tenant_id === null ? isEmptyReach(reach) : !isWithinReach({ tenant_id, project_id: null }, reach);
  });
}

/**
 * Makes a token that can do what is named and its owner may do. It is shown once and stored as a hash.
 * @throws AppError `refused` for permissions that the owner lacks, too many tokens; `conflict` for a name that is taken
 */
export async function createOwnToken(session: PersonSession, input: ApiTokenInput): Promise<CreatedApiToken> {
  const missing = listMissingPermissions(session, input);
  if (missing.length > 0) {
    const message = `You cannot grant permissions that you do not have${input.tenant_id === null ? '' : ' there'}: ${missing.join(', ')}.`;
    throw new AppError('refused', message, { errors: [{ field: 'permissions', message }] });
  }
  const { token, prefix } = newApiToken();
  const { name, permissions, tenant_id, expires_in_days } = input;
  return db.transaction(async (tx) => {
    await repository.lockTokenOwner(tx, session.user.id);
    const known = await listTokens(tx, session.user.id);
    if (known.some((one) => one.name.toLowerCase() === name.toLowerCase())) {
      throw new AppError('conflict', 'You already have a token with this name.', {
        errors: [{ field: 'name', message: 'Choose another name, or revoke the other token.' }],
      });
    }
    if (known.length >= MAX_TOKENS) {
      throw new AppError(
        'refused',
        `You have ${known.length} API tokens, the maximum. Revoke one that is no longer needed.`,
      );
    }
    const id = newId();
    const now = clock.now().getTime();
    const expires_at = new Date(now + expires_in_days * DAY_MS).toISOString();
    const row = { id, user_id: session.user.id, name, prefix, permissions, tenant_id, expires_at };
    await repository.insertApiToken(tx, {
      ...row,
      token_hash: hashToken(token),
      created_at: new Date(now).toISOString(),
    });
    const stored = (await listTokens(tx, session.user.id)).find((one) => one.id === id);
    if (!stored) throw new Error('expected the stored token to exist');
    await recordAudit(
      tx,
      { actor: getActor(session), origin: session.origin },
      {
        action: 'api_token.created',
        object_kind: 'user',
        object_id: session.user.id,
        object_name: session.user.email,
        after: { name, permissions, tenant_id, expires_at },
      },
    );
    return { ...stored, token };
  });
}

async function revoke(
  tx: Tx,
  by: Parameters<typeof recordAudit>[1],
  owner: { id: string; email: string },
  id: string,
): Promise<void> {
  const gone = await repository.deleteApiToken(tx, owner.id, id);
  if (!gone) throw notFound('API token');
  const { name, permissions, tenant_id, expires_at } = gone;
  await recordAudit(tx, by, {
    action: 'api_token.revoked',
    object_kind: 'user',
    object_id: owner.id,
    object_name: owner.email,
    before: { name, permissions, tenant_id, expires_at },
  });
}

/** Revokes one of the user's own tokens, effective immediately. @throws AppError `not_found` */
export async function revokeOwnToken(session: PersonSession, id: string): Promise<void> {
  const by = { actor: getActor(session), origin: session.origin };
  await db.transaction((tx) => revoke(tx, by, session.user, id));
}

async function reactivateToken(
  tx: Tx,
  by: Parameters<typeof recordAudit>[1],
  owner: { id: string; email: string },
  id: string,
): Promise<ApiToken> {
  const allowed = await repository.reactivateApiToken(tx, owner.id, id);
  const token = (await listTokens(tx, owner.id)).find((one) => one.id === id);
  if (!token) throw notFound('API token');
  if (!allowed) throw new AppError('conflict', 'The token is not suspended.');
  const { name, permissions, tenant_id, expires_at } = allowed;
  await recordAudit(tx, by, {
    action: 'api_token.allowed',
    object_kind: 'user',
    object_id: owner.id,
    object_name: owner.email,
    after: { name, permissions, tenant_id, expires_at },
  });
  return token;
}

/**
 * Reactivates one of the user's own tokens that was suspended when the account was deactivated.
 * @throws AppError `not_found`; `conflict` when it is not suspended
 */
export function reactivateOwnToken(session: PersonSession, id: string): Promise<ApiToken> {
  const by = { actor: getActor(session), origin: session.origin };
  return db.transaction((tx) => reactivateToken(tx, by, session.user, id));
}

/** The tokens of any user. @throws AppError `not_found` */
export async function listUserTokens(_scope: Scope<'user:read'>, userId: string): Promise<{ items: ApiToken[] }> {
  if (!(await findUser(db, userId, clock.now().toISOString()))) throw notFound('user');
  return { items: await listTokens(db, userId) };
}

/**
 * Reactivates a suspended token of any user.
 * @throws AppError `not_found`; `conflict` when it is not suspended, or the account is not active; `forbidden` for an
 * API token, and for a user with permissions that the actor lacks
 */
export async function reactivateUserToken(scope: Scope<'user:write'>, userId: string, id: string): Promise<ApiToken> {
  assertNoToken(scope, 'reactivate a token');
  return db.transaction(async (tx) => {
    const now = clock.now().toISOString();
    const user = await findUser(tx, userId, now);
    if (!user) throw notFound('user');
    await assertMayGrant(tx, scope.actor, await findAssignments(tx, [userId], now));
    if (!user.active) throw new AppError('conflict', 'The account is deactivated. Activate the account first.');
    return reactivateToken(tx, scope, user, id);
  });
}

/**
 * Revokes a token of any user.
 * @throws AppError `not_found`; `forbidden` for a user with permissions that the actor lacks
 */
export async function revokeUserToken(scope: Scope<'user:write'>, userId: string, id: string): Promise<void> {
  assertNotTokenOwner(scope, userId);
  await db.transaction(async (tx) => {
    const now = clock.now().toISOString();
    const user = await findUser(tx, userId, now);
    if (!user) throw notFound('user');
    await assertMayGrant(tx, scope.actor, await findAssignments(tx, [userId], now));
    await revoke(tx, scope, user, id);
  });
}
