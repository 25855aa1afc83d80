import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { Policy } from '@/domain/policies';
import {
  create,
  get,
  lab,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { clock as serverClock } from '@/server/lib/clock';
import { auditTrail } from '@/test/audit-trail';
import { fakeClock } from '@/test/fake-clock';
import { advanceChange } from './advance-change';
import { confirmChange, continueChange } from './decide-change';
import { scheduleChanges } from './start-scheduled';
import {
  apply,
  drive,
  edit,
  listSteps,
  makeChange,
  readLive,
  readRow,
  scope,
  targets,
} from './testing/rollout-lab.fixture';

prepareDeploymentLab();

let clock: ReturnType<typeof fakeClock>;
beforeEach(() => {
  clock = fakeClock();
});
afterEach(() => clock.restore());

const second = (policy: Policy) => ({ rules: policy.rules.slice(0, 1) });
const canary = async (vmid: number) => ({ by: 'workloads' as const, workload_ids: [await lab.id(vmid)] });

describe('the timer of a change', () => {
  /** Changes that wait before their last write: one workload is locked by a backup, or the canaries are written. */
  const waits = [
    [
      'after a failure',
      async () => ({}),
      (locked: boolean) => lab.control.lockGuest(110, locked ? 'backup' : undefined),
      'failed',
    ],
    [
      'after its canaries',
      async () => ({ waves: { canaries: await canary(100), pause_seconds: null } }),
      () => undefined,
      'applying',
    ],
  ] as const;
  const WEEK = 7 * 86_400;
  const listTimed = async () =>
    (await get<{ items: Change[] }>('/changes?timer=running&limit=200')).items.map(({ id }) => id);

  it.each(waits)('rolls a change back that waits %s', async (_, settings, lock, state) => {
    const policy = await create(targets(100, 110));
    const before = [100, 110].map(readLive);
    const id = await makeChange([edit(policy)], await settings());
    await apply(id);
    lock(true);
    expect(await drive(id)).toBe(state);
    expect(await get(`/changes/${id}`)).toMatchObject({
      confirm_until: new Date(serverClock.now().getTime() + 600_000).toISOString(),
      actions: expect.arrayContaining(['continue', 'confirm', 'roll_back']),
    });
    expect(await listTimed()).toContain(id);
    clock.advance(599);
    expect(await drive(id)).toBe(state);
    clock.advance(1);
    await scheduleChanges(new AbortController().signal);
    expect(await readRow(id)).toMatchObject({ state: 'rolling_back', confirm_until: null });
    lock(false);
    clock.advance(300);
    expect(await drive(id)).toBe('rolled_back');
    expect([100, 110].map(readLive)).toEqual(before);
    expect((await listSteps(id)).map(({ comment }) => comment)).toContain('It was not confirmed in time.');
    expect(await listTimed()).not.toContain(id);
  });

  it.each(waits)('ends with a confirmation while the change waits %s', async (_, settings, lock, state) => {
    const policy = await create(targets(100, 110));
    const id = await makeChange([edit(policy)], await settings());
    await apply(id);
    lock(true);
    expect(await drive(id)).toBe(state);
    await confirmChange(scope, id, { comment: 'still reachable' });
    clock.advance(WEEK);
    await scheduleChanges(new AbortController().signal);
    expect(await drive(id)).toBe(state);
    const stopped = (await auditTrail()).filter(
      ({ action, object_id }) => action === 'change.timer_stopped' && object_id === id,
    );
    expect(stopped).toMatchObject([{ after: { reason: 'still reachable' } }]);
    await expect(confirmChange(scope, id, {})).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/, so you cannot confirm it now\. Reload it\.$/),
    });
    lock(false);
    await continueChange(scope, id, {});
    expect(await drive(id)).toBe('awaiting_confirmation');
    await confirmChange(scope, id, {});
    expect(await readRow(id)).toMatchObject({ state: 'confirmed', confirm_until: null });
  });

  it.each(waits)('starts again when a change is continued that waits %s', async (_, settings, lock, state) => {
    const policy = await create(targets(100, 110));
    const id = await makeChange([edit(policy)], await settings());
    await apply(id);
    lock(true);
    expect(await drive(id)).toBe(state);
    clock.advance(500);
    await continueChange(scope, id, {});
    // Not while it is written.
    expect(await readRow(id)).toMatchObject({ state: 'applying', confirm_until: null });
    expect(await drive(id)).toBe('awaiting_confirmation');
    clock.advance(599);
    expect(await drive(id)).toBe('awaiting_confirmation');
    clock.advance(1);
    await advanceChange(id);
    expect(await readRow(id)).toMatchObject({ state: 'rolling_back' });
  });

  it('does not run in a pause that ends by itself, nor where the change has none', async () => {
    const waves = { canaries: await canary(100), pause_seconds: 3600 };
    const paused = await makeChange([edit(await create(targets(100, 102)))], { waves });
    const untimed = await makeChange([edit(await create(targets(105, 110)))], { confirm_within_seconds: 0 });
    await apply(paused);
    await apply(untimed);
    lab.control.lockGuest(110, 'backup');
    expect([await drive(paused), await drive(untimed)]).toEqual(['applying', 'failed']);
    for (const id of [paused, untimed]) expect(await readRow(id)).toMatchObject({ confirm_until: null });
    clock.advance(3_600);
    expect([await drive(paused), await drive(untimed)]).toEqual(['awaiting_confirmation', 'failed']);
  });

  it('rolls back in time when the clock was ahead and is put back', async () => {
    const policy = await create(targets(100, 102));
    const waves = { canaries: await canary(100), pause_seconds: 60 };
    clock.advance(30 * 86_400);
    const id = await makeChange([edit(policy, second(policy))], { waves });
    await apply(id);
    expect(await drive(id)).toBe('applying');
    clock.advance(-30 * 86_400);
    expect(await drive(id)).toBe('applying');
    clock.advance(30 * 86_400 + 60);
    expect(await drive(id)).toBe('awaiting_confirmation');
    clock.advance(-30 * 86_400);
    expect(await drive(id)).toBe('awaiting_confirmation');
    clock.advance(600);
    expect(await drive(id)).toBe('rolled_back');
  });
});
