import { beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { Notification } from '@/domain/notifications/notification';
import type { Policy } from '@/domain/policies';
import { newApiToken } from '@/server/access/account/api-tokens';
import { listOperations } from '@/server/api/list-routes';
import { appRouter } from '@/server/api/root';
import { hashToken } from '@/server/auth/session-tokens';
import { db } from '@/server/db/client';
import { apiTokens } from '@/server/db/schema/sign-in';
import { apply, requestAs } from '@/server/enforcement/deployments/removal/moves.fixture';
import {
  DEFINITION,
  lab,
  prepareDeploymentLab,
  RULES,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { evaluateRules } from '@/server/notifications/evaluate-rules';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeUser } from '@/test/factories';
import { sendOperation } from './send-operation.fixture';

prepareDeploymentLab();

const NEW_RULE = { action: 'accept', protocol: 'tcp', destination_ports: ['8443'] };
/** Infra containers, among them one of the lab's targets. */
const TAGGED = 'tag:infra';

type User = { id: string };
let author: User;
let approver: User;
let second: User;
let policy: Policy;
let token: { authorization: string };

async function makeToken(owner: User) {
  const made = newApiToken();
  const permissions = ['policy:write', 'policy:apply', 'policy:read', 'change:approve', 'change:break_glass'];
  const stored = {
    user_id: owner.id,
    name: 'program',
    prefix: made.prefix,
    token_hash: hashToken(made.token),
    permissions,
  };
  await db.insert(apiTokens).values({ ...stored, expires_at: '2999-01-01T00:00:00Z' });
  return { authorization: `Bearer ${made.token}` };
}

beforeEach(async () => {
  await lab.sql`delete from system_settings where key = 'runtime'`;
  [author, approver, second] = [
    await makeUser('super_admin'),
    await makeUser('security_engineer'),
    await makeUser('security_engineer'),
  ];
  token = await makeToken(author);
  const as = () => bearer(author);
  const definition = { ...DEFINITION, targets: [TAGGED] };
  policy = await requestAs<Policy>(as, '/policies', { name: `shop ${author.id}`, definition, rules: RULES });
  await apply({ as } as never, policy);
  await requestAs(as, '/settings', { change_approvals_required: 1 }, 'PATCH');
});

const send = (user: User, path: string, body: object = {}, method = 'POST') =>
  requestAs<Change>(() => bearer(user), path, body, method);

/** A change with another rule for the policy, submitted by its author. */
async function submit(): Promise<Change> {
  const { name, definition } = policy;
  const content = { name, definition, rules: [...RULES, NEW_RULE] };
  const items = [{ kind: 'policy', policy_id: policy.id, policy: content }];
  const { id } = await send(author, '/changes', { title: 'Open 8443', items, confirm_within_seconds: 0 });
  return send(author, `/changes/${id}/submit`);
}

const readWrites = async () => {
  const [row] = await lab.sql<{ all: string }[]>`select jsonb_build_array(
    (select jsonb_agg(p order by p.id) from policies p), (select jsonb_agg(r order by r.id) from security_rules r),
    (select jsonb_agg(jsonb_build_array(d.id, d.status) order by d.id) from deployments d))::text as all`;
  return row?.all;
};

const [applyOperation] = listOperations(appRouter).filter(([, { rest }]) => rest === 'POST /changes/{change_id}/apply');

/** Everyone tries to apply it, on both surfaces. */
async function expectRefused({ id }: Pick<Change, 'id'>): Promise<void> {
  if (!applyOperation) throw new Error('no operation applies changes');
  const before = await readWrites();
  const [name, operation] = applyOperation;
  const callers = [() => bearer(author), () => bearer(approver), () => bearer(second), async () => token];
  for (const headers of callers) {
    for (const surface of ['REST', 'tRPC'] as const) {
      const given = { params: { change_id: id }, input: {} };
      const { status, body } = await sendOperation(surface, name, operation, given, await headers());
      expect([status, surface, status === 409 ? '' : body]).toEqual([409, surface, '']);
    }
  }
  expect(await readWrites()).toBe(before);
}

describe('a change that requires approval', () => {
  it('starts only after someone else approved it', async () => {
    const change = await submit();
    expect(change.state).toBe('in_review');
    // Offered to those who may, as long as approvals are missing.
    expect(change.actions).toContain('break_glass');
    await expectRefused(change);
    // An author never counts, with or without a token.
    await expect(send(author, `/changes/${change.id}/approve`)).rejects.toThrow();
    await expect(requestAs(async () => token, `/changes/${change.id}/approve`, {})).rejects.toThrow();
    await expectRefused(change);
    expect((await send(approver, `/changes/${change.id}/approve`)).state).toBe('approved');
    const approved = await requestAs<Change>(() => bearer(author), `/changes/${change.id}`, undefined, 'GET');
    expect(approved.actions).toContain('apply');
    expect(approved.actions).not.toContain('break_glass');
    expect((await send(second, `/changes/${change.id}/apply`)).state).toBe('applying');
    const written = await lab.sql`select 1 from policy_versions where policy_id = ${policy.id}`;
    expect(written).toHaveLength(2);
  }, 120_000);

  it('loses its approval by an edit, whose author cannot approve it either', async () => {
    const { id } = await submit();
    await send(approver, `/changes/${id}/approve`);
    const content = { name: policy.name, definition: policy.definition, rules: [NEW_RULE] };
    const items = [{ kind: 'policy', policy_id: policy.id, policy: content }];
    expect((await send(approver, `/changes/${id}`, { items }, 'PATCH')).state).toBe('draft');
    await expectRefused({ id });
    await send(author, `/changes/${id}/submit`);
    await expectRefused({ id });
    await expect(send(approver, `/changes/${id}/approve`)).rejects.toThrow();
    await expectRefused({ id });
    expect((await send(second, `/changes/${id}/approve`)).state).toBe('approved');
  }, 120_000);

  it('loses its approval when the inventory or the required number changes', async () => {
    const { id } = await submit();
    await send(approver, `/changes/${id}/approve`);
    lab.control.setTags(100, ['infra']);
    expect(await lab.sync()).toMatchObject({ status: 'ok' });
    await expectRefused({ id });
    const again = await submit();
    expect((await send(approver, `/changes/${again.id}/approve`)).state).toBe('approved');
    await send(author, '/settings', { change_approvals_required: 2 }, 'PATCH');
    await expectRefused(again);
  }, 120_000);

  it('starts without its approvals only in an emergency, which is reported', async () => {
    const rule = { name: `emergencies ${author.id}`, conditions: ['change_break_glass'], open_after_minutes: 0 };
    await requestAs(() => bearer(author), '/notification-rules', rule);
    const { id } = await submit();
    await expect(send(approver, `/changes/${id}/apply`, { break_glass: { reason: 'outage' } })).rejects.toThrow('403');
    expect((await send(author, `/changes/${id}/apply`, { break_glass: { reason: 'outage' } })).state).toBe('applying');
    await evaluateRules();
    const { items } = await requestAs<{ items: Notification[] }>(() => bearer(approver), '/notifications');
    expect(items).toMatchObject([
      { condition: 'change_break_glass', items: [{ object_kind: 'change', object_id: id }] },
    ]);
    const applied = (await auditTrail()).filter(
      ({ action, object_id }) => action === 'change.applying' && object_id === id,
    );
    expect(applied).toMatchObject([{ actor_id: author.id, after: { reason: 'outage' } }]);
  }, 120_000);
});
