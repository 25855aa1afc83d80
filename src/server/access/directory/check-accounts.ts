import { recordAudit } from '../../audit/record';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { env } from '../../lib/env';
import { newId } from '../../lib/ids';
import { logger } from '../../lib/logger';
import { LdapError } from '../../providers/ldap/connect';
import {
  type DirectoryGroup,
  type DirectorySession,
  type DirectoryUser,
  withDirectory,
} from '../../providers/ldap/directory';
import { applyGroups, PROVIDER_ACTOR } from '../provider/accounts';
import { suspendUserApiTokens } from '../queries/api-tokens';
import {
  type DirectoryAccount,
  findLdapSettings,
  type LdapSettingsRow,
  listAccountsWithAccess,
} from '../queries/directory';
import { listRoleMappings } from '../queries/provider';
import { lockSuperAdmins, lockUser } from '../queries/user-list';
import { endSessions } from '../sign-in/sessions';
import { createGroupTest, toAccess } from './settings';

/**
 * The groups of an account. Where the filter needs a name, only one that still finds this account: after a renaming the former one may be
 * that of someone else. @throws LdapError `query` when no such name is known
 */
async function listAccountGroups(
  session: DirectorySession,
  row: LdapSettingsRow,
  found: DirectoryUser,
  name: string | null,
): Promise<DirectoryGroup[]> {
  if (row.group_source === 'search' && row.group_filter.includes('{user}')) {
    const named = name === null ? null : await session.findUser(name);
    if (named?.id !== found.id) {
      throw new LdapError(
        'query',
        'The filter of groups needs the user name of the account, and none is known that finds it.',
        'Its groups are compared again after its next sign-in.',
      );
    }
  }
  return session.listGroups(found, name ?? '');
}

/** Whether the account may still be signed in, and whether that is new. */
async function checkAccount(
  session: DirectorySession,
  row: LdapSettingsRow,
  { user_id, subject, sign_in_name }: DirectoryAccount,
): Promise<boolean> {
  const found = await session.findById(subject);
  const groups = found && !found.disabled ? await listAccountGroups(session, row, found, sign_in_name) : [];
  const isMember = createGroupTest(groups);
  const by = { actor: PROVIDER_ACTOR.ldap, origin: { request_id: newId(), source_address: null } };
  return db.transaction(async (tx) => {
    await lockSuperAdmins(tx);
    const user = await lockUser(tx, user_id);
    if (!user) return true;
    const mapped = (await listRoleMappings(tx, 'ldap')).some(({ group }) => isMember(group));
    const reason = !found
      ? 'unknown_user'
      : found.disabled
        ? 'disabled'
        : row.require_group && !mapped
          ? 'no_group'
          : null;
    await applyGroups(tx, user, { provider: 'ldap', isMember: reason === null ? isMember : () => false }, by);
    if (reason === null) return true;
    const ended_sessions = await endSessions(tx, user_id);
    const suspended_programs = await suspendUserApiTokens(tx, user_id, clock.now().toISOString());
    await recordAudit(tx, by, {
      action: 'user.directory_access_ended',
      object_kind: 'user',
      object_id: user_id,
      object_name: user.email,
      after: { reason, ended_sessions, suspended_programs },
    });
    return false;
  });
}

/**
 * Compares everyone of the directory who has access now with what the directory says: roles follow the groups, and accounts that are gone,
 * disabled or in no mapped group lose sign-ins and API tokens. Where the directory does not answer, nothing changes.
 */
export async function checkDirectoryAccounts(signal?: AbortSignal): Promise<{ checked: number; ended: number }> {
  const row = await findLdapSettings(db);
  const accounts = row?.enabled ? await listAccountsWithAccess(db, clock.now().toISOString()) : [];
  if (!row || accounts.length === 0) return { checked: 0, ended: 0 };
  let checked = 0;
  let ended = 0;
  try {
    await withDirectory(toAccess(row), { allow: env().FABRIC_ALLOW_PRIVATE_TARGETS }, async (session) => {
      for (const account of accounts) {
        signal?.throwIfAborted();
        const keeps = await checkAccount(session, row, account).catch((error: unknown) => {
          // About this account alone the directory does not say: the others are compared all the same.
          if (!(error instanceof LdapError) || !['ambiguous', 'query'].includes(error.reason)) throw error;
          logger.warn({ err: error, user_id: account.user_id }, 'an account of the directory could not be checked');
          return null;
        });
        if (keeps === false) ended += 1;
        if (keeps !== null) checked += 1;
      }
    });
  } catch (error) {
    if (!(error instanceof LdapError)) throw error;
    logger.warn({ err: error, checked, accounts: accounts.length }, 'accounts of the directory could not be checked');
  }
  return { checked, ended };
}
