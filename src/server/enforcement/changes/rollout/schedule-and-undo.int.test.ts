import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeItem } from '@/domain/change/items';
import type { ChangeRecord } from '@/domain/change/record';
import type { Policy } from '@/domain/policies';
import { requestAs } from '@/server/enforcement/deployments/removal/moves.fixture';
import {
  apply as applyPolicy,
  at,
  create,
  get,
  lab,
  policyRuleLines,
  post,
  prepareDeploymentLab,
  RULES,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { assignAddresses } from '@/server/enforcement/policy-tests/testing/addresses.fixture';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { confirmChange, rollBackChange } from './decide-change';
import { scheduleChanges, startScheduledChanges } from './start-scheduled';
import {
  add,
  apply,
  drive,
  edit,
  listSteps,
  makeChange,
  readLive,
  readRow,
  remove,
  scope,
  targets,
} from './testing/rollout-lab.fixture';

prepareDeploymentLab();

async function tick(): Promise<void> {
  const { signal } = new AbortController();
  await startScheduledChanges(signal);
  await scheduleChanges(signal);
}
const read = (policy: Pick<Policy, 'id'>) => get<Policy>(`/policies/${policy.id}`);
const anna = async () => {
  const { id } = await makeUser('security_engineer');
  return { ...scope, actor: { kind: 'user', id, name: 'anna' } as const };
};

describe('a scheduled change', () => {
  it('starts at its time, on behalf of the one who applied it', async () => {
    const time = fakeClock();
    try {
      const policy = await create(targets(100));
      const scheduled_at = new Date(clock.now().getTime() + 3_600_000).toISOString();
      const id = await makeChange([edit(policy)], { scheduled_at });
      await apply(id, await anna());
      for (const seconds of [0, 3_599]) {
        time.advance(seconds);
        await tick();
        expect(await readRow(id)).toMatchObject({ state: 'approved', apply_request: { by: { name: 'anna' } } });
      }
      time.advance(1);
      await tick();
      expect(await readRow(id)).toMatchObject({ state: 'applying', apply_request: null });
      expect((await listSteps(id)).at(-1)).toMatchObject({ to: 'applying', actor_name: 'anna' });
    } finally {
      time.restore();
    }
  });

  it('waits for a maintenance window of its tenant that opens after its time', async () => {
    // A Tuesday.
    const time = fakeClock(new Date('2026-11-24T10:00:00Z'));
    try {
      const { id: tenant_id } = await makeTenant();
      const window = { days: ['wed'], from: '22:00', minutes: 60, time_zone: 'UTC' };
      await lab.sql`update tenants set maintenance_windows = ${lab.sql.json([window])} where id = ${tenant_id}`;
      const item = { ...edit(await create(targets(100))), tenant_id } as ChangeItem;
      const never = await makeChange([item], { within_maintenance: true });
      await expect(apply(never)).rejects.toMatchObject({
        extra: { reason: 'outside_maintenance', next_window_at: '2026-11-25T22:00:00.000Z' },
      });
      const settings = { within_maintenance: true, scheduled_at: '2026-11-25T20:00:00Z' };
      const id = await makeChange([item], settings);
      await apply(id, await anna());
      for (const seconds of [34 * 3600, 2 * 3600 - 1]) {
        time.advance(seconds);
        await tick();
        expect(await readRow(id)).toMatchObject({ state: 'approved', problems: [] });
      }
      time.advance(1);
      await tick();
      expect(await readRow(id)).toMatchObject({ state: 'applying' });
    } finally {
      time.restore();
    }
  });

  it.each([
    ['lacks the permission policy:apply', (id: string) => lab.sql`delete from role_assignments where user_id = ${id}`],
    ['is not an active user', (id: string) => lab.sql`update users set active = false where id = ${id}`],
  ] as const)('stays approved when the one who applied it %s by then', async (why, revoke) => {
    const time = fakeClock();
    try {
      const by = await anna();
      const scheduled_at = new Date(clock.now().getTime() + 60_000).toISOString();
      const id = await makeChange([edit(await create(targets(100)))], { scheduled_at });
      await apply(id, by);
      await revoke(by.actor.id);
      time.advance(60);
      await tick();
      expect(await readRow(id)).toMatchObject({
        ...{ state: 'approved', apply_request: null, rollout: null },
        problems: [{ code: 'not_started', message: expect.stringContaining(why) }],
      });
    } finally {
      time.restore();
    }
  });

  it('stays approved when something no longer holds, and says what', async () => {
    const time = fakeClock();
    try {
      const policy = await create(targets(100));
      const id = await makeChange([edit(policy, { description: 'ours' })], {
        scheduled_at: new Date(clock.now().getTime() + 60_000).toISOString(),
      });
      await apply(id, await anna());
      await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { description: 'theirs' } });
      time.advance(60);
      await tick();
      expect(await readRow(id)).toMatchObject({
        ...{ state: 'approved', apply_request: null, rollout: null },
        problems: [{ code: 'not_started', message: expect.stringContaining(policy.name) }],
      });
      expect(await read(policy)).toMatchObject({ description: 'theirs', version: 2 });
      const actions = (await auditTrail()).filter(({ object_id }) => object_id === id).map(({ action }) => action);
      expect(actions).toEqual(['change.scheduled', 'change.not_started']);
      await tick();
      expect(await readRow(id)).toMatchObject({ state: 'approved' });
    } finally {
      time.restore();
    }
  });
});

type Group = { id: string; name: string; description: string; member_tags: string[]; version: number };

describe('a rollback of groups', () => {
  it('restores content and members', async () => {
    const named = async (name: string, ...vmids: number[]) => {
      const workload_ids = await Promise.all(vmids.map((vmid) => lab.id(vmid)));
      return (await post<Group>('/security-groups', { name, workload_ids })).body;
    };
    const [renamed, regrouped] = [await named('renamed', 100), await named('regrouped', 100, 102)];
    const policy = await create({ definition: { ...targets().definition, targets: ['sg:renamed', 'sg:regrouped'] } });
    await applyPolicy(policy);
    const readGroups = async () => {
      const rows = await lab.sql<{ name: string; members: string }[]>`
        select name, description, member_tags, (select array_agg(workload_id order by workload_id) from security_group_members m
          where m.security_group_id = g.id) as members from security_groups g order by name`;
      return [...rows];
    };
    const before = { live: [100, 102, 105].map(readLive), groups: await readGroups() };
    const owner = { tenant_id: null, project_id: null };
    const content = { name: 'renamed', description: '', member_tags: [], member_tags_match: 'any' as const };
    const moved = await lab.id(105);
    // No guest has the tag: those of the clusters of earlier tests cannot be read any more.
    const after = { ...content, name: 'new name', description: 'new', member_tags: ['elsewhere'] };
    const items = [
      edit(policy, { definition: { ...policy.definition, targets: ['sg:new name', 'sg:regrouped'] } }),
      {
        kind: 'group',
        group_id: renamed.id,
        name: 'renamed',
        ...owner,
        base_version: 1,
        before: { ...content, version: 1 },
        after,
        add: [],
      },
      {
        kind: 'group',
        group_id: newId(),
        name: 'fresh',
        ...owner,
        base_version: null,
        before: null,
        after: { ...content, name: 'fresh' },
        add: [moved],
      },
      {
        kind: 'group_members',
        group_id: regrouped.id,
        name: 'regrouped',
        ...owner,
        base_version: regrouped.version,
        add: [moved],
        remove: [await lab.id(102)],
      },
    ] as ChangeItem[];
    const id = await makeChange(items);
    await apply(id);
    expect(await drive(id)).toBe('awaiting_confirmation');
    expect([100, 102, 105].map((vmid) => policyRuleLines(vmid, policy).length)).toEqual([2, 0, 2]);
    await rollBackChange(scope, id, {});
    expect(await drive(id)).toBe('rolled_back');
    expect({ live: [100, 102, 105].map(readLive), groups: await readGroups() }).toEqual(before);
    expect((await readRow(id)).problems).toEqual([]);
  });
});

describe('a confirmed change', () => {
  it('reverts by a change with the opposite edits of what is stored now', async () => {
    const [edited, deleted] = [await create(targets(100)), await create(targets(102))];
    for (const policy of [edited, deleted]) await applyPolicy(policy);
    const before = [100, 102, 105].map(readLive);
    const fresh = add(edited, { name: 'fresh', ...targets(105) });
    const created = (fresh as { policy_id: string }).policy_id;
    const id = await makeChange([edit(edited, { rules: edited.rules.slice(0, 1) }), remove(deleted), fresh]);
    await apply(id);
    expect(await drive(id)).toBe('awaiting_confirmation');
    await confirmChange(scope, id, {});
    await lab.json(`/policies/${created}`, { method: 'PATCH', body: { description: 'edited since' } });
    const { status, body: draft } = await post<Change>(`/changes/${id}/revert`);
    expect(status).toBe(201);
    expect(draft).toMatchObject({ state: 'draft', reverts: id });
    const byId = new Map(draft.items.map((item) => [listObjectIds(item)[0], item]));
    expect(byId.get(edited.id)).toMatchObject({
      ...{ kind: 'policy', base_version: 2, before: { rules: [{}] } },
      after: { rules: edited.rules },
    });
    expect(byId.get(deleted.id)).toMatchObject({ kind: 'policy', base_version: null, after: { name: deleted.name } });
    expect(byId.get(created)).toMatchObject({
      kind: 'policy_delete',
      base_version: 2,
      before: { description: 'edited since' },
    });
    expect(await get<Change>(`/changes/${id}`)).toMatchObject({ reverted_by: draft.id });
    expect((await post(`/changes/${draft.id}/submit`)).status).toBe(200);
    await apply(draft.id);
    expect(await drive(draft.id)).toBe('awaiting_confirmation');
    expect([100, 102, 105].map(readLive)).toEqual(before);
    await confirmChange(scope, draft.id, {});
    await lab.sql`update changes set reverts = null where id = ${draft.id}`;
    expect(await post(`/changes/${id}/revert`)).toMatchObject({ status: 409, body: { reason: 'nothing_to_revert' } });
  });

  it('has a record that says who did what, with the hashes of the audit chain', async () => {
    await assignAddresses(lab, { 100: '10.77.0.1' });
    const policy = await create(targets(100, 102));
    await applyPolicy(policy);
    const [author, approver, auditor] = [
      await makeUser('security_engineer'),
      await makeUser('security_engineer'),
      await makeUser('super_admin'),
    ];
    const send = <T>(user: { id: string }, path: string, body?: object, method?: string) =>
      requestAs<T>(() => bearer(user), path, body, method);
    await send(auditor, '/settings', { change_approvals_required: 1 }, 'PATCH');
    const ends = { from: ['10.20.22.0/24'], to: [at(100)] };
    await send(auditor, '/policy-tests', {
      name: 'no telnet',
      expect: 'deny',
      protocol: 'tcp',
      ports: ['23'],
      ...ends,
    });
    const content = {
      name: policy.name,
      definition: policy.definition,
      rules: [{ ...RULES[0], destination_ports: ['2222'] }, RULES[1]],
    };
    const { id } = await send<Change>(author, '/changes', {
      ...{ title: 'Move SSH', items: [{ kind: 'policy', policy_id: policy.id, policy: content }] },
      waves: { canaries: { by: 'workloads', workload_ids: [await lab.id(100)] }, pause_seconds: 0 },
    });
    await send(author, `/changes/${id}/submit`, { comment: 'please' });
    await send(approver, `/changes/${id}/approve`, { comment: 'fine' });
    await send(approver, `/changes/${id}/apply`, {});
    expect(await drive(id)).toBe('awaiting_confirmation');
    await send(author, `/changes/${id}/confirm`, { comment: 'works' });
    const record = await send<ChangeRecord>(auditor, `/changes/${id}/record`);
    const people = { [author.id]: 'author', [approver.id]: 'approver' } as Record<string, string>;
    expect(
      record.change.transitions.map(({ to, by, comment }) => [to, people[by.id ?? ''] ?? by.name, comment]),
    ).toEqual([
      ['draft', 'author', ''],
      ['in_review', 'author', 'please'],
      ['approved', 'approver', 'fine'],
      ['applying', 'approver', ''],
      ['awaiting_confirmation', 'change roll-out', ''],
      ['confirmed', 'author', 'works'],
    ]);
    expect(record.change.reviews).toMatchObject([
      { by: { id: approver.id }, decision: 'approve', comment: 'fine', revoked: null },
    ]);
    expect(record.change.items).toMatchObject([{ before: { rules: policy.rules }, after: { rules: content.rules } }]);
    expect(record.differences).toMatchObject([{ policy_id: policy.id, rules: expect.any(Object) }]);
    expect(record.tests).toMatchObject([{ name: 'no telnet', before: 'pass', after: 'pass' }]);
    expect(
      record.workloads.map(({ vmid, results }) => [vmid, results.map(({ wave, status }) => [wave, status])]),
    ).toEqual([
      [100, [[1, 'ok']]],
      [102, [[2, 'ok']]],
    ]);
    for (const { results } of record.workloads) {
      expect(results).toMatchObject([
        { policy_version: 2, started_at: expect.any(String), finished_at: expect.any(String) },
      ]);
      expect(results[0]?.writes).toBeGreaterThan(0);
    }
    const trail = await auditTrail();
    const own = trail.filter(({ object_kind, object_id }) => object_kind === 'change' && object_id === id);
    expect(record.audit?.records.map(({ seq, action, hash }) => ({ seq, action, hash }))).toEqual(
      own.map(({ seq, action, hash }) => ({ seq, action, hash })),
    );
    expect(own.map(({ action }) => action)).toEqual([
      'change.created',
      ...['change.in_review', 'change.approved', 'change.applying', 'change.awaiting_confirmation', 'change.confirmed'],
    ]);
    const last = trail.at(-1);
    expect(record.audit?.head).toEqual({ seq: last?.seq, hash: last?.hash });
  });
});
