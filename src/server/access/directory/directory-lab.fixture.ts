import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import type { CurrentUser } from '@/domain/auth';
import type { Directory } from '@/domain/directory';
import { db, sqlClient } from '@/server/db/client';
import { roles } from '@/server/db/schema/access';
import { bearer, makeUser } from '@/test/factories';
import { callJson } from '@/test/request';
import { BIND, GROUPS, PEOPLE, type Slapd, startSlapd } from '@/test/slapd';

export type Headers = Record<string, string>;
export type Problem = { reason?: string; detail?: string; errors?: { field: string }[] };
export type Answer = Problem & {
  access_token?: string;
  user?: CurrentUser;
  second_factor?: { challenge_token: string; methods: string[] };
};

// Before anything reads the environment: that happens once.
vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');

export const login = (email: string, password: string) =>
  callJson<Answer>('/auth/login', {}, { body: { email, password } });
export const roleId = async (name: string) => (await db.select().from(roles).where(eq(roles.name, name)))[0]?.id ?? '';

export let slapd: Slapd;
export let boss: Headers;
export let input: Record<string, unknown>;

/** Stores the settings of the directory. */
export const store = (changes: object = {}) =>
  callJson<Directory & Problem>('/settings/directory', boss, { method: 'PUT', body: { ...input, ...changes } });

/** A directory with people and groups, and before each test none of their accounts. */
export function prepareDirectory(): void {
  beforeAll(async () => {
    slapd = await startSlapd();
    boss = await bearer(await makeUser('super_admin'));
    const alice = await slapd.addPerson('alice', 'alice secret');
    const bob = await slapd.addPerson('bob', 'bob secret');
    await slapd.addPerson('carol', 'carol secret');
    const net = await slapd.addGroup('net', [alice]);
    await slapd.addGroup('staff', [net, bob]);
    await slapd.addGroup('admins', [bob], PEOPLE);
  });
  afterAll(() => slapd.remove());
  beforeEach(async () => {
    await sqlClient()`truncate rate_limits`;
    await sqlClient()`delete from oidc_role_mappings`;
    await sqlClient()`delete from ldap_settings`;
    await sqlClient()`delete from users where email in ('alice@example.org', 'bob@example.org', 'carol@example.org', 'mueller@example.org')`;
    input = {
      ...{ enabled: true, urls: [slapd.urls.tls], security: 'ldaps', ca_certificate: slapd.ca },
      ...{ bind_dn: BIND.dn, bind_password: BIND.password, base_dn: PEOPLE },
      user_filter: '(&(objectClass=inetOrgPerson)(|(uid={user})(mail={user})))',
      ...{ id_attribute: 'entryUUID', name_attribute: 'cn', email_attribute: 'mail' },
      ...{ group_source: 'search', group_base_dn: GROUPS, nested_groups: false, require_group: true },
      group_filter: '(&(objectClass=groupOfNames)(member={dn}))',
      disabled_filter: '(|(userAccountControl:1.2.840.113556.1.4.803:=2)(pwdAccountLockedTime=*)(nsAccountLock=TRUE))',
      mappings: [{ group: 'net', role_id: await roleId('viewer') }],
    };
  });
}
