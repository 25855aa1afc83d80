import { FIRST_USER_ROLE } from '@/domain/auth';
import { passwordProblem } from '@/domain/auth-password';
import { recordAudit } from '../../audit/record';
import { clearAccountFailures } from '../../auth/attempt-limits';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { deleteSetting, insertSetting } from '../../settings/queries/settings';
import { deleteUserApiTokens } from '../queries/api-tokens';
import { isDirectoryAccount } from '../queries/directory';
import { assignBuiltInRole } from '../queries/roles';
import { deleteSecondFactor } from '../queries/second-factors';
import { findAssignments, lockSuperAdmins, lockUser, replaceAssignments, updateUser } from '../queries/user-list';
import { findCredentials, insertUser } from '../queries/users';
import { SETUP_CODE_KEY, SETUP_KEY } from '../setup-state';
import { hashNewPassword } from '../sign-in/passwords';
import { endSessions } from '../sign-in/sessions';

type AdministratorInput = { email: string; name: string; password: string; reset: boolean };

async function create(tx: Tx, { email, name }: AdministratorInput, password_hash: string): Promise<string> {
  const at = clock.now().toISOString();
  const { id } = await insertUser(tx, { id: newId(), email, name, password_hash });
  // With an account the first run is over; no one else may complete it with the setup code.
  await insertSetting(tx, SETUP_KEY, { completed_at: at, user_id: id }, at);
  await deleteSetting(tx, SETUP_CODE_KEY);
  return id;
}

/** Ends everything an attacker who took the account over could still hold, and removes what locked its owner out. */
async function reset(tx: Tx, id: string, input: AdministratorInput, password_hash: string) {
  const row = await lockUser(tx, id);
  if (!row) throw new Error('expected the account to exist');
  const name = input.name || row.name;
  await updateUser(tx, id, { name, password_hash, password_sign_in: true, active: true, version: row.version + 1 });
  return {
    ended_sessions: await endSessions(tx, id),
    ended_programs: await deleteUserApiTokens(tx, id),
    second_factor_removed: await deleteSecondFactor(tx, id),
  };
}

/**
 * Creates a super administrator from the machine itself, for a first account or when no one can sign in any more.
 * @returns whether the account is new
 * @throws AppError `conflict` when the account exists and is not to be reset, `malformed` for a bad password
 */
export async function makeAdministrator(scope: Scope<'*'>, input: AdministratorInput): Promise<{ created: boolean }> {
  const problem = passwordProblem(input.password, input.email);
  if (problem) throw new AppError('malformed', problem);
  const password_hash = await hashNewPassword(input.password, 'password');
  return db.transaction(async (tx) => {
    await lockSuperAdmins(tx);
    const known = await findCredentials(input.email);
    if (known && !input.reset) {
      throw new AppError('conflict', `An account ${input.email} already exists. Use --reset to restore access to it.`);
    }
    if (known && (await isDirectoryAccount(tx, known.id))) {
      throw new AppError('conflict', `${input.email} signs in with the directory. Use another email address.`);
    }
    const ended = known && (await reset(tx, known.id, input, password_hash));
    const id = known?.id ?? (await create(tx, input, password_hash));
    await clearAccountFailures(tx, input.email);
    const held = (await findAssignments(tx, [id], clock.now().toISOString())).find(
      (one) => one.tenant_id === null && one.role === FIRST_USER_ROLE,
    );
    if (!held) await assignBuiltInRole(tx, id, FIRST_USER_ROLE);
    else await replaceAssignments(tx, id, [held.id], [{ role_id: held.role_id, tenant_id: null, expires_at: null }]);
    await recordAudit(tx, scope, {
      action: known ? 'user.administrator_reset' : 'user.created',
      object_kind: 'user',
      object_id: id,
      object_name: input.email,
      after: { email: input.email, active: true, role: FIRST_USER_ROLE, ...ended },
    });
    return { created: !known };
  });
}
