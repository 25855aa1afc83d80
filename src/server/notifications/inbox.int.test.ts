import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Condition, Fact } from '@/domain/notifications/condition';
import type { Notification } from '@/domain/notifications/notification';
import { sqlClient } from '@/server/db/client';
import { queueBackend } from '@/server/jobs/backend';
import { closeQueues } from '@/server/jobs/queues';
import { newId } from '@/server/lib/ids';
import { bearer, makeTwoTenants, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { evaluateRules } from './evaluate-rules';

type Headers = { authorization: string };
const sql = sqlClient();
let fixture: Awaited<ReturnType<typeof makeTwoTenants>>;
let admin: Headers;
let viewer: Headers;

async function inbox(headers: Headers, query = ''): Promise<Notification[]> {
  const response = await call(`/notifications${query}`, { headers });
  return ((await response.json()) as { items: Notification[] }).items;
}
async function unread(headers: Headers): Promise<number> {
  const response = await call('/notifications/unread', { headers });
  return ((await response.json()) as { unread: number }).unread;
}
async function read(headers: Headers, body: unknown): Promise<number> {
  const response = await call('/notifications/read', { headers, body });
  expect(response.status).toBe(200);
  return ((await response.json()) as { unread: number }).unread;
}
async function addRule(headers: Headers, conditions: Condition[], more: object = {}): Promise<string> {
  const body = { name: newId(), conditions, open_after_minutes: 0, ...more };
  const response = await call('/notification-rules', { headers, body });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}
const fact = (condition: Condition, object_name: string): Fact => ({
  condition,
  key: newId(),
  object_kind: 'policy',
  object_id: null,
  object_name,
  detail: 'it is so',
});
/** What each reach would find, by tenant id or `all`. */
const findings = (byReach: Record<string, Fact[]>) =>
  evaluateRules(async (reach) => ({
    facts: byReach[reach === 'all' ? 'all' : String(reach)] ?? [],
    unreadable: new Set(['policy_drifted', 'sync_failed'] as const),
    unknown: new Set(),
  }));

beforeAll(async () => {
  await queueBackend.prepare();
  fixture = await makeTwoTenants('admin');
  admin = await bearer(await makeUser('admin'));
  viewer = await bearer(await makeUser('viewer'));
});
afterAll(() => closeQueues());
beforeEach(async () => {
  await sql`delete from notifications`;
  await sql`delete from notification_rules`;
});

it('tells each only what is theirs', async () => {
  const { ours, theirs } = fixture;
  await addRule(admin, ['policy_drifted', 'sync_failed']);
  await addRule(ours.headers, ['policy_drifted']);
  await addRule(theirs.headers, ['policy_drifted']);
  await findings({
    all: [fact('sync_failed', 'munich'), fact('policy_drifted', 'any policy')],
    [ours.tenant.id]: [fact('policy_drifted', 'our policy')],
    [theirs.tenant.id]: [fact('policy_drifted', 'their policy')],
  });
  const names = async (headers: Headers) =>
    (await inbox(headers)).flatMap(({ items }) => items.map((i) => i.object_name));
  expect((await names(admin)).sort()).toEqual(['any policy', 'munich']);
  expect((await names(viewer)).sort()).toEqual(['any policy', 'munich']);
  expect(await names(ours.headers)).toEqual(['our policy']);
  expect(await names(theirs.headers)).toEqual(['their policy']);
  expect(await names(await bearer(await makeUser()))).toEqual([]);
});

it('reflects a revoked permission immediately, and shows nothing from before the user joined', async () => {
  await addRule(admin, ['sync_failed']);
  await findings({ all: [fact('sync_failed', 'munich')] });
  const user = await makeUser('viewer');
  const headers = await bearer(user);
  expect(await inbox(headers)).toEqual([]);
  await findings({ all: [fact('sync_failed', 'frankfurt')] });
  expect(await inbox(headers)).toMatchObject([{ title: 'Sync of frankfurt failed', unread: true }]);
  await sql`delete from role_assignments where user_id = ${user.id}`;
  expect(await inbox(headers)).toEqual([]);
  expect(await unread(headers)).toBe(0);
});

it('counts and marks for each reader alone', async () => {
  await addRule(admin, ['sync_failed']);
  for (const name of ['a', 'b', 'c']) await findings({ all: [fact('sync_failed', name)] });
  const [c, b, a] = await inbox(admin);
  expect([c, b, a].map((one) => one?.title)).toEqual(['c', 'b', 'a'].map((name) => `Sync of ${name} failed`));
  expect(await unread(admin)).toBe(3);
  expect(await read(admin, { ids: [b?.id, newId()] })).toBe(2);
  expect(await inbox(admin, '?unread=true')).toMatchObject([{ id: c?.id }, { id: a?.id }]);
  expect(await inbox(admin, '?unread=false')).toMatchObject([{ id: b?.id }]);
  // What came after one looked stays unread.
  expect(await read(admin, { through: b?.id })).toBe(1);
  expect(await inbox(admin, '?unread=true')).toMatchObject([{ id: c?.id }]);
  expect(await read(admin, { through: c?.id })).toBe(0);
  expect(await read(admin, { through: a?.id })).toBe(0);
  expect(await unread(viewer)).toBe(3);
  expect(await sql`select 1 from notification_reads`).toHaveLength(0);
});

it('shows a new notice as unread after a clock that was ahead was put back, and what was read stays read', async () => {
  await addRule(admin, ['sync_failed']);
  for (const name of ['a', 'b', 'c']) await findings({ all: [fact('sync_failed', name)] });
  const [c, b] = await inbox(admin);
  // As if the clock had been ahead since b.
  const ahead = (n: number) => `01f00000-0000-7000-8000-00000000000${n}`;
  await sql`update notifications set id = ${ahead(1)}, created_at = created_at + interval '1 day' where id = ${b?.id ?? ''}`;
  await sql`update notifications set id = ${ahead(2)}, created_at = created_at + interval '1 day' where id = ${c?.id ?? ''}`;
  expect(await read(admin, { through: ahead(1) })).toBe(1);
  await findings({ all: [fact('sync_failed', 'd')] });
  const isUnread = async () => (await inbox(admin, '?unread=true')).map(({ title }) => title.split(' ')[2]);
  expect(await isUnread()).toEqual(['c', 'd']);
  expect(await read(admin, { through: ahead(2) })).toBe(0);
  await findings({ all: [fact('sync_failed', 'e')] });
  expect(await isUnread()).toEqual(['e']);
  expect(await unread(viewer)).toBe(5);
});

it('marks nothing that is not there for the reader', async () => {
  const { ours, theirs } = fixture;
  await addRule(theirs.headers, ['policy_drifted']);
  await findings({ [theirs.tenant.id]: [fact('policy_drifted', 'their policy')] });
  const [notice] = await inbox(theirs.headers);
  await read(ours.headers, { ids: [notice?.id] });
  await read(ours.headers, { through: notice?.id });
  await read(ours.headers, { through: 'ffffffff-ffff-7fff-bfff-ffffffffffff' });
  expect(
    await sql`select 1 from notification_reads union all select 1 from notification_marks where user_id = ${ours.user.id}`,
  ).toEqual([]);
  expect((await call('/notifications/read', { headers: ours.headers, body: {} })).status).toBe(400);
});

it('requires the permission to mark as read; an API token must also have read access', async () => {
  await addRule(admin, ['sync_failed', 'policy_drifted']);
  await findings({ all: [fact('policy_drifted', 'a policy')] });
  await findings({ all: [fact('sync_failed', 'munich')] });
  const [newest] = await inbox(admin);
  const makeToken = async (permissions: string[]): Promise<Headers> => {
    const made = await call('/account/tokens', { headers: admin, body: { name: newId(), permissions } });
    return { authorization: `Bearer ${((await made.json()) as { token: string }).token}` };
  };
  const body = { through: newest?.id };
  const withoutRoles = await bearer(await makeUser());
  expect((await call('/notifications/read', { headers: withoutRoles, body })).status).toBe(403);
  const reader = await makeToken(['cluster:read']);
  expect((await call('/notifications/read', { headers: reader, body })).status).toBe(403);
  expect(await unread(admin)).toBe(2);
  expect(await read(await makeToken(['cluster:read', 'notification:mark']), body)).toBe(0);
  expect(await inbox(admin, '?unread=true')).toMatchObject([{ title: expect.stringContaining('a policy') }]);
});

it('shows a test to the user who requested it, and no rule without in-app at all', async () => {
  const id = await addRule(admin, ['sync_failed']);
  const response = await call(`/notification-rules/${id}/test`, { method: 'POST', headers: admin });
  expect(await response.json()).toEqual({ deliveries: 0 });
  expect(await inbox(admin)).toMatchObject([{ event: 'test', condition: null, unread: true }]);
  expect(await inbox(viewer)).toEqual([]);

  await sql`update notification_rules set in_app = false`;
  await findings({ all: [fact('sync_failed', 'munich')] });
  expect(await inbox(viewer)).toEqual([]);
});

it('returns pages', async () => {
  await addRule(admin, ['sync_failed']);
  for (let round = 0; round < 5; round++) await findings({ all: [fact('sync_failed', `c${round}`)] });
  const first = (await (await call('/notifications?limit=2', { headers: admin })).json()) as {
    next_cursor: string;
    total: number;
  };
  expect(first.total).toBe(5);
  const rest = await inbox(admin, `?limit=10&cursor=${encodeURIComponent(first.next_cursor)}`);
  expect(rest.map(({ title }) => title)).toEqual(['c2', 'c1', 'c0'].map((name) => `Sync of ${name} failed`));
});
