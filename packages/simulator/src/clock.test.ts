import { describe, expect, it } from 'vitest';
import { createSimClock } from './clock';

describe('a stopped clock', () => {
  it('advances only on request, waking sleepers in order, those they start included', async () => {
    const clock = createSimClock({ timeScale: 0, startAt: 1000 });
    const woken: [string, number][] = [];
    void clock.sleep(300).then(() => woken.push(['late', clock.now()]));
    void clock.sleep(100).then(async () => {
      woken.push(['early', clock.now()]);
      await clock.sleep(50);
      woken.push(['nested', clock.now()]);
    });
    expect(clock.now()).toBe(1000);
    await clock.advance(200);
    expect(woken).toEqual([
      ['early', 1100],
      ['nested', 1150],
    ]);
    expect(clock.now()).toBe(1200);
    await clock.advance(100);
    expect(woken.at(-1)).toEqual(['late', 1300]);
  });

  it('forgets cancelled waits and lets everything go when stopped', async () => {
    const clock = createSimClock({ timeScale: 0 });
    let rang = false;
    clock.schedule(10, () => {
      rang = true;
    })();
    await clock.advance(20);
    expect(rang).toBe(false);
    const forever = clock.sleep(1e9);
    clock.stop();
    await forever;
  });
});

describe('a clock that runs fast', () => {
  it('sleeps virtual time', async () => {
    const clock = createSimClock({ timeScale: 1000 });
    const before = clock.now();
    const real = performance.now();
    await clock.sleep(5000);
    expect(clock.now() - before).toBeGreaterThanOrEqual(5000);
    expect(performance.now() - real).toBeLessThan(1000);
    clock.stop();
  });
});
