import { passwordProblem } from '@/domain/auth-password';
import { explainAccess } from '@/domain/explain-access';
import type { User, UserAccess, UserInput, UserUpdate } from '@/domain/user';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { assertVersion, changedFields, notFound, refuseField } from '../../lib/refusals';
import { verifyOwnPassword, wrongField } from '../account/second-factor';
import { deleteUserApiTokens, suspendUserApiTokens } from '../queries/api-tokens';
import { isDirectoryAccount } from '../queries/directory';
import { listAllRoles } from '../queries/roles';
import * as repository from '../queries/user-list';
import { findOwnCredentials, insertUser } from '../queries/users';
import { signedInAsker } from '../sign-in/checks';
import { hashNewPassword } from '../sign-in/passwords';
import { endSessions } from '../sign-in/sessions';
import { assign, toAuditedAssignments } from './assignments';
import { assertMayGrant, assertNoToken, assertNotTokenOwner, assertSuperAdminLeft } from './may-grant';

const emailTaken = () =>
  new AppError('conflict', 'An account with this email address already exists.', {
    errors: [{ field: 'email', message: 'Choose another address.' }],
  });
const now = () => clock.now().toISOString();
type Audited = { email: string; name: string; active: boolean; password_sign_in: boolean };
const toAudited = ({ email, name, active, password_sign_in }: Audited) => ({ email, name, active, password_sign_in });

/** @throws AppError `conflict`: people could lock themselves out by mistake */
function assertNotSelf(scope: Scope<'user:write'>, id: string, what: string): void {
  if (scope.actor.id === id)
    throw new AppError('conflict', `You cannot ${what} your own account. Ask another administrator.`);
}

async function getStoredUser(tx: Tx, id: string): Promise<User> {
  const user = await repository.findUser(tx, id, now());
  if (!user) throw new Error('expected the stored user to exist');
  return user;
}

/**
 * Users who set their own password have to know the current one, here as on the account page: an administrator's
 * unattended browser must not be enough to take the account over.
 * @returns the hash that the password was checked against; null for another user's account
 */
async function assertOwnPassword(
  scope: Scope<'user:write'>,
  id: string,
  given: string | undefined,
): Promise<string | null> {
  const { actor, origin } = scope;
  if (actor.kind !== 'user' || actor.id !== id || origin === null) return null;
  const own = await findOwnCredentials(db, id);
  if (!own) throw notFound('user');
  if (own.password_hash === null) {
    throw new AppError('refused', 'Your account has no password. Ask another administrator to set one.');
  }
  await verifyOwnPassword({ user: { ...own, id }, origin }, own.password_hash, given);
  return own.password_hash;
}

/** @throws AppError `not_found` */
export async function readUser(_scope: Scope<'user:read'>, id: string): Promise<User> {
  const user = await repository.findUser(db, id, now());
  if (!user) throw notFound('user');
  return user;
}

/** What a user may do, permission by permission, and why or why not. @throws AppError `not_found` */
export async function explainUser(_scope: Scope<'user:read'>, id: string): Promise<UserAccess> {
  const user = await repository.findUser(db, id, now());
  if (!user) throw notFound('user');
  const [assignments, roles] = await Promise.all([repository.findAssignments(db, [id], now()), listAllRoles(db)]);
  return explainAccess(user, assignments, roles);
}

const toPasswordAsker = ({ actor }: Scope<'user:write'>) => signedInAsker(actor.id ?? actor.name);

/**
 * Creates an account with its roles.
 * @throws AppError `conflict` when the address is taken, `not_found` for unknown roles or tenants, `forbidden` for roles
 * with rights that the actor lacks, and for an API token that sets a password
 */
export async function createUser(scope: Scope<'user:write'>, input: UserInput): Promise<User> {
  if (input.password !== undefined) assertNoToken(scope, 'set a password');
  const password_hash =
    input.password === undefined ? null : await hashNewPassword(input.password, 'password', toPasswordAsker(scope));
  return db.transaction(async (tx) => {
    if (await repository.isEmailTaken(tx, input.email, null)) throw emailTaken();
    const { email, name } = input;
    const { id } = await insertUser(tx, { id: newId(), email, name, password_hash });
    const { after } = await assign(tx, scope.actor, id, [], input.assignments);
    const user = await getStoredUser(tx, id);
    await recordAudit(tx, scope, {
      action: 'user.created',
      object_kind: 'user',
      object_id: id,
      object_name: email,
      after: { ...toAudited(user), assignments: toAuditedAssignments(after) },
    });
    return user;
  });
}

/**
 * Changes an account; omitted fields stay. A new password, deactivation and disabling the password sign-in end its
 * sessions immediately; a new password also revokes its API tokens. Tokens of a deactivated account stay suspended
 * when it is activated again. Changing the user's own password requires the current one.
 * @throws AppError `not_found`, `version_conflict`, `conflict` when the address is taken, for oneself, or when no
 * super administrator would be left; `forbidden` for a user with permissions that the actor lacks, and for API tokens
 * that set a password, change an email address, end sign-ins or change their owner; `malformed` for a bad password,
 * or a wrong current one
 */
export async function updateUser(
  scope: Scope<'user:write'>,
  id: string,
  { version, password, current_password, ...input }: UserUpdate,
): Promise<User> {
  assertNotTokenOwner(scope, id);
  if (password !== undefined) assertNoToken(scope, 'set a password');
  if (input.active === false || input.password_sign_in === false) assertNoToken(scope, 'end sessions');
  const proved = password === undefined ? null : await assertOwnPassword(scope, id, current_password);
  const password_hash =
    password === undefined ? undefined : await hashNewPassword(password, 'password', toPasswordAsker(scope));
  return db.transaction(async (tx) => {
    await repository.lockSuperAdmins(tx);
    const row = await repository.lockUser(tx, id);
    if (!row) throw notFound('user');
    assertVersion('user', row.version, version);
    if (proved !== null && row.password_hash !== proved) {
      throw wrongField('current_password', 'Another request changed the password. Reload the page and try again.');
    }
    const problem = password === undefined ? null : passwordProblem(password, input.email ?? row.email);
    if (problem) throw new AppError('malformed', problem, { errors: [{ field: 'password', message: problem }] });
    if (password !== undefined && (await isDirectoryAccount(tx, id))) {
      throw refuseField(
        'password',
        'This account signs in with the directory, which has its password. Unlink it first.',
      );
    }
    const changes = changedFields(row, { ...input, password_hash });
    if (Object.keys(changes).length === 0) return getStoredUser(tx, id);
    await assertMayGrant(tx, scope.actor, await repository.findAssignments(tx, [id], now()));
    if (changes.active === false) assertNotSelf(scope, id, 'deactivate');
    // A sign-in provider may find the account by it.
    if (changes.email !== undefined) assertNoToken(scope, 'change an email address');
    if (changes.email !== undefined && (await repository.isEmailTaken(tx, changes.email, id))) throw emailTaken();
    await repository.updateUser(tx, id, { ...changes, version: row.version + 1 });
    const shut = changes.active === false || changes.password_sign_in === false;
    const ended = shut || password !== undefined ? await endSessions(tx, id) : 0;
    // A new password is set because credentials issued under the old one are no longer trusted.
    const revoked = password === undefined ? 0 : await deleteUserApiTokens(tx, id);
    // A returning user decides again which programs act for them; the tokens may have leaked since.
    const suspended = changes.active === undefined ? 0 : await suspendUserApiTokens(tx, id, now());
    if (shut) await assertSuperAdminLeft(tx);
    const user = await getStoredUser(tx, id);
    await recordAudit(tx, scope, {
      action: 'user.updated',
      object_kind: 'user',
      object_id: id,
      object_name: user.email,
      before: toAudited(row),
      after: {
        ...toAudited(user),
        ...(password !== undefined && { has_new_secret: true }),
        ...(ended > 0 && { ended_sessions: ended }),
        ...(revoked > 0 && { ended_programs: revoked }),
        ...(suspended > 0 && { suspended_programs: suspended }),
      },
    });
    return user;
  });
}

/**
 * Deletes an account with its roles and sessions. Its actions stay in the audit trail under its name.
 * @throws AppError `not_found`, `conflict` for oneself or the last super administrator, `forbidden` for a user with
 * permissions that the actor lacks, and for API tokens
 */
export async function deleteUser(scope: Scope<'user:write'>, id: string, version?: number): Promise<void> {
  assertNoToken(scope, 'end sessions');
  return db.transaction(async (tx) => {
    await repository.lockSuperAdmins(tx);
    const row = await repository.lockUser(tx, id);
    if (!row) throw notFound('user');
    assertNotSelf(scope, id, 'delete');
    assertVersion('user', row.version, version);
    const held = await repository.findAssignments(tx, [id], now());
    await assertMayGrant(tx, scope.actor, held);
    await endSessions(tx, id);
    await repository.deleteUserRow(tx, id);
    await assertSuperAdminLeft(tx);
    await recordAudit(tx, scope, {
      action: 'user.deleted',
      object_kind: 'user',
      object_id: id,
      object_name: row.email,
      before: { ...toAudited(row), assignments: toAuditedAssignments(held) },
    });
  });
}
