import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { db } from '@/server/db/client';
import { roleAssignments, roles } from '@/server/db/schema/access';
import { notifications } from '@/server/db/schema/notifications';
import { clock } from '@/server/lib/clock';
import { bearer, makeProject, makeTwoTenants, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { collectFindings } from './facts/collect-findings';
import { remindOwners } from './remind-owners';

const DAY = 86_400;
let time: ReturnType<typeof fakeClock>;
beforeEach(() => {
  time = fakeClock();
});
afterEach(() => time.restore());

const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY * 1000).toISOString();
const definition = { sources: ['any'], targets: ['any'] };
const rule = { action: 'accept', protocol: 'tcp', destination_ports: ['22'] };

it('reminds an owner once before and once after an expiry, of what the owner may see', async () => {
  const { ours, theirs } = await makeTwoTenants('viewer');
  const owner = ours.user;
  const admin = await bearer(await makeUser('super_admin'));
  const create = async (tenant_id: string, name: string, given: object) => {
    const body = { name, tenant_id, definition, ...given };
    expect((await call('/policies', { headers: admin, body })).status).toBe(201);
  };
  await create(ours.tenant.id, 'shop', { owner: owner.email, expires_at: inDays(8) });
  await create(ours.tenant.id, 'mail', {
    owner: 'another@example.org',
    rules: [rule, { ...rule, owner: owner.email, expires_at: inDays(8) }, { ...rule, expires_at: inDays(8) }],
  });
  await create(theirs.tenant.id, 'hidden', { owner: owner.email, expires_at: inDays(8) });
  await create(ours.tenant.id, 'later', { owner: owner.email, expires_at: inDays(30) });
  const list = async () => {
    const notices = await db.select().from(notifications).where(eq(notifications.user_id, owner.id));
    return notices
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ items }) => items.map(({ object_name, detail }) => `${object_name}: ${detail.split(' at ')[0]}`).sort());
  };
  await remindOwners();
  expect(await list()).toEqual([]);
  time.advance(DAY);
  await remindOwners();
  await remindOwners();
  const before = ['mail: Rule 2 expires', 'shop: The policy expires'];
  expect(await list()).toEqual([before]);
  time.advance(7 * DAY);
  await Promise.all([remindOwners(), remindOwners()]);
  expect(await list()).toEqual([before, ['mail: Rule 2 expired', 'shop: The policy expired']]);

  // No notice is about the policy of the other tenant.
  expect(await db.$count(notifications, eq(notifications.tenant_id, theirs.tenant.id))).toBe(0);

  // Notification rules report the same to channels, with the rules that have another owner.
  const { facts } = await collectFindings([ours.tenant.id], ['policy_expiring']);
  expect(facts.map(({ object_name }) => object_name).sort()).toEqual(['mail', 'mail', 'shop']);
});

it('shows reminders only where their owner may see the policy now, also in a single project', async () => {
  const { ours } = await makeTwoTenants('viewer');
  const admin = await bearer(await makeUser('super_admin'));
  const { id: other_project } = await makeProject(ours.tenant);
  const owner = await makeUser();
  const [role] = await db.select().from(roles).where(eq(roles.name, 'security_engineer'));
  const grant = (project_id: string | null) =>
    db
      .insert(roleAssignments)
      .values({ user_id: owner.id, role_id: role?.id ?? '', tenant_id: ours.tenant.id, project_id });
  const revoke = () => db.delete(roleAssignments).where(eq(roleAssignments.user_id, owner.id));
  const policies: [string, string | null][] = [
    ['of the tenant', null],
    ['of the project', ours.project.id],
    ['of the other project', other_project],
  ];
  for (const [name, project_id] of policies) {
    const body = { name, tenant_id: ours.tenant.id, project_id, owner: owner.email, expires_at: inDays(3), definition };
    expect((await call('/policies', { headers: admin, body })).status).toBe(201);
  }
  await grant(null);
  time.advance(60);
  await remindOwners();
  const get = async <T>(path: string, headers: Record<string, string>) =>
    (await (await call(path, { headers })).json()) as T;
  const show = async (headers: Record<string, string>) => {
    const { items } = await get<{ items: { items: { object_name: string }[] }[] }>('/notifications', headers);
    const { unread } = await get<{ unread: number }>('/notifications/unread', headers);
    expect(unread).toBe(items.length);
    return items.flatMap((one) => one.items.map(({ object_name }) => object_name)).sort();
  };
  const all = policies.map(([name]) => name).sort();
  const headers = await bearer(owner);
  expect(await show(headers)).toEqual(all);

  const makeToken = async (permissions: string[]) => {
    const made = await call('/account/tokens', { headers, body: { name: permissions.join(' '), permissions } });
    return { authorization: `Bearer ${((await made.json()) as { token: string }).token}` };
  };
  const [narrow, wide] = [await makeToken(['flow:read', 'notification:mark']), await makeToken(['policy:read'])];
  expect(await show(narrow)).toEqual([]);
  expect(await show(wide)).toEqual(all);
  const [newest] = (await get<{ items: { id: string }[] }>('/notifications', headers)).items;
  for (const body of [{ ids: [newest?.id] }, { through: newest?.id }])
    expect((await call('/notifications/read', { headers: narrow, body })).status).toBe(200);
  expect(await show(headers)).toEqual(all);

  await revoke();
  expect(await show(headers)).toEqual([]);
  await grant(ours.project.id);
  expect(await show(headers)).toEqual(['of the project']);
  await revoke();
  await grant(null);
  expect(await show(headers)).toEqual(all);
});
