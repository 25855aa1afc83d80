import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { ChangeItem } from '@/domain/change/items';
import type { Policy } from '@/domain/policies';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { db } from '@/server/db/client';
import { roleAssignments } from '@/server/db/schema/access';
import { requestAs } from '@/server/enforcement/deployments/removal/moves.fixture';
import {
  apply as applyPolicy,
  at,
  create,
  get,
  lab,
  post,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import * as newlyBlocked from '@/server/enforcement/impact/newly-blocked';
import { runImpact } from '@/server/enforcement/impact/run-impact';
import { assignAddresses } from '@/server/enforcement/policy-tests/testing/addresses.fixture';
import { deleteOldImpacts, findImpact } from '@/server/enforcement/queries/impacts';
import { clock } from '@/server/lib/clock';
import { bearer, grantRole, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { startRollout } from './apply-change';
import * as checks from './apply-checks';
import { scheduleChanges, startScheduledChanges } from './start-scheduled';
import { apply, edit, makeChange, readRow, scope, targets } from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const MINUTE = 60;
async function tick(): Promise<void> {
  const { signal } = new AbortController();
  await startScheduledChanges(signal);
  await scheduleChanges(signal);
}
let time: ReturnType<typeof fakeClock>;
beforeEach(() => {
  time = fakeClock();
});
afterEach(() => time.restore());

const someone = async (role: 'security_engineer' | 'super_admin' = 'security_engineer') => {
  const { id } = await makeUser(role);
  return { ...scope, actor: { kind: 'user', id, name: 'anna' } as const };
};

/** An approved change that is applied, and waits for its time. */
async function makeWaiting(items: ChangeItem[], reason?: string): Promise<string> {
  const scheduled_at = new Date(clock.now().getTime() + MINUTE * 1000).toISOString();
  const id = await makeChange(items, { scheduled_at });
  await apply(id, await someone(reason === undefined ? 'security_engineer' : 'super_admin'), reason);
  return id;
}

const send = async (id: string, name: string) => {
  const answer = await post<Change>(`/changes/${id}/${name}`, {});
  expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBe(200);
};
const patch = async (id: string, body: object) => {
  const answer = await lab.json(`/changes/${id}`, { method: 'PATCH', body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
};
const requireApprovals = async (change_approvals_required: number) => {
  const root = await makeUser('super_admin');
  await requestAs(() => bearer(root), '/settings', { change_approvals_required }, 'PATCH');
};

const AWAY = [
  ['an edit of its settings', (id: string) => patch(id, { title: 'another title' })],
  [
    'a withdrawal',
    async (id: string) => {
      await send(id, 'withdraw');
      await patch(id, { title: 'another title' });
    },
  ],
] as const;

describe('the request to apply a scheduled change', () => {
  it.each(AWAY)('ends with %s: approved again, the change waits to be applied', async (_what, leave) => {
    const id = await makeWaiting([edit(await create(targets(100)))]);
    await leave(id);
    await send(id, 'submit');
    expect(await readRow(id)).toMatchObject({ state: 'approved' });
    time.advance(MINUTE);
    await tick();
    expect(await readRow(id)).toMatchObject({ state: 'approved', apply_request: null, rollout: null });
  });

  it('waits apart from what advances other changes, and starts only as it was made', async () => {
    const id = await makeWaiting([edit(await create(targets(100)))]);
    time.advance(MINUTE);
    await scheduleChanges(new AbortController().signal);
    const row = await readRow(id);
    expect(row.state).toBe('approved');
    const { apply_request: request } = row;
    if (!request) throw new Error('expected a request');
    const { compiled, fingerprints } = await checks.compileToApply(row, undefined);
    const accepted = { ...request, break_glass: null, fingerprints };
    const former = new Date(Date.parse(request.at) - 1).toISOString();
    const late = startRollout(scope, id, row.version, compiled, accepted, former);
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    expect(await readRow(id)).toMatchObject({ state: 'approved', apply_request: request });
    await tick();
    expect(await readRow(id)).toMatchObject({ state: 'applying' });
  });

  it('ends with the loss of an approval: approved again, the change waits to be applied', async () => {
    const id = await makeWaiting([edit(await create(targets(100)))]);
    await requireApprovals(1);
    expect(await get<Change>(`/changes/${id}`)).toMatchObject({ state: 'in_review' });
    await send(id, 'approve');
    await requireApprovals(0);
    time.advance(MINUTE);
    await tick();
    expect(await readRow(id)).toMatchObject({ state: 'approved', apply_request: null, rollout: null });
  });

  it('returns a version conflict when the change is edited and approved again while it is checked', async () => {
    const id = await makeChange([edit(await create(targets(100)))], {
      scheduled_at: new Date(clock.now().getTime() + MINUTE * 1000).toISOString(),
    });
    const { findStart } = checks;
    vi.spyOn(checks, 'findStart').mockImplementationOnce(async (change) => {
      await patch(id, { title: 'another title' });
      await send(id, 'submit');
      return findStart(change);
    });
    await expect(apply(id, await someone())).rejects.toMatchObject({ code: 'version_conflict' });
    expect(await readRow(id)).toMatchObject({ state: 'approved', apply_request: null });
  });

  it('stays when an earlier one, that it replaced while it was checked, is not started', async () => {
    const id = await makeWaiting([edit(await create(targets(100)))]);
    time.advance(MINUTE);
    vi.spyOn(checks, 'checkScheduled').mockImplementationOnce(async () => {
      await patch(id, {
        title: 'another title',
        scheduled_at: new Date(clock.now().getTime() + 3_600_000).toISOString(),
      });
      await send(id, 'submit');
      await apply(id, await someone());
    });
    await tick();
    expect(await readRow(id)).toMatchObject({
      state: 'approved',
      apply_request: { at: expect.any(String) },
      problems: [],
    });
  });
});

describe('what was accepted of a scheduled change', () => {
  /** They may apply changes from now on, and override no test. */
  const replaceRole = async (id: string) => {
    await db.delete(roleAssignments).where(eq(roleAssignments.user_id, id));
    await grantRole({ id }, 'security_engineer');
  };
  const dropAll = ({ rules }: Policy) => ({ rules: rules.map((rule) => ({ ...rule, action: 'drop' as const })) });

  it.each([
    ['is enough for the tests that were overridden', [], 'applying'],
    ['does not cover a test that was added since', ['new'], 'approved'],
    ['does not cover a test that was edited since', ['known'], 'approved'],
    ['does not cover a test that its user may not override any more', ['role'], 'approved'],
  ] as const)('%s', async (what, later, state) => {
    const ends = ['enough', 'added', 'edited', 'any more'].findIndex((word) => what.includes(word));
    await assignAddresses(lab, { 100: `10.77.0.${ends + 3}` });
    const policy = await create(targets(100));
    await applyPolicy(policy);
    await lab.fresh(policy.id);
    const test = { expect: 'allow', protocol: 'tcp', ports: ['22'], from: ['10.20.22.0/24'], to: [at(100)] };
    const add = async (name: string) => {
      const answer = await lab.json('/policy-tests', { body: { ...test, name: `${name} ${what}` } });
      expect(answer).toMatchObject({ status: 201, body: { result: 'pass' } });
      return answer.body as PolicyTest;
    };
    const known = await add('known');
    const id = await makeWaiting([edit(policy, dropAll(policy))], 'needed');
    expect((await readRow(id)).apply_request?.overridden_tests).toHaveLength(1);
    for (const name of later) {
      if (name === 'new') await add(name);
      else if (name === 'role') await replaceRole((await readRow(id)).apply_request?.by.id ?? '');
      else {
        const body = { version: known.version, from: ['10.20.22.0/25'] };
        expect(await lab.json(`/policy-tests/${known.id}`, { method: 'PATCH', body })).toMatchObject({ status: 200 });
      }
    }
    time.advance(MINUTE);
    await tick();
    const message = expect.stringMatching(/Policy tests would fail|requires the permission policy_test:override/);
    expect(await readRow(id)).toMatchObject({
      state,
      problems: state === 'applying' ? [] : [{ code: 'not_started', message }],
    });
  });

  it.each([
    ['is enough for the conversations of the impact', 0, 'applying'],
    ['does not cover conversations that it would block in addition by now', 1, 'approved'],
  ] as const)('%s', async (_what, appeared, state) => {
    const policy = await create(targets(100));
    await applyPolicy(policy);
    const scheduled_at = new Date(clock.now().getTime() + MINUTE * 1000).toISOString();
    const id = await makeChange([edit(policy, dropAll(policy))], { scheduled_at });
    const impact = await get<{ id: string }>(`/changes/${id}/impact`);
    await runImpact(impact.id, { signal: new AbortController().signal });
    const body = { impact_id: impact.id, acknowledge_newly_blocked: 0 };
    expect(await post(`/changes/${id}/apply`, body)).toMatchObject({ status: 202 });
    expect(await readRow(id)).toMatchObject({ state: 'approved', apply_request: { impact_id: impact.id } });
    // An acknowledged impact is kept until the change starts.
    await deleteOldImpacts(db, '2999-01-01T00:00:00Z');
    vi.spyOn(newlyBlocked, 'findNewlyBlockedSince').mockResolvedValueOnce(Array(appeared));
    time.advance(MINUTE);
    await tick();
    const message = expect.stringContaining('one conversation');
    expect(await readRow(id)).toMatchObject({
      state,
      problems: state === 'applying' ? [] : [{ code: 'not_started', message }],
    });
    // That of a change that was applied is kept; the other request has ended.
    await deleteOldImpacts(db, '2999-01-01T00:00:00Z');
    expect((await findImpact(db, impact.id)) !== null).toBe(state === 'applying');
  });
});
