import { beforeEach, describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { readApprovalRules, readMaintenanceWindows } from '@/server/enforcement/changes/approval-rules';
import { auditTrail } from '@/test/audit-trail';
import { countQueries } from '@/test/count-queries';
import {
  bearer,
  grantRole,
  makeCluster,
  makeProject,
  makeTenant,
  makeTwoTenants,
  makeUser,
  makeWorkload,
  signIn,
} from '@/test/factories';
import { call } from '@/test/request';

type Headers = { authorization: string };
type Json = Record<string, unknown> & { id: string; version: number };

let root: Headers;
let rootUser: Awaited<ReturnType<typeof makeUser>>;

beforeEach(async () => {
  await sqlClient()`truncate users, clusters, tenants, rate_limits cascade`;
  await sqlClient()`delete from roles where not built_in`;
  rootUser = await makeUser('super_admin');
  root = await bearer(rootUser);
});

const send = (method: string, path: string, body: unknown, headers: Headers = root) =>
  call(path, { method, body, headers });
const get = (path: string, headers: Headers = root) => call(path, { headers });
const json = async (response: Response): Promise<Json> => (await response.json()) as Json;
const createResource = async (path: string, body: unknown) => {
  const response = await send('POST', path, body);
  const answer = await json(response);
  expect(response.status, JSON.stringify(answer)).toBe(201);
  return answer;
};
const roleId = async (name: string): Promise<string> => {
  const [row] = await sqlClient()`select id from roles where name = ${name}`;
  return row?.id;
};
const actions = async () => (await auditTrail()).map(({ action }) => action);
const PASSWORD = 'four words make enough';
const person = (extra: object = {}) => ({ email: 'New@Example.org', name: 'New', password: PASSWORD, ...extra });

describe('tenants and projects', () => {
  it('support create, versioned change, and delete when empty', async () => {
    const tenant = await createResource('/tenants', { name: 'Blue' });
    expect((await send('POST', '/tenants', { name: 'bLUE' })).status).toBe(409);
    const project = await createResource('/projects', { tenant_id: tenant.id, name: 'shop' });
    expect((await send('POST', '/projects', { tenant_id: tenant.id, name: 'Shop' })).status).toBe(409);
    expect(await json(await send('PATCH', `/tenants/${tenant.id}`, { name: 'BLUE', version: 1 }))).toMatchObject({
      name: 'BLUE',
      version: 2,
      counts: { projects: 1, workloads: 0, users: 0 },
    });
    const late = await send('PATCH', `/tenants/${tenant.id}`, { name: 'x', version: 1 });
    expect([late.status, (await json(late)).version]).toEqual([409, 2]);
    const full = await send('DELETE', `/tenants/${tenant.id}`, undefined);
    expect([full.status, (await json(full)).detail]).toEqual([409, expect.stringContaining('projects: 1')]);
    expect((await send('DELETE', `/projects/${project.id}`, undefined)).status).toBe(204);
    expect((await send('DELETE', `/tenants/${tenant.id}`, undefined)).status).toBe(204);
    expect((await get(`/tenants/${tenant.id}`)).status).toBe(404);
    expect(await actions()).toEqual(
      expect.arrayContaining([
        'tenant.created',
        'project.created',
        'tenant.updated',
        'project.deleted',
        'tenant.deleted',
      ]),
    );
  });

  it('refuse to delete a project for which roles are held or that owns policies and groups, and name these', async () => {
    const [blue, red] = [await makeTenant({ name: 'blue' }), await makeTenant({ name: 'red' })];
    const [shop, bank] = [await makeProject(blue, { name: 'shop' }), await makeProject(red, { name: 'bank' })];
    const held = { role_id: await roleId('viewer'), tenant_id: blue.id, project_id: shop.id, expires_at: null };
    const foreign = await send('POST', '/users', person({ assignments: [{ ...held, project_id: bank.id }] }));
    expect([foreign.status, (await json(foreign)).errors]).toEqual([
      404,
      [{ field: 'assignments.0.project_id', message: 'Project not found in the tenant.' }],
    ]);
    const user = await createResource('/users', person({ assignments: [held] }));
    expect(user.assignments).toMatchObject([{ tenant_name: 'blue', project_name: 'shop' }]);
    const record = (await auditTrail()).find(({ action }) => action === 'user.created');
    expect(record?.after).toMatchObject({ assignments: [{ role: 'viewer', tenant_id: blue.id, project_id: shop.id }] });
    const remove = async () => {
      const answer = await send('DELETE', `/projects/${shop.id}`, undefined);
      return [answer.status, answer.status === 204 ? '' : (await json(answer)).detail];
    };
    expect(await remove()).toEqual([
      409,
      'The project is not empty: users with a role for it: 1 (Viewer). Delete or unassign these first.',
    ]);
    expect(
      (await send('PUT', `/users/${user.id}/assignments`, { version: user.version, assignments: [] })).status,
    ).toBe(200);
    const sql = sqlClient();
    await sql`insert into security_groups (id, tenant_id, project_id, name)
      values (gen_random_uuid(), ${blue.id}, ${shop.id}, 'web'), (gen_random_uuid(), ${blue.id}, null, 'other')`;
    expect(await remove()).toEqual([409, 'The project is not empty: groups: web. Delete or unassign these first.']);
    await sql`delete from security_groups`;
    expect((await remove())[0]).toBe(204);
  });

  it('write and record nothing when nothing changes', async () => {
    const tenant = await createResource('/tenants', { name: 'Blue', description: 'as it is' });
    const before = (await actions()).length;
    expect((await json(await send('PATCH', `/tenants/${tenant.id}`, { description: 'as it is' }))).version).toBe(1);
    expect(await actions()).toHaveLength(before);
  });

  it('have a rule for changes and maintenance windows, which their own users read and cannot change', async () => {
    const { ours } = await makeTwoTenants('admin');
    const path = `/tenants/${ours.tenant.id}`;
    const rule = { approvals_required: 2, approval_scope: 'all' };
    const window = { days: ['sat', 'sun'], from: '22:30', minutes: 90, time_zone: 'Europe/Berlin' };
    const changed = await send('PATCH', path, { ...rule, maintenance_windows: [window] });
    expect(await json(changed)).toMatchObject({ ...rule, maintenance_windows: [window] });
    expect(await json(await get(path, ours.headers))).toMatchObject(rule);
    expect((await send('PATCH', path, { approvals_required: 0 }, ours.headers)).status).toBe(403);
    const record = (await auditTrail()).find(
      ({ action, object_id }) => action === 'tenant.updated' && object_id === ours.tenant.id,
    );
    expect(record?.before).toMatchObject({
      approvals_required: 0,
      approval_scope: 'enforcing',
      maintenance_windows: [],
    });
    expect(record?.after).toMatchObject({ ...rule, maintenance_windows: [window] });
    for (const wrong of [{ time_zone: 'Mars/Base' }, { from: '24:00' }, { days: [] }, { minutes: 5 }]) {
      const refused = await send('PATCH', path, { maintenance_windows: [{ ...window, ...wrong }] });
      expect([refused.status, Object.keys(wrong)]).toEqual([400, Object.keys(wrong)]);
    }
    expect(await readApprovalRules(db, [null, ours.tenant.id])).toEqual(
      new Map([
        [null, { required: 0, scope: 'enforcing' }],
        [ours.tenant.id, { required: 2, scope: 'all' }],
      ]),
    );
    expect(await readMaintenanceWindows(db, [null, ours.tenant.id])).toEqual(new Map([[ours.tenant.id, [window]]]));
  });

  it('show users of a tenant only their own', async () => {
    const { ours, theirs } = await makeTwoTenants('security_engineer');
    const list = await json(await get('/tenants', ours.headers));
    expect((list.items as Json[]).map(({ id }) => id)).toEqual([ours.tenant.id]);
    const projects = await json(await get(`/projects?tenant_id=${theirs.tenant.id}`, ours.headers));
    expect(projects).toMatchObject({ items: [], total: 0 });
    expect((await get(`/projects/${theirs.project.id}`, ours.headers)).status).toBe(404);
    expect((await get(`/tenants/${theirs.tenant.id}`, ours.headers)).status).toBe(404);
    await grantRole(ours.user, 'admin', ours.tenant);
    const foreign = { tenant_id: theirs.tenant.id, name: 'mine' };
    expect((await send('POST', '/projects', foreign, ours.headers)).status).toBe(404);
    expect((await send('PATCH', `/projects/${theirs.project.id}`, { name: 'x' }, ours.headers)).status).toBe(404);
    expect((await send('DELETE', `/projects/${theirs.project.id}`, undefined, ours.headers)).status).toBe(404);
    // Tenants themselves belong to the installation.
    expect((await send('PATCH', `/tenants/${ours.tenant.id}`, { name: 'x' }, ours.headers)).status).toBe(403);
  });
});

describe('workloads', () => {
  it('change owner all or not at all, with one record per tenant', async () => {
    const cluster = await makeCluster();
    const [blue, red] = [await makeTenant({ name: 'blue' }), await makeTenant({ name: 'red' })];
    const [shop, bank] = [await makeProject(blue, { name: 'shop' }), await makeProject(red, { name: 'bank' })];
    const [one, two] = [await makeWorkload(cluster), await makeWorkload(cluster, bank)];
    const ids = [one.id, two.id];
    const absent = await send('POST', '/workloads/assign', { project_id: shop.id, workload_ids: [...ids, shop.id] });
    expect([absent.status, (await json(absent)).errors]).toEqual([
      404,
      [{ field: 'workload_ids.2', message: 'Workload not found.' }],
    ]);
    const assign = () => send('POST', '/workloads/assign', { project_id: shop.id, workload_ids: ids });
    expect(await json(await assign())).toEqual({ changed: 2 });
    expect(await json(await assign())).toEqual({ changed: 0 });
    const records = (await auditTrail()).filter(({ action }) => action === 'workload.assigned');
    expect(records.map(({ tenant_id }) => tenant_id).sort()).toEqual([null, blue.id, red.id].sort());
    const seenByRed = records.find(({ tenant_id }) => tenant_id === red.id);
    expect(seenByRed?.before).toEqual({ workloads: [{ id: two.id, name: two.name, project_id: bank.id }] });
    expect(JSON.stringify(seenByRed)).not.toContain(shop.id);
    expect((await send('DELETE', `/projects/${shop.id}`, undefined)).status).toBe(409);
  });

  it('cannot be taken from another tenant, nor be lost', async () => {
    const { ours, theirs } = await makeTwoTenants('security_engineer');
    const assign = (project_id: string | null, id: string) =>
      send('POST', '/workloads/assign', { project_id, workload_ids: [id] }, ours.headers);
    expect((await assign(ours.project.id, theirs.workload.id)).status).toBe(404);
    expect((await assign(theirs.project.id, ours.workload.id)).status).toBe(404);
    expect((await assign(null, ours.workload.id)).status).toBe(403);
    const second = await makeProject(ours.tenant);
    expect(await json(await assign(second.id, ours.workload.id))).toEqual({ changed: 1 });
  });
});

describe('roles', () => {
  it('protect the built-in ones; custom ones can be created, changed and deleted', async () => {
    expect((await send('PATCH', `/roles/${await roleId('viewer')}`, { title: 'x' })).status).toBe(422);
    expect((await send('DELETE', `/roles/${await roleId('viewer')}`, undefined)).status).toBe(422);
    const role = await createResource('/roles', {
      name: 'reader',
      title: 'Reader',
      permissions: ['flow:read', 'cluster:read', 'flow:read'],
    });
    expect(role.permissions).toEqual(['cluster:read', 'flow:read']);
    expect((await send('POST', '/roles', { name: 'reader', title: 'R', permissions: [] })).status).toBe(409);
    const wrong = await send('POST', '/roles', { name: 'Bad Name', title: '', permissions: ['cluster:own'] });
    expect((await json(wrong)).errors).toHaveLength(3);
    const user = await createResource('/users', person({ assignments: [{ role_id: role.id }] }));
    expect((await send('DELETE', `/roles/${role.id}`, undefined)).status).toBe(409);
    const headers = await bearer(user);
    expect((await get('/clusters', headers)).status).toBe(200);
    expect((await send('PATCH', `/roles/${role.id}`, { permissions: ['flow:read'], version: 1 })).status).toBe(200);
    expect((await get('/clusters', headers)).status).toBe(403);
    expect((await send('PUT', `/users/${user.id}/assignments`, { assignments: [] })).status).toBe(200);
    expect((await send('DELETE', `/roles/${role.id}`, undefined)).status).toBe(204);
  });

  it('never hold more than who makes them', async () => {
    const permissions = ['role:read', 'role:write', 'flow:read'];
    const role = await createResource('/roles', { name: 'role_maker', title: 'Role maker', permissions });
    const maker = await bearer(await createResource('/users', person({ assignments: [{ role_id: role.id }] })));
    const make = (permissions: string[]) => send('POST', '/roles', { name: 'mine', title: 'Mine', permissions }, maker);
    expect((await make(['*'])).status).toBe(403);
    const refused = await make(['policy:read', 'flow:read']);
    expect([refused.status, (await json(refused)).missing]).toEqual([403, ['policy:read']]);
    expect((await make(['flow:read'])).status).toBe(201);
  });
});

describe('users', () => {
  it('have roles, can be found by role and tenant, and list in a constant number of queries', async () => {
    const tenant = await makeTenant({ name: 'Blue' });
    const viewer = await roleId('viewer');
    const user = await createResource('/users', person({ assignments: [{ role_id: viewer, tenant_id: tenant.id }] }));
    expect(user).toMatchObject({
      email: 'new@example.org',
      active: true,
      assignments: [{ role: 'viewer', tenant_name: 'Blue', expires_at: null, expired: false }],
    });
    expect(JSON.stringify(user)).not.toContain('argon2');
    expect((await send('POST', '/users', person())).status).toBe(409);
    for (const query of [`role_id=${viewer}`, `tenant_id=${tenant.id}`, 'q=NEW@', 'active=true&q=new']) {
      expect(((await json(await get(`/users?${query}`))).items as Json[]).map(({ id }) => id)).toEqual([user.id]);
    }
    const count = async () => (await countQueries(() => get('/users'))).queries;
    const few = await count();
    for (let i = 0; i < 10; i += 1) await makeUser('viewer', tenant);
    expect(await count()).toBe(few);
    const login = await call('/auth/login', { body: { email: 'new@example.org', password: PASSWORD } });
    expect(login.status).toBe(200);
  });

  it('name what is wrong with their roles, and leave nothing half done', async () => {
    const viewer = await roleId('viewer');
    const unknownId = '0199aaaa-0000-7000-8000-000000000000';
    const bad = await send(
      'POST',
      '/users',
      person({ assignments: [{ role_id: unknownId }, { role_id: viewer, tenant_id: unknownId }] }),
    );
    expect([bad.status, ((await json(bad)).errors as { field: string }[]).map(({ field }) => field)]).toEqual([
      404,
      ['assignments.0.role_id', 'assignments.1.tenant_id'],
    ]);
    const twice = await send('POST', '/users', person({ assignments: [{ role_id: viewer }, { role_id: viewer }] }));
    expect(twice.status).toBe(400);
    const past = await send(
      'POST',
      '/users',
      person({ assignments: [{ role_id: viewer, expires_at: '2020-01-01T00:00:00Z' }] }),
    );
    expect((await json(past)).errors).toEqual([
      { field: 'assignments.0.expires_at', message: 'This time is in the past.' },
    ]);
    expect((await json(await get('/users'))).total).toBe(1);
  });

  it('lose their sessions when they are deactivated or get another password', async () => {
    const user = await makeUser('viewer');
    const first = await bearer(user);
    expect((await get('/clusters', first)).status).toBe(200);
    expect((await send('PATCH', `/users/${user.id}`, { password: PASSWORD })).status).toBe(200);
    expect((await get('/clusters', first)).status).toBe(401);
    const second = await bearer(user);
    await bearer(user);
    expect(await json(await get(`/users/${user.id}`))).toMatchObject({ sessions_total: 2 });
    const off = await json(await send('PATCH', `/users/${user.id}`, { active: false }));
    expect(off).toMatchObject({ active: false, sessions_total: 0 });
    expect((await get('/clusters', second)).status).toBe(401);
    expect((await call('/auth/login', { body: { email: user.email, password: PASSWORD } })).status).toBe(401);
    expect((await send('PATCH', `/users/${user.id}`, { active: true })).status).toBe(200);
    expect((await get('/clusters', second)).status).toBe(401);
    const records = (await auditTrail()).filter(({ action }) => action === 'user.updated');
    expect(JSON.stringify(records)).not.toContain(PASSWORD);
    expect(JSON.stringify(records)).not.toContain('argon2');
  });

  it('cannot make themselves more than they are', async () => {
    const admin = await makeUser('admin');
    const headers = await bearer(admin);
    const superId = await roleId('super_admin');
    const adminId = await roleId('admin');
    const assign = (id: string, role_id: string) =>
      send('PUT', `/users/${id}/assignments`, { assignments: [{ role_id }] }, headers);
    expect((await assign(admin.id, superId)).status).toBe(403);
    expect((await assign(rootUser.id, adminId)).status).toBe(403);
    expect((await send('PATCH', `/users/${rootUser.id}`, { password: PASSWORD }, headers)).status).toBe(403);
    expect((await send('PATCH', `/users/${rootUser.id}`, { email: 'a@example.org' }, headers)).status).toBe(403);
    expect((await send('DELETE', `/users/${rootUser.id}`, undefined, headers)).status).toBe(403);
    expect((await send('POST', '/users', person({ assignments: [{ role_id: superId }] }), headers)).status).toBe(403);
    expect((await send('POST', '/users', person({ assignments: [{ role_id: adminId }] }), headers)).status).toBe(201);
    expect((await get('/clusters', await bearer(rootUser))).status).toBe(200);
  });

  it('always include a super administrator, regardless of the actor and of concurrent requests', async () => {
    const superId = await roleId('super_admin');
    expect((await send('PUT', `/users/${rootUser.id}/assignments`, { assignments: [] })).status).toBe(409);
    expect((await send('PATCH', `/users/${rootUser.id}`, { active: false })).status).toBe(409);
    expect((await send('DELETE', `/users/${rootUser.id}`, undefined)).status).toBe(409);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const second = await createResource('/users', person({ assignments: [{ role_id: superId, expires_at: soon }] }));
    const other = await bearer(second);
    // Their right ends in an hour: it does not count.
    expect((await send('DELETE', `/users/${rootUser.id}`, undefined, other)).status).toBe(409);
    const forGood = { assignments: [{ role_id: superId }] };
    expect((await send('PUT', `/users/${second.id}/assignments`, forGood)).status).toBe(200);
    const both = await Promise.all([
      send('PATCH', `/users/${second.id}`, { active: false }),
      send('PATCH', `/users/${rootUser.id}`, { active: false }, other),
    ]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('have an access explanation, and deletion removes everything but their history', async () => {
    const tenant = await makeTenant({ name: 'Blue' });
    const user = await makeUser('network_operator', tenant);
    const access = await json(await get(`/users/${user.id}/access`));
    const of = (permission: string) =>
      (access.permissions as { permission: string }[]).find((row) => row.permission === permission);
    expect(of('flow:read')).toMatchObject({ granted: 'tenants', tenants: [{ name: 'Blue' }] });
    expect(of('cluster:write')).toMatchObject({ granted: 'none', reasons: [{ effect: 'platform_only' }] });
    const session = await signIn(user);
    expect((await send('DELETE', `/users/${user.id}`, undefined)).status).toBe(204);
    expect((await get('/auth/me', { authorization: `Bearer ${session.access_token}` })).status).toBe(401);
    expect((await get(`/users/${user.id}`)).status).toBe(404);
  });
});
