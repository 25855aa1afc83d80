import { createClusterAuthority } from '@fabric/simulator/pki/cluster-authority';
import { desc, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { DirectoryCheck } from '@/domain/directory';
import type { User } from '@/domain/user';
import { newApiToken } from '@/server/access/account/api-tokens';
import { makeAdministrator } from '@/server/access/users/make-administrator';
import { decodeBase32, stepAt, totpCode } from '@/server/auth/one-time-codes';
import { systemScope } from '@/server/auth/scope';
import { hashToken } from '@/server/auth/session-tokens';
import { db, sqlClient } from '@/server/db/client';
import { users } from '@/server/db/schema/access';
import { auditRecords } from '@/server/db/schema/operations';
import { apiTokens, ldapSettings } from '@/server/db/schema/sign-in';
import { clock } from '@/server/lib/clock';
import { seal } from '@/server/lib/crypto';
import { bearer, grantRole, makeTenant, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { callJson } from '@/test/request';
import { BASE, BIND, findSlapdProblem, GROUPS, PEOPLE } from '@/test/slapd';
import { hashPassword } from '../sign-in/passwords';
import { checkDirectoryAccounts } from './check-accounts';
import {
  type Answer,
  boss,
  input,
  login,
  type Problem,
  prepareDirectory,
  roleId,
  slapd,
  store,
} from './directory-lab.fixture';

describe.skipIf(findSlapdProblem() !== null)('a directory', () => {
  prepareDirectory();
  const check = (user: string, changes: object = {}) =>
    callJson<DirectoryCheck & Problem>('/settings/directory/check', boss, { body: { ...input, ...changes, user } });
  const listRoles = async (id: string) =>
    (await callJson<User>(`/users/${id}`, boss)).body.assignments.map((one) => [one.role, one.tenant_id, one.source]);
  const reasons = async () =>
    (
      await db
        .select()
        .from(auditRecords)
        .where(eq(auditRecords.action, 'auth.login_failed'))
        .orderBy(desc(auditRecords.seq))
        .limit(1)
    ).map(({ after }) => (after as Problem).reason);

  it('signs in with the roles of groups, by user name and by address, as one account', async () => {
    const tenant = await makeTenant();
    const engineer = await roleId('security_engineer');
    expect((await store()).status).toBe(200);
    const first = await login('alice', 'alice secret');
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    expect(first.body.user).toMatchObject({ email: 'alice@example.org', name: 'alice Example' });
    const id = first.body.user?.id ?? '';
    expect(await listRoles(id)).toEqual([['viewer', null, 'ldap']]);
    // By the DN, in another spelling; other groups no longer count.
    const mappings = [{ group: `CN=Net,${GROUPS.toUpperCase()}`, role_id: engineer, tenant_id: tenant.id }];
    await store({ mappings });
    const second = await login('ALICE@example.org', 'alice secret');
    expect(second.body.user?.id).toBe(id);
    expect(await listRoles(id)).toEqual([['security_engineer', tenant.id, 'ldap']]);
    // Renamed in the directory, whose groups still list the former name.
    await store({ mappings, require_group: false });
    await slapd.rename(`uid=alice,${PEOPLE}`, `uid=alicia,${PEOPLE}`);
    expect((await login('alicia', 'alice secret')).body.user?.id).toBe(id);
    await slapd.rename(`uid=alicia,${PEOPLE}`, `uid=alice,${PEOPLE}`);
    await store({ mappings, require_group: false });
    await slapd.addPerson('müller', 'mueller secret', { mail: 'mueller@example.org' });
    expect((await login('Müller', 'mueller secret')).body.user?.email).toBe('mueller@example.org');
    const stored = await db.select().from(users).where(eq(users.id, id));
    expect(stored[0]?.password_hash).toBeNull();
    const sessions = await callJson<{ items: { method: string }[] }>('/account/sessions', {
      authorization: `Bearer ${first.body.access_token}`,
    });
    expect(sessions.body.items[0]?.method).toBe('ldap');
  });

  it('follows nested groups where that is asked for, by search and by memberOf, and no groups elsewhere', async () => {
    const mappings = [
      { group: 'staff', role_id: await roleId('viewer') },
      { group: 'admins', role_id: await roleId('super_admin') },
    ];
    for (const group_source of ['search', 'member_of']) {
      await store({ mappings, group_source });
      expect((await login('alice', 'alice secret')).body.reason).toBe('directory_no_group');
      await store({ mappings, group_source, nested_groups: true });
      const found = await check('alice', { mappings, group_source, nested_groups: true });
      expect(found.body.user?.groups.map(({ name }) => name)).toEqual(['net', 'staff']);
      const { body } = await login('alice', 'alice secret');
      expect(await listRoles(body.user?.id ?? '')).toEqual([['viewer', null, 'ldap']]);
      // A group outside the base of groups has the name of one that is mapped.
      const bob = await login('bob', 'bob secret');
      expect(await listRoles(bob.body.user?.id ?? '')).toEqual([['viewer', null, 'ldap']]);
      await sqlClient()`delete from users where email in ('alice@example.org', 'bob@example.org')`;
    }
  });

  it('refuses injection into filters, empty passwords and wrong ones', async () => {
    await store({ require_group: false });
    const names = ['*', 'al*', '*)(uid=*', 'alice)(objectClass=*', 'alice)(|(uid=bob', '\\2a', '{dn}', '(', '\\'];
    for (const name of names) {
      await sqlClient()`truncate rate_limits`;
      const refused = await login(name, 'alice secret');
      expect([refused.status, refused.body.reason], name).toEqual([401, undefined]);
      expect((await check(name)).body.user, name).toBeNull();
    }
    await sqlClient()`truncate rate_limits`;
    // This slapd takes a bind with a name and no password for an anonymous one, and says yes.
    expect((await login('alice', '')).status).toBe(400);
    expect((await login('alice', 'wrong')).status).toBe(401);
    expect(await reasons()).toEqual(['wrong_password']);
    // Locked by any spelling of the name, also for the right password.
    for (const name of ['alice', 'ALICE', 'alice@example.org', ' alice ']) await login(name, 'wrong');
    const { status } = await login('alice@EXAMPLE.org', 'alice secret');
    expect(status).toBe(429);
    await store({ user_filter: '(|(uid={user})(objectClass=inetOrgPerson))' });
    await sqlClient()`truncate rate_limits`;
    expect((await login('alice', 'alice secret')).status).toBe(401);
    expect((await check('alice', { user_filter: '(|(uid={user})(sn=Example))' })).body.reason).toBe('ambiguous');
  });

  it('never takes over a local account, nor sends its password to the directory', async () => {
    await store();
    const local = await makeUser('viewer', undefined, {
      ...{ email: 'alice@example.org', password_hash: await hashPassword('local secret') },
    });
    // The name is local: only the local password counts.
    expect((await login('alice@example.org', 'alice secret')).status).toBe(401);
    expect((await login('alice@example.org', 'local secret')).body.user?.id).toBe(local.id);
    // By another name the directory finds its account, but the address belongs to the local one.
    const refused = await login('alice', 'alice secret');
    expect([refused.status, refused.body.reason]).toEqual([401, 'directory_email_taken']);
    // An account that was created without a password is not taken over either, and its owner reads why.
    await sqlClient()`update users set password_hash = null where id = ${local.id}`;
    for (const name of ['alice@example.org', 'alice']) {
      const taken = await login(name, 'alice secret');
      expect([taken.status, taken.body.reason], name).toEqual([401, 'directory_email_taken']);
      expect((await login(name, 'wrong')).body.reason, name).toBeUndefined();
    }
    await sqlClient()`delete from users where id = ${local.id}`;
    await sqlClient()`truncate rate_limits`;
    const { body } = await login('alice', 'alice secret');
    const set = await callJson<Problem>(`/users/${body.user?.id}`, boss, {
      method: 'PATCH',
      body: { password: 'a quite long password' },
    });
    expect([set.status, set.body.errors?.[0]?.field]).toEqual([422, 'password']);
    const reset = makeAdministrator(systemScope('*', 'test'), {
      ...{ email: 'alice@example.org', name: '', password: 'a quite long password', reset: true },
    });
    await expect(reset).rejects.toMatchObject({ code: 'conflict' });
  });

  it('refuses disabled accounts, and ends their access at the next check', async () => {
    await store();
    const dn = `uid=alice,${PEOPLE}`;
    const session = await login('alice', 'alice secret');
    const headers = { authorization: `Bearer ${session.body.access_token}` };
    const user_id = session.body.user?.id ?? '';
    const { token, prefix } = newApiToken();
    await db.insert(apiTokens).values({
      ...{ user_id, name: 'nightly', prefix, token_hash: hashToken(token), permissions: ['policy:read'] },
      expires_at: '2999-01-01T00:00:00Z',
    });
    const program = { authorization: `Bearer ${token}` };
    expect(await checkDirectoryAccounts()).toEqual({ checked: 1, ended: 0 });
    expect((await callJson('/auth/me', headers)).status).toBe(200);
    await slapd.set(dn, 'pwdAccountLockedTime', ['000001010000Z']);
    // While no server answers nothing is concluded.
    await db
      .update(ldapSettings)
      .set({ urls: ['ldaps://127.0.0.1:1'] })
      .where(eq(ldapSettings.id, 'ldap'));
    expect(await checkDirectoryAccounts()).toEqual({ checked: 0, ended: 0 });
    expect((await callJson('/auth/me', headers)).status).toBe(200);
    await db
      .update(ldapSettings)
      .set({ urls: [slapd.urls.tls] })
      .where(eq(ldapSettings.id, 'ldap'));
    expect((await check('alice')).body.user?.disabled).toBe(true);
    expect(await checkDirectoryAccounts()).toEqual({ checked: 1, ended: 1 });
    expect((await callJson('/auth/me', headers)).status).toBe(401);
    expect((await callJson('/policies', program)).status).toBe(401);
    expect(await listRoles(user_id)).toEqual([]);
    expect((await login('alice', 'alice secret')).status).toBe(401);
    await slapd.set(dn, 'pwdAccountLockedTime', []);
    // Another sign of a disabled account, which the directory itself lets bind.
    await slapd.set(dn, 'employeeType', ['left']);
    await store({ disabled_filter: '(employeeType=left)' });
    expect((await login('alice', 'alice secret')).body.reason).toBe('directory_disabled');
    await slapd.set(dn, 'employeeType', []);
    expect((await login('alice', 'alice secret')).status).toBe(200);
  });

  it('compares groups by the name that was entered, and concludes nothing without a name of the account', async () => {
    // Of a group of names, as posixGroup is one; the schema of this slapd has no such attribute.
    await slapd.set(`cn=net,${GROUPS}`, 'description', ['alice']);
    const byName = { group_filter: '(description={user})' };
    await store(byName);
    const { body } = await login('alice', 'alice secret');
    const user_id = body.user?.id ?? '';
    const headers = { authorization: `Bearer ${body.access_token}` };
    const expectAccess = async () => {
      expect((await callJson('/auth/me', headers)).status).toBe(200);
      expect(await listRoles(user_id)).toEqual([['viewer', null, 'ldap']]);
    };
    expect(await checkDirectoryAccounts()).toEqual({ checked: 1, ended: 0 });
    await expectAccess();
    // Renamed, with its groups; another account got the former name; a sign-in from before names were stored.
    await slapd.rename(`uid=alice,${PEOPLE}`, `uid=alicia,${PEOPLE}`);
    await slapd.set(`cn=net,${GROUPS}`, 'description', ['alicia']);
    expect(await checkDirectoryAccounts()).toEqual({ checked: 0, ended: 0 });
    await slapd.set(`uid=bob,${PEOPLE}`, 'mail', ['alice']);
    expect(await checkDirectoryAccounts()).toEqual({ checked: 0, ended: 0 });
    await slapd.set(`uid=bob,${PEOPLE}`, 'mail', ['bob@example.org']);
    await slapd.rename(`uid=alicia,${PEOPLE}`, `uid=alice,${PEOPLE}`);
    await sqlClient()`update user_identities set sign_in_name = null where user_id = ${user_id}`;
    expect(await checkDirectoryAccounts()).toEqual({ checked: 0, ended: 0 });
    await expectAccess();
    // Without the name, too: what does not depend on it.
    await slapd.set(`uid=alice,${PEOPLE}`, 'pwdAccountLockedTime', ['000001010000Z']);
    expect(await checkDirectoryAccounts()).toEqual({ checked: 1, ended: 1 });
    await slapd.set(`uid=alice,${PEOPLE}`, 'pwdAccountLockedTime', []);
    await slapd.set(`cn=net,${GROUPS}`, 'description', ['alice']);
    const again = await login('alice', 'alice secret');
    expect(again.status).toBe(200);
    // Who leaves the group loses access.
    await slapd.set(`cn=net,${GROUPS}`, 'description', []);
    expect(await checkDirectoryAccounts()).toEqual({ checked: 1, ended: 1 });
    expect(await listRoles(user_id)).toEqual([]);
  });

  it('compares the other accounts when the directory has no clear answer about one', async () => {
    await store({ id_attribute: 'employeeNumber', require_group: false });
    const people = ['alice', 'bob', 'carol'] as const;
    const dn = (name: string) => `uid=${name},${PEOPLE}`;
    for (const [index, name] of people.entries()) {
      await slapd.set(dn(name), 'employeeNumber', [String(index)]);
      expect((await login(name, `${name} secret`)).status).toBe(200);
    }
    for (const unclear of people) {
      // One more account has its ID now, and whom it means is not known.
      const [other, gone] = people.filter((name) => name !== unclear) as [string, string];
      await slapd.set(dn(other), 'employeeNumber', [String(people.indexOf(unclear))]);
      await slapd.set(dn(gone), 'employeeNumber', []);
      await slapd.set(dn(gone), 'pwdAccountLockedTime', ['000001010000Z']);
      const { checked, ended } = await checkDirectoryAccounts();
      expect([checked, ended], unclear).toEqual([2, 2]);
      for (const [index, name] of people.entries()) {
        await slapd.set(dn(name), 'employeeNumber', [String(index)]);
        await slapd.set(dn(name), 'pwdAccountLockedTime', []);
        expect((await login(name, `${name} secret`)).status).toBe(200);
      }
    }
    for (const name of people) await slapd.set(dn(name), 'employeeNumber', []);
  });

  it('forgets failures only after the second factor, under the entered name and for the account', async () => {
    await store();
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const at = fakeClock(new Date());
    try {
      const user_id = (await login('alice', 'alice secret')).body.user?.id ?? '';
      const { sealed, key_id } = seal(secret, user_id);
      await sqlClient()`insert into second_factors (user_id, secret_encrypted, secret_key_id, confirmed_at)
        values (${user_id}, ${sealed}, ${key_id}, now())`;
      const fail = async (name: string, times: number) => {
        for (let i = 0; i < times; i += 1) expect((await login(name, 'wrong')).status).toBe(401);
      };
      const signIn = async (name: string) => {
        at.advance(30);
        const { body } = await login(name, 'alice secret');
        const code = totpCode(decodeBase32(secret), stepAt(clock.now()));
        const challenge_token = body.second_factor?.challenge_token;
        return callJson<Answer>('/auth/second-factor', {}, { body: { challenge_token, code } });
      };
      // By one name, then by another one of the same account: neither starts with former failures.
      for (const name of ['alice', 'alice@example.org']) {
        await fail(name, 4);
        expect((await signIn(name)).status).toBe(200);
      }
      await fail('alice', 2);
      // The password alone makes nothing good.
      expect((await login('alice', 'alice secret')).body.second_factor).toBeDefined();
      await fail('alice', 3);
      expect((await login('alice', 'alice secret')).status).toBe(429);
    } finally {
      at.restore();
    }
  });

  it('leaves neither roles nor API tokens to an account that is unlinked', async () => {
    await store();
    const user_id = (await login('alice', 'alice secret')).body.user?.id ?? '';
    await grantRole({ id: user_id }, 'auditor');
    const { token, prefix } = newApiToken();
    await db.insert(apiTokens).values({
      ...{ user_id, name: 'nightly', prefix, token_hash: hashToken(token), permissions: ['policy:read'] },
      expires_at: '2999-01-01T00:00:00Z',
    });
    const program = { authorization: `Bearer ${token}` };
    expect((await callJson('/policies', program)).status).toBe(200);
    const { body } = await callJson<{ items: { id: string }[] }>(`/users/${user_id}/identities`, boss);
    const path = `/users/${user_id}/identities/${body.items[0]?.id}`;
    expect((await callJson(path, boss, { method: 'DELETE' })).status).toBe(204);
    expect(await listRoles(user_id)).toEqual([['auditor', null, 'manual']]);
    expect((await callJson('/policies', program)).status).toBe(401);
    const [unlinked, changed] = await db
      .select()
      .from(auditRecords)
      .where(eq(auditRecords.object_id, user_id))
      .orderBy(desc(auditRecords.seq))
      .limit(2);
    expect(unlinked).toMatchObject({
      action: 'user.identity_unlinked',
      after: { ended_sessions: 1, suspended_programs: 1 },
    });
    expect(changed).toMatchObject({ action: 'user.roles_changed', actor_name: unlinked?.actor_name });
  });

  it('asks for the second factor that a role requires', async () => {
    await store();
    await sqlClient()`update roles set requires_second_factor = true where name = 'viewer'`;
    const { body } = await login('alice', 'alice secret');
    await sqlClient()`update roles set requires_second_factor = false`;
    expect(body.user).toMatchObject({ must_enrol: true, permissions: [] });
  });

  it('trusts only the given authority and name, with TLS from the start or by StartTLS', async () => {
    expect((await check('alice')).body).toMatchObject({
      server: slapd.urls.tls,
      encrypted: true,
      user: { disabled: false },
    });
    const plain = slapd.urls.plain;
    expect((await check('alice', { urls: [plain], security: 'starttls' })).body).toMatchObject({ encrypted: true });
    expect((await check('alice', { urls: [plain], security: 'none' })).body).toMatchObject({ encrypted: false });
    const stranger = createClusterAuthority('stranger', new Date()).caPem;
    for (const [urls, security] of [
      [[slapd.urls.tls], 'ldaps'],
      [[plain], 'starttls'],
    ]) {
      for (const ca_certificate of [stranger, null]) {
        expect((await check('alice', { urls, security, ca_certificate })).body.reason).toBe('tls');
      }
    }
    // Another name of this machine, for which the certificate was not issued.
    const other = slapd.urls.tls.replace('127.0.0.1', '127.0.0.2');
    expect(['tls', 'unreachable']).toContain((await check('alice', { urls: [other] })).body.reason);
    const refused = [
      { urls: ['ldap://ldap.example.org'], security: 'none' },
      { urls: [plain], security: 'ldaps' },
      { urls: [slapd.urls.tls], security: 'starttls' },
      { user_filter: '(uid=alice)' },
      { user_filter: '(uid={user}' },
    ];
    for (const changes of refused) expect((await store(changes)).status, JSON.stringify(changes)).toBe(400);
    expect((await store({ urls: ['ldaps://169.254.169.254'] })).status).toBe(422);
    expect((await check('alice', { bind_password: 'wrong' })).body.reason).toBe('bind');
  });

  it('keeps the bind password from servers that it was not entered for', async () => {
    const stored = await store();
    expect(JSON.stringify(stored.body)).not.toContain(BIND.password);
    const without = { ...input, bind_password: undefined };
    const put = (changes: object) =>
      callJson<Problem>('/settings/directory', boss, { method: 'PUT', body: { ...without, ...changes } });
    expect((await put({ require_group: false })).status).toBe(200);
    expect((await login('carol', 'carol secret')).status).toBe(200);
    for (const changes of [
      { urls: [slapd.urls.plain], security: 'none' },
      { bind_dn: `cn=x,${BASE}` },
      { ca_certificate: null },
    ]) {
      expect((await put(changes)).body.errors?.[0]?.field).toBe('bind_password');
    }
    const viewer = await bearer(await makeUser('admin'));
    expect((await callJson('/settings/directory', viewer, { method: 'PUT', body: input })).status).toBe(403);
    const row = await db.select().from(ldapSettings);
    expect(JSON.stringify(row)).not.toContain(BIND.password);
  });
});
