import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Policy } from '@/domain/policies';
import type { Recertification } from '@/domain/recertification';
import { db, sqlClient } from '@/server/db/client';
import { tenants } from '@/server/db/schema/access';
import { auditRecords } from '@/server/db/schema/operations';
import { policies } from '@/server/db/schema/policies';
import { clock } from '@/server/lib/clock';
import { collectFindings } from '@/server/notifications/facts/collect-findings';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeTwoTenants, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';

const DAY = 86_400;
const definition = { sources: ['any'], targets: ['any'] };
let time: ReturnType<typeof fakeClock>;
beforeEach(() => {
  time = fakeClock();
});
afterEach(() => time.restore());

type User = { id: string; email: string };

async function send<T>(user: User, path: string, body?: object): Promise<{ status: number; body: T }> {
  const response = await call(path, { headers: await bearer(user), ...(body && { body }) });
  return { status: response.status, body: (await response.json()) as T };
}
const list = async (user: User, query = '') =>
  (await send<{ items: Recertification[] }>(user, `/recertifications?${query}`)).body.items.map(
    ({ name, status }) => `${name} ${status}`,
  );

/** A policy that was created some days ago. */
async function makePolicy(by: User, name: string, days: number, given: object = {}): Promise<Policy> {
  const { status, body } = await send<Policy>(by, '/policies', { name, definition, ...given });
  expect(status, JSON.stringify(body)).toBe(201);
  const at = new Date(clock.now().getTime() - days * DAY * 1000).toISOString();
  await sqlClient()`update policies set created_at = ${at} where id = ${body.id}`;
  return body;
}

it('lists each policy of a tenant once per period, and what is due and overdue', async () => {
  const { ours, theirs } = await makeTwoTenants('security_engineer');
  const { user } = ours;
  await makePolicy(user, 'new', 89);
  await makePolicy(user, 'due', 90, { owner: user.email });
  await makePolicy(user, 'late', 104, { owner: 'carla@example.org', ticket: 'NET-77' });
  await makePolicy(theirs.user, 'theirs', 104);
  expect(await list(user)).toEqual([]);
  await db.update(tenants).set({ recertification_days: 90 }).where(eq(tenants.id, ours.tenant.id));
  expect(await list(user)).toEqual(['late overdue', 'due due', 'new not_due']);
  expect(await list(user, 'status=due')).toEqual(['due due']);
  expect(await list(user, 'owner=me')).toEqual(['due due']);
  expect(await list(user, 'owner=none')).toEqual(['new not_due']);
  for (const q of ['carla', 'net-77', 'late']) expect(await list(user, `q=${q}`)).toEqual(['late overdue']);
  expect(await list(theirs.user)).toEqual([]);
  expect(await list(await makeUser('super_admin'), `tenant_id=${ours.tenant.id}&sort=name`)).toHaveLength(3);
  const { facts } = await collectFindings([ours.tenant.id], ['recertification_due']);
  expect(facts.map(({ object_name }) => object_name).sort()).toEqual(['due', 'late']);
  time.advance(14 * DAY);
  const later = await collectFindings([ours.tenant.id], ['recertification_due']);
  expect(later.facts.map(({ detail }) => detail.split(' since')[0])).toEqual([
    ...['The policy is due', 'The policy is overdue', 'The policy is overdue'],
  ]);
});

it('has a policy confirmed by its owner, or without one by those who may write it', async () => {
  const { ours, theirs } = await makeTwoTenants('security_engineer');
  const [writer, viewer] = [ours.user, await makeUser('viewer', ours.tenant)];
  const owned = await makePolicy(writer, 'owned', 100, { owner: viewer.email });
  const free = await makePolicy(writer, 'free', 100);
  const confirm = (by: User, { id }: Policy, body: object = {}) =>
    send<Recertification & { reason?: string }>(by, `/recertifications/${id}/confirm`, body);
  expect(await confirm(viewer, owned)).toMatchObject({ status: 409, body: { reason: 'recertification_off' } });
  await db.update(tenants).set({ recertification_days: 90 }).where(eq(tenants.id, ours.tenant.id));
  expect(await confirm(writer, owned)).toMatchObject({ status: 403, body: { reason: 'not_the_owner' } });
  expect(await confirm(viewer, free)).toMatchObject({ status: 403 });
  expect(await confirm(theirs.user, free)).toMatchObject({ status: 404 });
  // Of what its person may do, a token has only what it was given.
  const confirmWith = async (by: User, permissions: string[], { id }: Policy) => {
    const headers = await bearer(by);
    const body = { name: `${permissions} ${id}`, permissions, tenant_id: ours.tenant.id };
    const created = await call('/account/tokens', { headers, body });
    expect(created.status).toBe(201);
    const { token } = (await created.json()) as { token: string };
    const program = { authorization: `Bearer ${token}` };
    const answer = await call(`/recertifications/${id}/confirm`, { headers: program, body: {} });
    return { status: answer.status, body: await answer.json() };
  };
  const refused = { status: 403, body: { permission: 'policy:write' } };
  expect(await confirmWith(viewer, ['policy:read'], owned)).toMatchObject(refused);
  const mine = await makePolicy(writer, 'mine', 100, { owner: writer.email });
  expect(await confirmWith(writer, ['policy:read'], mine)).toMatchObject(refused);
  expect(await confirmWith(writer, ['policy:read', 'policy:write'], owned)).toMatchObject({ status: 403 });
  expect(await confirmWith(writer, ['policy:read', 'policy:write'], mine)).toMatchObject({ status: 200 });
  await db.delete(policies).where(eq(policies.id, mine.id));
  expect(await confirm(viewer, owned, { version: 7 })).toMatchObject({ status: 409 });
  expect(await confirm(viewer, owned, { version: 1, note: 'Needed for the shop' })).toMatchObject({
    status: 200,
    body: { status: 'not_due', confirmed_by: viewer.email, confirmed_version: 1, note: 'Needed for the shop' },
  });
  expect(await confirm(writer, free)).toMatchObject({ status: 200 });
  expect(await list(writer, 'status=not_due&sort=name')).toEqual(['free not_due', 'owned not_due']);
  const trail = await auditTrail(eq(auditRecords.object_id, owned.id));
  expect(trail.at(-1)).toMatchObject({
    ...{ action: 'policy.confirmed', actor_id: viewer.id, tenant_id: ours.tenant.id },
    after: { version: 1, reason: 'Needed for the shop' },
  });
});
