import { and, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { roleAssignments } from '@/server/db/schema/access';
import { grantRole, makeTenant, makeUser } from '@/test/factories';
import { callJson } from '@/test/request';
import { createOidcLab, listAuditRecords, type Problem, roleId, signIn } from './testing/oidc-lab.fixture';

const lab = createOidcLab();
const listSortedRoles = async (user: { id: string }) => (await lab.rolesOf(user)).sort();

describe('roles of groups', () => {
  it('change at every sign-in; manually assigned roles stay', async () => {
    const tenant = await makeTenant();
    const [viewer, auditor, engineer] = [
      await roleId('viewer'),
      await roleId('auditor'),
      await roleId('security_engineer'),
    ];
    const stored = await lab.store({
      mappings: [
        { group: 'net', role_id: engineer, tenant_id: tenant.id },
        { group: 'all', role_id: viewer },
        { group: 'audit', role_id: auditor },
        { group: 'audit too', role_id: auditor },
      ],
    });
    expect(stored.body.mappings.map(({ group }) => group)).toEqual(['all', 'audit', 'audit too', 'net']);
    lab.provider.people.set('dave', {
      email: 'dave@example.org',
      email_verified: true,
      groups: ['net', 'audit', 'audit too'],
    });
    const { user } = await signIn('dave');
    if (!user) throw new Error('dave is not in');
    expect(await lab.rolesOf(user)).toEqual([
      ['auditor', null, 'oidc'],
      ['security_engineer', tenant.id, 'oidc'],
    ]);
    const [record] = await listAuditRecords('user.roles_changed');
    expect(record).toMatchObject({ actor_kind: 'system', actor_name: 'sign-in provider', object_id: user.id });
    await grantRole(user, 'viewer');
    lab.provider.people.set('dave', { email: 'dave@example.org', email_verified: true, groups: ['all'] });
    await signIn('dave');
    expect(await lab.rolesOf(user)).toEqual([['viewer', null, 'manual']]);
    // The same again changes and records nothing; a missing claim means no groups.
    const before = (await listAuditRecords('user.roles_changed')).length;
    await signIn('dave');
    lab.provider.people.set('dave', { email: 'dave@example.org', email_verified: true });
    await signIn('dave');
    expect(await lab.rolesOf(user)).toEqual([['viewer', null, 'manual']]);
    expect(await listAuditRecords('user.roles_changed')).toHaveLength(before);
    const gone = await callJson<Problem>(`/roles/${await ownMappedRole()}`, lab.boss, { method: 'DELETE' });
    expect(gone.status).toBe(409);
  });

  async function ownMappedRole() {
    const { body } = await callJson<{ id: string }>('/roles', lab.boss, {
      body: { name: 'mapped', title: 'Mapped', permissions: ['flow:read'] },
    });
    await lab.store({ mappings: [{ group: 'x', role_id: body.id }] });
    return body.id;
  }

  it('replace a manual assignment of the same role that expired, and not one that still counts', async () => {
    const [viewer, super_admin] = [await roleId('viewer'), await roleId('super_admin')];
    await lab.store({
      mappings: [
        { group: 'all', role_id: viewer },
        { group: 'root', role_id: super_admin },
      ],
    });
    lab.provider.people.set('fay', { email: 'fay@example.org', email_verified: true, groups: ['all', 'root'] });
    const { user } = await signIn('fay');
    if (!user) throw new Error('fay is not in');
    for (const [expires_at, source] of [
      ['2999-01-01T00:00:00Z', 'manual'],
      ['2020-01-01T00:00:00Z', 'oidc'],
    ] as const) {
      await db.delete(roleAssignments).where(eq(roleAssignments.user_id, user.id));
      const held = { user_id: user.id, tenant_id: null, project_id: null, source: 'manual' as const, expires_at };
      await db.insert(roleAssignments).values([viewer, super_admin].map((role_id) => ({ ...held, role_id })));
      await signIn('fay');
      expect(await listSortedRoles(user)).toEqual([
        ['super_admin', null, source],
        ['viewer', null, source],
      ]);
    }
    // An expired role that no group gives stays listed as it is.
    await sqlClient()`update role_assignments set expires_at = '2020-01-01', source = 'manual' where user_id = ${user.id}`;
    lab.provider.people.set('fay', { email: 'fay@example.org', email_verified: true, groups: ['all'] });
    await signIn('fay');
    expect(await listSortedRoles(user)).toEqual([
      ['super_admin', null, 'manual'],
      ['viewer', null, 'oidc'],
    ]);
  });

  it('never leave the installation without a super administrator', async () => {
    const role_id = await roleId('super_admin');
    await lab.store({ mappings: [{ group: 'root', role_id }], link_by_email: true });
    const erin = await makeUser(null, undefined, { email: 'erin@example.org' });
    lab.provider.people.set('erin', { email: erin.email, email_verified: true, groups: ['root'] });
    await signIn('erin');
    expect(await lab.rolesOf(erin)).toEqual([['super_admin', null, 'oidc']]);
    const others = and(eq(roleAssignments.role_id, role_id), eq(roleAssignments.source, 'manual'));
    const kept = await db.delete(roleAssignments).where(others).returning();
    lab.provider.people.set('erin', { email: erin.email, email_verified: true, groups: [] });
    await signIn('erin');
    const held = await db.select().from(roleAssignments).where(eq(roleAssignments.user_id, erin.id));
    expect(held.map(({ source }) => source)).toEqual(['oidc']);
    await db.insert(roleAssignments).values(kept);
    await signIn('erin');
    expect(await lab.rolesOf(erin)).toEqual([]);
  });
});
