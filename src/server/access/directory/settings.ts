import type { Directory, DirectoryCheck, DirectoryCheckInput, DirectoryInput } from '@/domain/directory';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Executor } from '../../db/client';
import { clock } from '../../lib/clock';
import { seal, unseal } from '../../lib/crypto';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { assertVersion } from '../../lib/refusals';
import { LdapError } from '../../providers/ldap/connect';
import { type DirectoryAccess, type DirectoryGroup, normalizeDn, withDirectory } from '../../providers/ldap/directory';
import { findFilterProblem } from '../../providers/ldap/filters';
import { assertAllowedTarget } from '../../settings/assert-allowed-target';
import { assertMappable, toAuditedMappings } from '../provider/settings';
import {
  findLdapSettings,
  LDAP_ID,
  type LdapSettingsRow,
  lockLdapSettings,
  storeLdapSettings,
} from '../queries/directory';
import { listRoleMappings, replaceRoleMappings } from '../queries/provider';
import { findRolesById } from '../queries/roles';

const DEFAULTS: Omit<Directory, 'configured'> = {
  enabled: false,
  urls: [],
  security: 'ldaps',
  ca_certificate: null,
  bind_dn: '',
  has_bind_password: false,
  base_dn: '',
  user_filter: '(&(objectClass=inetOrgPerson)(|(uid={user})(mail={user})))',
  id_attribute: 'entryUUID',
  name_attribute: 'cn',
  email_attribute: 'mail',
  group_source: 'search',
  group_base_dn: '',
  group_filter: '(&(objectClass=groupOfNames)(member={dn}))',
  nested_groups: false,
  disabled_filter: '(|(userAccountControl:1.2.840.113556.1.4.803:=2)(pwdAccountLockedTime=*)(nsAccountLock=TRUE))',
  require_group: true,
  mappings: [],
  version: 0,
  updated_at: null,
};

/** The directory as it is stored, without its password; defaults when there is none. */
export async function readDirectory(executor: Executor = db): Promise<Directory> {
  const row = await findLdapSettings(executor);
  if (!row) return { configured: false, ...DEFAULTS };
  const { id: _, bind_password_encrypted: __, bind_password_key_id: ___, ...rest } = row;
  const mappings = await listRoleMappings(executor, 'ldap');
  return {
    ...rest,
    configured: true,
    has_bind_password: true,
    mappings: mappings.map(({ role: _name, ...mapping }) => mapping),
  };
}

/** How to ask the stored directory. */
export const toAccess = (row: LdapSettingsRow): DirectoryAccess => ({
  ...row,
  bind_password: unseal({ sealed: row.bind_password_encrypted, key_id: row.bind_password_key_id }, LDAP_ID),
});

/** Whether a group of a mapping is among these, by DN or by name; case and spaces between parts do not matter. */
export function createGroupTest(groups: readonly DirectoryGroup[]): (group: string) => boolean {
  const known = new Set(groups.flatMap(({ dn, name }) => [normalizeDn(dn), normalizeDn(name)]));
  return (group) => known.has(normalizeDn(group));
}

type Given = Omit<DirectoryInput, 'mappings' | 'version' | 'enabled' | 'require_group'>;
const FILTERS = ['user_filter', 'group_filter', 'disabled_filter'] as const;

/** @throws AppError `malformed` for a filter that cannot be read, `refused` for a server that no connection may be made to */
function assertUsable(given: Given): void {
  for (const field of FILTERS) {
    const filter = given[field];
    const problem = filter === null ? null : findFilterProblem(filter);
    if (problem) throw new AppError('malformed', problem, { errors: [{ field, message: problem }] });
  }
  for (const [index, url] of given.urls.entries()) assertAllowedTarget(`urls.${index}`, new URL(url).hostname);
}

/**
 * The password to bind with: the given one, else the stored one, but not for servers or an account that it was not entered
 * for. @throws AppError `malformed` naming the field
 */
function resolvePassword(row: LdapSettingsRow | null, given: Given): string {
  if (given.bind_password !== undefined) return given.bind_password;
  const isSame =
    row !== null &&
    given.urls.every((url) => row.urls.includes(url)) &&
    given.bind_dn === row.bind_dn &&
    given.security === row.security &&
    given.ca_certificate === row.ca_certificate;
  if (isSame) return toAccess(row).bind_password;
  const message =
    row === null
      ? 'Enter the password of the bind account.'
      : 'Enter the password again: the stored one belongs to the previous servers, account or certificate.';
  throw new AppError('malformed', message, { errors: [{ field: 'bind_password', message }] });
}

function toAudited(directory: Directory): Record<string, unknown> | null {
  if (!directory.configured) return null;
  const {
    configured: _,
    version: __,
    updated_at: ___,
    mappings,
    ca_certificate,
    has_bind_password: ____,
    ...rest
  } = directory;
  return { ...rest, has_ca_certificate: ca_certificate !== null, mappings: toAuditedMappings(mappings) };
}

/**
 * Stores the directory. An omitted password stays while servers, account and certificate stay.
 * @throws AppError `version_conflict`, `not_found` for unknown roles or tenants, `malformed`, `refused`
 */
export function updateDirectory(scope: Scope<'*'>, input: DirectoryInput): Promise<Directory> {
  return db.transaction(async (tx) => {
    const row = await lockLdapSettings(tx);
    const before = await readDirectory(tx);
    const { version, bind_password, mappings, ...fields } = input;
    assertVersion('directory', before.version, version);
    assertUsable(input);
    const password = resolvePassword(row, input);
    await assertMappable(tx, mappings);
    const sealed = bind_password === undefined && row ? null : seal(password, LDAP_ID);
    await storeLdapSettings(tx, {
      ...fields,
      bind_password_encrypted: sealed?.sealed ?? row?.bind_password_encrypted ?? '',
      bind_password_key_id: sealed?.key_id ?? row?.bind_password_key_id ?? '',
      version: before.version + 1,
      updated_at: clock.now().toISOString(),
    });
    await replaceRoleMappings(tx, 'ldap', mappings);
    const after = await readDirectory(tx);
    await recordAudit(tx, scope, {
      action: 'settings.directory_updated',
      object_kind: 'settings',
      object_id: LDAP_ID,
      object_name: 'Directory',
      before: toAudited(before),
      after: { ...toAudited(after), ...(bind_password !== undefined && { has_new_secret: true }) },
    });
    return after;
  });
}

/**
 * Looks a user up with settings that need not be stored: no one is signed in, and no password of a user is needed.
 * @throws AppError `refused` with what failed and what to do
 */
export async function checkDirectory(
  scope: Scope<'*'>,
  { user, ...given }: DirectoryCheckInput,
): Promise<DirectoryCheck> {
  assertUsable(given);
  const bind_password = resolvePassword(await findLdapSettings(db), given);
  const note = (usable: boolean) =>
    db.transaction((tx) =>
      recordAudit(tx, scope, {
        action: 'settings.directory_checked',
        object_kind: 'settings',
        object_id: LDAP_ID,
        object_name: 'Directory',
        after: { usable },
      }),
    );
  try {
    const options = { allow: env().FABRIC_ALLOW_PRIVATE_TARGETS };
    const found = await withDirectory({ ...given, bind_password }, options, async (session) => {
      const account = await session.findUser(user);
      const groups = account ? await session.listGroups(account, user) : [];
      return { server: session.server, account: account && { ...account, groups } };
    });
    await note(true);
    const { account, server } = found;
    if (!account) return { server, encrypted: given.security !== 'none', user: null };
    const isMember = createGroupTest(account.groups);
    const roleIds = given.mappings.filter(({ group }) => isMember(group)).map(({ role_id }) => role_id);
    const roles = [...(await db.transaction((tx) => findRolesById(tx, roleIds))).values()].map(({ title }) => title);
    return { server, encrypted: given.security !== 'none', user: { ...account, roles: roles.sort() } };
  } catch (cause) {
    if (!(cause instanceof LdapError)) throw cause;
    await note(false);
    throw new AppError('refused', `${cause.message} ${cause.remedy}`, { cause, extra: { reason: cause.reason } });
  }
}
