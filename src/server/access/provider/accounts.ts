import { AccountEmail } from '@/domain/auth';
import type { ProviderProblem, UserIdentity } from '@/domain/sign-in-provider';
import { recordAudit } from '../../audit/record';
import type { Actor, Origin, Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import { logger } from '../../lib/logger';
import { notFound } from '../../lib/refusals';
import type { ProviderClaims } from '../../providers/oidc/read-claims';
import { suspendUserApiTokens } from '../queries/api-tokens';
import { LDAP_ID } from '../queries/directory';
import {
  deleteIdentity,
  findIdentity,
  type GroupProvider,
  insertIdentity,
  listIdentities,
  listRoleMappings,
  lockSubject,
  type OidcSettingsRow,
  recordIdentityUse,
} from '../queries/provider';
import * as repository from '../queries/user-list';
import { findAssignments, findUser, lockUser, type UserRow } from '../queries/user-list';
import { findCredentials, insertUser } from '../queries/users';
import { endSessions } from '../sign-in/sessions';
import { toAuditedAssignments } from '../users/assignments';
import { assertMayGrant, assertNoToken } from '../users/may-grant';

type Found = { user: UserRow } | { problem: ProviderProblem; account: { id: string; email: string } | null };

/** Who acts in the audit trail when groups or first sign-ins change accounts. */
export const PROVIDER_ACTOR = {
  oidc: { kind: 'system', id: null, name: 'sign-in provider' },
  ldap: { kind: 'system', id: null, name: 'directory' },
} as const satisfies Record<GroupProvider, Actor>;

export type LinkedSubject = { issuer: string; subject: string; email: string | null; sign_in_name?: string };

const refused = (problem: ProviderProblem, account: { id: string; email: string } | null = null): Found => ({
  problem,
  account: account && { id: account.id, email: account.email },
});

async function locked(tx: Tx, id: string): Promise<UserRow> {
  const row = await lockUser(tx, id);
  if (!row) throw new Error('expected the stored account to exist');
  return row;
}

/** Ties an account to what the provider means by a subject. */
async function link(
  tx: Tx,
  user: { id: string; email: string },
  { issuer, subject, email, sign_in_name }: LinkedSubject,
  by: { actor: Actor; origin: Origin },
): Promise<void> {
  const last_used_at = clock.now().toISOString();
  await insertIdentity(tx, { user_id: user.id, issuer, subject, email, sign_in_name, last_used_at });
  await recordAudit(tx, by, {
    action: 'user.identity_linked',
    object_kind: 'user',
    object_id: user.id,
    object_name: user.email,
    after: { issuer, subject, email },
  });
}

/**
 * The account of the user the provider vouches for, locked: by issuer and subject; else by an email address that the
 * provider verified, when linking is allowed and the account has no identity there; else a new one, when that is
 * allowed. An address alone never grants access.
 */
export async function findAccount(
  tx: Tx,
  settings: Pick<OidcSettingsRow, 'create_users' | 'link_by_email'>,
  claims: ProviderClaims,
  origin: Origin,
): Promise<Found> {
  await lockSubject(tx, claims.issuer, claims.subject);
  const identity = await findIdentity(tx, claims.issuer, claims.subject);
  if (identity) {
    const user = await locked(tx, identity.user_id);
    if (!user.active) return refused('inactive', user);
    await recordIdentityUse(tx, identity.id, { email: claims.email, last_used_at: clock.now().toISOString() });
    return { user };
  }
  const email = AccountEmail.safeParse(claims.email);
  if (!email.success || !(settings.create_users || settings.link_by_email)) return refused('unknown_account');
  // Before anything is looked up: who only claims an address must not learn whether it has an account.
  if (!claims.email_verified) return refused('email_not_verified');
  const known = await findCredentials(email.data, tx);
  if (known) {
    if (!settings.link_by_email) return refused('email_taken', known);
    const user = await locked(tx, known.id);
    if (!user.active) return refused('inactive', user);
    if ((await listIdentities(tx, user.id)).length > 0) return refused('email_taken', user);
    await link(tx, user, claims, { actor: PROVIDER_ACTOR.oidc, origin });
    return { user };
  }
  if (!settings.create_users) return refused('unknown_account');
  const by = { actor: PROVIDER_ACTOR.oidc, origin };
  return { user: await createLinkedUser(tx, { email: email.data, name: claims.name ?? '' }, claims, by) };
}

/** Creates an account without password or roles for a subject at a provider. @returns its row, locked */
export async function createLinkedUser(
  tx: Tx,
  account: { email: string; name: string },
  subject: LinkedSubject,
  by: { actor: Actor; origin: Origin },
): Promise<UserRow> {
  const created = { id: newId(), ...account };
  await insertUser(tx, { ...created, password_hash: null });
  await recordAudit(tx, by, {
    action: 'user.created',
    object_kind: 'user',
    object_id: created.id,
    object_name: created.email,
    after: { email: created.email, name: created.name, active: true, assignments: [] },
  });
  await link(tx, created, subject, by);
  return locked(tx, created.id);
}

/** The accounts at sign-in providers that belong to a user. @throws AppError `not_found` */
export async function listUserIdentities(
  _scope: Scope<'user:read'>,
  userId: string,
): Promise<{ items: UserIdentity[] }> {
  if (!(await findUser(db, userId, clock.now().toISOString()))) throw notFound('user');
  return { items: await listIdentities(db, userId) };
}

/**
 * Unlinks a user from an account at a provider, which can then no longer be used to sign in; all their sign-ins end, the roles of its
 * groups go, and API tokens are suspended: nothing compares them with the provider any more.
 * @throws AppError `not_found`; `forbidden` for a user with permissions that the actor lacks, and for API tokens
 */
export async function unlinkIdentity(scope: Scope<'user:write'>, userId: string, id: string): Promise<void> {
  assertNoToken(scope, 'end sessions');
  return db.transaction(async (tx) => {
    await repository.lockSuperAdmins(tx);
    const user = await lockUser(tx, userId);
    if (!user) throw notFound('user');
    await assertMayGrant(tx, scope.actor, await findAssignments(tx, [userId], clock.now().toISOString()));
    const gone = await deleteIdentity(tx, userId, id);
    if (!gone) throw notFound('account of this user at a provider');
    const provider = gone.issuer === LDAP_ID ? 'ldap' : 'oidc';
    await applyGroups(tx, user, { provider, isMember: () => false }, scope);
    const ended_sessions = await endSessions(tx, userId);
    const suspended_programs = await suspendUserApiTokens(tx, userId, clock.now().toISOString());
    const { issuer, subject, email } = gone;
    await recordAudit(tx, scope, {
      action: 'user.identity_unlinked',
      object_kind: 'user',
      object_id: userId,
      object_name: user.email,
      before: { issuer, subject, email },
      after: { ended_sessions, suspended_programs },
    });
  });
}

type Held = Awaited<ReturnType<typeof repository.findAssignments>>[number];
type Place = { role_id: string; tenant_id: string | null; project_id: string | null };

const isSameAssignment = (a: Place, b: Place) =>
  a.role_id === b.role_id && a.tenant_id === b.tenant_id && a.project_id === b.project_id;
/** Assignments that make a user super administrator. */
const isSuper = (one: Held) => one.tenant_id === null && one.permissions.includes('*');

/**
 * Assigns a user the roles of their groups and unassigns those that came from groups they left. Manually assigned
 * roles are neither changed nor assigned twice, unless they expired. The last super administrator stays one. Call it under
 * `lockSuperAdmins`, with the user locked. @returns whether anything changed
 */
export async function applyGroups(
  tx: Tx,
  user: { id: string; email: string; version: number },
  { provider, isMember }: { provider: GroupProvider; isMember: (group: string) => boolean },
  by: { actor: Actor; origin: Origin | null },
): Promise<boolean> {
  const now = clock.now().toISOString();
  const mapped = (await listRoleMappings(tx, provider)).filter(({ group }) => isMember(group));
  const requested = mapped.filter((one, index) => mapped.findIndex((other) => isSameAssignment(one, other)) === index);
  const held = await repository.findAssignments(tx, [user.id], now);
  const left = held.filter(
    (one) => one.source === provider && !requested.some((other) => isSameAssignment(one, other)),
  );
  const added = requested.filter((one) => !held.some((other) => !other.expired && isSameAssignment(one, other)));
  // An expired assignment gives nothing, but would be in the way of the same one.
  const gone = [...left, ...held.filter((one) => one.expired && added.some((other) => isSameAssignment(one, other)))];
  if (gone.length + added.length === 0) return false;
  const place = ({ role_id, tenant_id, project_id }: Place) => ({
    role_id,
    tenant_id,
    project_id,
    expires_at: null,
    source: provider,
  });
  await repository.replaceAssignments(
    tx,
    user.id,
    gone.map(({ id }) => id),
    added.map(place),
  );
  const last = left.filter(isSuper);
  if (last.length > 0 && (await repository.countSuperAdmins(tx)) === 0) {
    await repository.replaceAssignments(tx, user.id, [], last.map(place));
    logger.warn({ user_id: user.id }, 'kept the role: the groups would leave no super administrator');
    if (gone.length + added.length === last.length) return false;
  }
  await repository.updateUser(tx, user.id, { version: user.version + 1 });
  const after = await repository.findAssignments(tx, [user.id], now);
  await recordAudit(tx, by, {
    action: 'user.roles_changed',
    object_kind: 'user',
    object_id: user.id,
    object_name: user.email,
    before: { assignments: toAuditedAssignments(held) },
    after: { assignments: toAuditedAssignments(after) },
  });
  return true;
}
