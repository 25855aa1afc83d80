import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { clock } from '../lib/clock';
import { queueBackend } from './backend';
import { JOBS } from './definitions';
import { closeQueues, getQueue } from './queues';
import { ensureSchedules, isTooFarAhead } from './schedules';

const realNow = clock.now;
const scheduled = Object.values(JOBS).filter((job) => job.everyMs);
const prune = JOBS['maintenance.prune'];
const HOUR = 3_600_000;

describe('ensureSchedules', () => {
  beforeAll(() => queueBackend.prepare());
  afterAll(() => closeQueues());
  afterEach(() => {
    clock.now = realNow;
    prune.everyMs = HOUR;
  });

  it('writes every schedule once', async () => {
    expect(await ensureSchedules()).toEqual(scheduled.map((job) => job.name));
    expect(await ensureSchedules()).toEqual([]);
  });

  it('rewrites a schedule whose interval changed', async () => {
    prune.everyMs = 2 * HOUR;
    expect(await ensureSchedules()).toEqual([prune.name]);
    expect(await getQueue(prune.name).getJobScheduler(prune.name)).toMatchObject({ every: 2 * HOUR });
    prune.everyMs = HOUR;
    expect(await ensureSchedules()).toEqual([prune.name]);
  });

  it('rewrites a schedule that is overdue by a whole interval: the job that leads to it was lost', async () => {
    const { next = 0 } = (await getQueue(prune.name).getJobScheduler(prune.name)) ?? {};
    clock.now = () => new Date(next + HOUR / 2);
    expect(await ensureSchedules()).not.toContain(prune.name);
    clock.now = () => new Date(next + HOUR);
    expect(await ensureSchedules()).toContain(prune.name);
  });

  it('rewrites a schedule that a clock planned which was put back since', async () => {
    const queue = getQueue(prune.name);
    await queue.removeJobScheduler(prune.name);
    const ahead = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 30 * 24 * HOUR);
    await queue.upsertJobScheduler(prune.name, { every: HOUR }, { name: prune.name, data: {} });
    ahead.mockRestore();
    const readNext = async () => (await queue.getJobScheduler(prune.name))?.next ?? 0;
    expect(await readNext()).toBeGreaterThan(Date.now() + 29 * 24 * HOUR);
    expect(isTooFarAhead(await readNext(), HOUR, Date.now())).toBe(true);
    expect(await ensureSchedules()).toEqual([prune.name]);
    expect(await readNext()).toBeLessThanOrEqual(Date.now() + HOUR);
    expect(await ensureSchedules()).toEqual([]);
  });
});
