import { desc, eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SavedView } from '@/domain/saved-view';
import { db } from '@/server/db/client';
import { auditRecords } from '@/server/db/schema/operations';
import { auditTrail } from '@/test/audit-trail';
import { bearer, grantRole, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';

type Headers = Record<string, string>;
type Body = SavedView & { items: SavedView[]; total: number; errors?: { field: string }[] };

async function send(headers: Headers, path = '', init: { method?: string; body?: unknown } = {}) {
  const response = await call(`/saved-views${path}`, { headers, ...init });
  return { status: response.status, body: (response.status === 204 ? null : await response.json()) as Body };
}
const save = (headers: Headers, input: object) =>
  send(headers, '', { body: { page: '/flows', query: 'filter=action+%3D+dropped', ...input } });
const listNames = async (headers: Headers, query = '') =>
  (await send(headers, query)).body.items.map(({ name, editable }) => `${name}${editable ? '' : ' (read-only)'}`);
const lastAudit = async () => (await db.select().from(auditRecords).orderBy(desc(auditRecords.seq)).limit(1))[0];

let engineer: Headers;
let viewer: Headers;
let other: Headers;
let tenant: string;
let otherTenant: string;
beforeAll(async () => {
  const [own, foreign] = [await makeTenant(), await makeTenant()];
  tenant = own.id;
  otherTenant = foreign.id;
  engineer = await bearer(await makeUser('security_engineer', own));
  viewer = await bearer(await makeUser('viewer', own));
  other = await bearer(await makeUser('admin', foreign));
});

describe('saved views', () => {
  it('belong to their user until they are shared, and then to the tenant', async () => {
    const mine = await save(engineer, { name: 'Dropped' });
    expect(mine).toMatchObject({
      status: 201,
      body: { page: '/flows', query: 'filter=action+%3D+dropped', tenant_id: null, editable: true, version: 1 },
    });
    expect(await lastAudit()).toMatchObject({
      action: 'saved_view.created',
      object_id: mine.body.id,
      tenant_id: null,
      after: { name: 'Dropped', page: '/flows', query: 'filter=action+%3D+dropped' },
    });
    const path = `/${mine.body.id}`;
    for (const headers of [viewer, other]) {
      expect(await listNames(headers)).toEqual([]);
      expect((await send(headers, path, { method: 'PATCH', body: { name: 'Taken' } })).status).toBe(404);
      expect((await send(headers, path, { method: 'DELETE' })).status).toBe(404);
    }

    const shared = await send(engineer, path, { method: 'PATCH', body: { tenant_id: tenant, version: 1 } });
    expect(shared).toMatchObject({ status: 200, body: { tenant_id: tenant, version: 2, editable: true } });
    expect(await lastAudit()).toMatchObject({
      action: 'saved_view.updated',
      tenant_id: tenant,
      before: { tenant_id: null },
      after: { tenant_id: tenant },
    });
    expect(await listNames(viewer)).toEqual(['Dropped (read-only)']);
    expect(await listNames(engineer, `?tenant_id=${tenant}`)).toEqual(['Dropped']);
    expect(await listNames(engineer, '?tenant_id=none')).toEqual([]);
    expect(await listNames(other)).toEqual([]);
    expect((await send(viewer, path, { method: 'PATCH', body: { name: 'X' } })).status).toBe(403);
    expect((await send(viewer, path, { method: 'DELETE' })).status).toBe(403);
    expect((await send(other, path, { method: 'DELETE' })).status).toBe(404);

    const stale = await send(engineer, path, { method: 'PATCH', body: { name: 'X', version: 1 } });
    expect(stale).toMatchObject({ status: 409, body: { version: 2 } });
    const same = await send(engineer, path, { method: 'PATCH', body: { name: 'Dropped' } });
    expect(same.body.version).toBe(2);
    expect((await send(engineer, path, { method: 'DELETE' })).status).toBe(204);
    expect(await lastAudit()).toMatchObject({ action: 'saved_view.deleted', before: { name: 'Dropped' } });
    expect(await listNames(viewer)).toEqual([]);
  });

  it('write to the trail of each tenant what it got or lost, when they move from one to another', async () => {
    const user = await makeUser('security_engineer', { id: tenant });
    await grantRole(user, 'security_engineer', { id: otherTenant });
    const headers = await bearer(user);
    const { body: view } = await save(headers, { name: 'Of ours', tenant_id: tenant });
    const moved = await send(headers, `/${view.id}`, {
      method: 'PATCH',
      body: { tenant_id: otherTenant, name: 'Of theirs', query: 'filter=theirs' },
    });
    expect(moved).toMatchObject({ status: 200, body: { tenant_id: otherTenant } });
    const trail = await auditTrail(eq(auditRecords.object_id, view.id));
    const moves = trail.filter(({ action }) => action === 'saved_view.updated');
    expect(moves).toHaveLength(2);
    const find = (id: string) => moves.find(({ tenant_id }) => tenant_id === id);
    expect(find(tenant)).toMatchObject({
      ...{ object_name: 'Of ours', after: null },
      before: { name: 'Of ours', tenant_id: tenant },
    });
    expect(find(otherTenant)).toMatchObject({
      ...{ object_name: 'Of theirs', before: null },
      after: { name: 'Of theirs', tenant_id: otherTenant },
    });
    expect(JSON.stringify(find(tenant))).not.toMatch(new RegExp(`${otherTenant}|theirs`));
    expect(JSON.stringify(find(otherTenant))).not.toMatch(new RegExp(`${tenant}|ours`));
  });

  it('need the permission to change policies of the whole tenant to be shared with it', async () => {
    expect((await save(viewer, { name: 'V', tenant_id: tenant })).status).toBe(403);
    const wrong = await save(engineer, { name: 'V', tenant_id: otherTenant });
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([400, 'tenant_id']);
    expect((await save(viewer, { name: 'V' })).status).toBe(201);
    expect((await save(viewer, { name: 'v' })).status).toBe(409);
    expect((await save(viewer, { name: 'v', page: '/workloads' })).status).toBe(201);
    expect(await listNames(viewer, '?page=/workloads')).toEqual(['v']);
  });

  it('hold a page of the console and a query, and nothing else', async () => {
    for (const page of ['//evil.example', 'https://evil.example', '/flows?x=1', '/Flows', '', '/../x'])
      expect((await save(viewer, { name: 'bad', page })).body.errors?.[0]?.field, page).toBe('page');
    const { body } = await save(viewer, { name: 'odd', query: '?q=a b&x="<>' });
    expect(body.query).toBe('q=a+b&x=%22%3C%3E');
    expect((await save(viewer, { name: 'long', query: 'x'.repeat(4001) })).status).toBe(400);
  });

  it('stay hidden from API tokens of their user until they are shared', async () => {
    const user = await makeUser('security_engineer', { id: tenant });
    const headers = await bearer(user);
    expect((await save(headers, { name: 'Private' })).status).toBe(201);
    expect((await save(headers, { name: 'Team', tenant_id: tenant })).status).toBe(201);
    const created = await call('/account/tokens', {
      headers,
      body: { name: 'program', permissions: ['tenant:read'], tenant_id: tenant },
    });
    const { token } = await created.json();
    const program = { authorization: `Bearer ${token}` };
    expect(await listNames(program)).toEqual(['Team (read-only)']);
    expect((await save(program, { name: 'P' })).status).toBe(403);
  });

  it('stop at 100 for a user', async () => {
    const headers = await bearer(await makeUser('viewer', { id: tenant }));
    for (let i = 0; i < 100; i++) expect((await save(headers, { name: `view ${i}` })).status).toBe(201);
    expect((await save(headers, { name: 'one more' })).status).toBe(422);
  });
});
