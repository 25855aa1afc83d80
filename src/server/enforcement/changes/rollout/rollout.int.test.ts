import { describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { ChangeDifference } from '@/domain/change/difference';
import type { Policy } from '@/domain/policies';
import {
  apply as applyPolicy,
  create,
  get,
  lab,
  lines,
  policyRuleLines,
  post,
  prepareDeploymentLab,
  run,
  unmanagedRuleLines,
  waiting,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { observeCluster } from '@/server/enforcement/guest-firewall/observe';
import { auditTrail } from '@/test/audit-trail';
import { fakeClock } from '@/test/fake-clock';
import { advanceChange } from './advance-change';
import { confirmChange, continueChange, rollBackChange } from './decide-change';
import { scheduleChanges } from './start-scheduled';
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
  unreachable,
} from './testing/rollout-lab.fixture';

prepareDeploymentLab();

const second = (policy: Policy) => ({ rules: policy.rules.slice(0, 1) });
const canary = async (vmid: number) => ({ by: 'workloads' as const, workload_ids: [await lab.id(vmid)] });
describe('a change', () => {
  it('waits after its canaries and for its confirmation, and is then kept', async () => {
    const policy = await create(targets(100, 102));
    await applyPolicy(policy);
    const extra = add(policy, { name: 'extra', ...targets(102) });
    const waves = { canaries: await canary(100), pause_seconds: null };
    const id = await makeChange([edit(policy, second(policy)), extra], { waves });
    await apply(id);
    expect(await readRow(id)).toMatchObject({ state: 'applying', applied_at: expect.any(String) });
    expect(policyRuleLines(100, policy)).toHaveLength(2);
    expect(await drive(id)).toBe('applying');
    expect([100, 102].map((vmid) => policyRuleLines(vmid, policy).length)).toEqual([1, 2]);
    // Nothing else writes to what is being rolled out.
    for (const [path, method] of [
      [`/policies/${policy.id}/apply`, 'POST'],
      [`/policies/${policy.id}/reconcile`, 'POST'],
      [`/policies/${policy.id}`, 'DELETE'],
    ] as const) {
      const answer = await lab.json(path, { method });
      expect([path, answer.status, answer.body]).toMatchObject([path, 409, { reason: 'change_in_progress' }]);
    }
    const readPaused = async () => (await get<Change>(`/changes/${id}`)).paused;
    expect(await readPaused()).toBe(true);
    await continueChange(scope, id, {});
    expect(await drive(id)).toBe('awaiting_confirmation');
    expect(await readPaused()).toBe(false);
    expect(policyRuleLines(102, policy)).toHaveLength(1);
    expect(lines(102).filter((line) => line.includes('policy_id' in extra ? extra.policy_id : ''))).toHaveLength(2);
    expect(await readRow(id)).toMatchObject({ written_at: expect.any(String), confirm_until: expect.any(String) });
    await confirmChange(scope, id, {});
    expect((await listSteps(id)).map(({ to }) => to)).toEqual(['applying', 'awaiting_confirmation', 'confirmed']);
    expect(await post(`/policies/${policy.id}/apply`)).toMatchObject({ status: 202 });
  });

  it('returns to exactly what was before when no one confirms it in time', async () => {
    const clock = fakeClock();
    try {
      const [kept, deleted] = [await create(targets(100, 102)), await create(targets(100))];
      await applyPolicy(kept);
      await applyPolicy(deleted);
      const fresh = add(kept, { name: 'fresh', ...targets(105) });
      const before = [100, 102, 105].map(readLive);
      const id = await makeChange([edit(kept, second(kept)), remove(deleted), fresh]);
      await apply(id);
      expect(await drive(id)).toBe('awaiting_confirmation');
      expect(policyRuleLines(100, deleted)).toEqual([]);
      expect(lines(105).join()).toContain('[fabric ');
      clock.advance(599);
      expect(await drive(id)).toBe('awaiting_confirmation');
      clock.advance(1);
      await advanceChange(id);
      expect(await readRow(id)).toMatchObject({ state: 'rolling_back' });
      expect(await drive(id)).toBe('rolled_back');
      expect([100, 102, 105].map(readLive)).toEqual(before);
      expect(await get(`/policies/${kept.id}`)).toMatchObject({ version: 3, rules: kept.rules });
      expect(await get(`/policies/${deleted.id}`)).toMatchObject({
        version: 2,
        name: deleted.name,
        rules: deleted.rules,
      });
      expect(await lab.json(`/policies/${'policy_id' in fresh ? fresh.policy_id : ''}`)).toMatchObject({ status: 404 });
      expect(await readRow(id)).toMatchObject({ problems: [], finished_at: expect.any(String) });
    } finally {
      clock.restore();
    }
  });

  it('returns in time although another one cannot be advanced', async () => {
    const clock = fakeClock();
    try {
      const [broken, sound] = [
        await makeChange([edit(await create(targets(100)))]),
        await makeChange([edit(await create(targets(102)))]),
      ];
      for (const id of [broken, sound]) {
        await apply(id);
        expect(await drive(id)).toBe('awaiting_confirmation');
      }
      await lab.sql`update changes set rollout = '{"policies": 5}' where id = ${broken}`;
      clock.advance(600);
      await expect(scheduleChanges(new AbortController().signal)).rejects.toThrow('some changes cannot be advanced');
      expect(await readRow(broken)).toMatchObject({ state: 'awaiting_confirmation' });
      expect(await readRow(sound)).toMatchObject({ state: 'rolling_back' });
      expect(await drive(sound)).toBe('rolled_back');
      await lab.sql`delete from changes where id = ${broken}`;
    } finally {
      clock.restore();
    }
  });

  it('shows before it is applied what it then writes: rules and switches of each workload', async () => {
    const policy = await create(targets(105));
    const id = await makeChange([edit(policy)]);
    await observeCluster(lab.cluster.id, new AbortController().signal);
    const body = await get<ChangeDifference>(`/changes/${id}/difference`);
    expect(body).toMatchObject({ workloads: [{ vmid: 105 }], unreadable: [], hidden_workloads: 0 });
    const [shown] = body.workloads;
    const before = readLive(105);
    await apply(id);
    expect(await drive(id)).toBe('awaiting_confirmation');
    expect(policyRuleLines(105, policy)).toHaveLength(shown?.changes.added.length ?? 0);
    const results = await lab.sql<{ switches: object[] }[]>`select g.switches from deployment_guests g
      join deployments d on d.id = g.deployment_id where d.change_id = ${id}`;
    expect(shown?.option_changes).toEqual(results[0]?.switches);
    expect(shown?.option_changes.length).toBeGreaterThan(0);
    expect(readLive(105)).not.toEqual(before);
    expect(await lab.json(`/changes/${id}/difference`)).toMatchObject({ status: 409, body: { reason: 'wrong_state' } });
    await rollBackChange(scope, id, {});
    expect(await drive(id)).toBe('rolled_back');
  });

  it('leaves a policy disabled of which no rules were live before', async () => {
    const policy = await create(targets(100));
    const before = readLive(100);
    const id = await makeChange([edit(policy)]);
    await apply(id);
    expect(await drive(id)).toBe('awaiting_confirmation');
    await rollBackChange(scope, id, {});
    expect(await drive(id)).toBe('rolled_back');
    expect(readLive(100)).toEqual(before);
    expect(await get(`/policies/${policy.id}`)).toMatchObject({ enabled: false, rules: policy.rules });
  });

  it('returns both contents when someone else stored a newer version', async () => {
    const policy = await create(targets(100));
    const id = await makeChange([edit(policy, { description: 'ours' })]);
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { description: 'theirs' } });
    await expect(apply(id)).rejects.toMatchObject({
      code: 'version_conflict',
      extra: {
        conflicts: [
          { base_version: 1, version: 2, current: { description: 'theirs' }, change: { description: 'ours' } },
        ],
      },
    });
    expect(await readRow(id)).toMatchObject({ state: 'approved', rollout: null });
  });

  it.each([
    ['stop', 'failed'],
    ['continue', 'awaiting_confirmation'],
    ['rollback', 'rolled_back'],
  ] as const)('follows its setting when a workload fails: %s', async (on_failure, end) => {
    const policy = await create(targets(100, 102));
    await applyPolicy(policy);
    const before = [100, 102].map(readLive);
    const id = await makeChange([edit(policy, second(policy))], {
      waves: { canaries: await canary(100), pause_seconds: 0 },
      on_failure,
    });
    await apply(id);
    expect(await drive(id, unreachable(100))).toBe(end === 'rolled_back' ? 'rolling_back' : end);
    const { problems } = await readRow(id);
    expect(problems[0]).toMatchObject({ code: 'workloads_failed', message: expect.stringContaining('(100)') });
    if (end === 'failed') {
      expect(policyRuleLines(102, policy)).toHaveLength(2);
      const body = { description: 'not now' };
      expect(await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body })).toMatchObject({
        status: 409,
        body: {
          ...{ reason: 'change_in_progress', change_id: id },
          detail: expect.stringContaining('Continue the change or roll it back'),
        },
      });
      await continueChange(scope, id, {});
      expect(await drive(id)).toBe('awaiting_confirmation');
      expect([100, 102].map((vmid) => policyRuleLines(vmid, policy).length)).toEqual([1, 1]);
    }
    if (end === 'rolled_back') expect([100, 102].map(readLive)).toEqual(before);
  });
});

describe('a confirmed change that deletes a policy', () => {
  it('also removes its rules from a clone that was not read when it was applied, and names one that is not in the inventory', async () => {
    const policy = await create(targets(100));
    await applyPolicy(policy);
    await observeCluster(lab.cluster.id, new AbortController().signal);
    lab.control.cloneGuest(100, 190, 'clone');
    await lab.settle();
    await lab.sync();
    lab.control.cloneGuest(100, 191, 'newer-clone');
    const id = await makeChange([remove(policy)]);
    await apply(id);
    expect(await drive(id)).toBe('awaiting_confirmation');
    // A rollback restores only what was written until now.
    expect([100, 190].map((vmid) => policyRuleLines(vmid, policy).length)).toEqual([0, 2]);
    await confirmChange(scope, id, {});
    const [search = '', ...others] = await waiting(policy);
    expect(others).toEqual([]);
    await run(search);
    expect(policyRuleLines(190, policy)).toEqual([]);
    expect(await get(`/deployments/${search}`)).toMatchObject({
      ...{ kind: 'cleanup', trigger: 'deleted' },
      problems: [{ code: 'not_in_inventory', message: expect.stringContaining('191') }],
    });
  });
});

describe('a rollback', () => {
  it('keeps trying while a node does not answer, and says so', async () => {
    const clock = fakeClock();
    try {
      const policy = await create(targets(100, 102));
      await applyPolicy(policy);
      const before = [100, 102].map(readLive);
      const id = await makeChange([edit(policy, second(policy))]);
      await apply(id);
      await drive(id);
      await rollBackChange(scope, id, {});
      for (let tries = 1; tries <= 12; tries++) {
        expect(await drive(id, unreachable(102))).toBe('rolling_back');
        const { rollout, problems } = await readRow(id);
        expect(rollout).toMatchObject({ tries, retry_at: expect.any(String) });
        expect(problems).toMatchObject([{ code: 'rollback_waiting', message: expect.stringContaining('(102)') }]);
        clock.advance(301);
      }
      // Said once, however often it is tried.
      const waiting = async () =>
        (await auditTrail()).filter((one) => one.object_id === id && one.action === 'change.rollback_waiting');
      expect(await waiting()).toMatchObject([{ after: { reason: expect.stringContaining('(102)') } }]);
      expect(readLive(100)).toEqual(before[0]);
      expect(readLive(102)).not.toEqual(before[1]);
      expect(await drive(id)).toBe('rolled_back');
      expect(readLive(102)).toEqual(before[1]);
      expect(await readRow(id)).toMatchObject({ problems: [] });
    } finally {
      clock.restore();
    }
  });

  it('leaves switches on which an edit of someone else depends, and says that it is incomplete', async () => {
    const policy = await create(targets(105));
    const fresh = add(policy, { name: 'only here' });
    const id = await makeChange([fresh, remove(policy)]);
    await apply(id);
    await drive(id);
    lab.control.firewall.insertRule(105, 'IN DROP -p tcp -dport 2222 -log nolog # by hand', 0);
    const on = readLive(105);
    await rollBackChange(scope, id, {});
    expect(await drive(id)).toBe('rolled_back');
    expect(unmanagedRuleLines(105).join()).toContain('2222');
    expect(lines(105).join()).not.toContain('[fabric ');
    expect(readLive(105).flags).toEqual(on.flags);
    const [problem, ...others] = (await readRow(id)).problems;
    expect([problem?.code, others]).toEqual(['rollback_incomplete', []]);
    expect((await listSteps(id)).at(-1)).toMatchObject({ to: 'rolled_back', comment: problem?.message });
    const ended = (await auditTrail()).filter(
      ({ action, object_id }) => action === 'change.rolled_back' && object_id === id,
    );
    expect(ended).toMatchObject([{ after: { reason: problem?.message } }]);
  });
});
