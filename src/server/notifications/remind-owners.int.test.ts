import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { db } from '@/server/db/client';
import { notifications } from '@/server/db/schema/notifications';
import { clock } from '@/server/lib/clock';
import { bearer, makeTwoTenants, makeUser } from '@/test/factories';
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
