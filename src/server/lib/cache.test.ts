import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { cache, cacheStats, objectCache, sharedValue } from './cache';
import { metricsText } from './metrics';
import { forgetProcessState } from './process-state';

const findStats = (name: string) => cacheStats().find((one) => one.name === name);
const byVersion = cache<Promise<string>, number>({
  name: 'test_versions',
  maxEntries: 3,
  isFresh: (kept, asked) => kept >= asked,
});
const bySize = cache<string>({ name: 'test_sizes', maxBytes: 10, bytesOf: (value) => value.length });
const isPast = (kept: number, now: number) => now - kept >= 3;
const brief = { maxEntries: 5, isFresh: (kept: number, now: number) => !isPast(kept, now) };
const kept = cache<number, number>({ name: 'test_kept', ...brief });
const leaving = cache<number, number>({ name: 'test_leaving', ...brief, isOver: isPast });
const failing = cache<Promise<string>>({ name: 'test_failures', keepsFailures: true });
const byObject = objectCache<object, number, number>({
  name: 'test_objects',
  isFresh: (kept, asked) => kept === asked,
});

beforeEach(forgetProcessState);

describe('a cache by text', () => {
  const counting = () => {
    const loads: string[] = [];
    const load = (key: string, version: number) =>
      byVersion.load(key, version, async () => {
        loads.push(`${key} ${version}`);
        return `${key} ${version}`;
      });
    return { loads, load };
  };

  it('forgets what is over with the next entry, and nothing else', () => {
    const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), pause: fc.nat(4) }), { minLength: 1 });
    fc.assert(
      fc.property(steps, (asked) => {
        forgetProcessState();
        let now = 0;
        for (const { key, pause } of asked) {
          now += pause;
          // What was loaded at a time is that time: both caches answer the same.
          expect(leaving.load(key, now, () => now)).toBe(kept.load(key, now, () => now));
        }
        const { hits, misses } = findStats('test_kept') ?? {};
        expect(findStats('test_leaving')).toMatchObject({ hits, misses });
        leaving.load('later', now + 3, () => now);
        expect(findStats('test_leaving')?.entries).toBe(1);
      }),
    );
  });

  it('loads once for each version, however many ask at the same time, and answers an older reader with the newer value', async () => {
    const { loads, load } = counting();
    await Promise.all([load('hour', 1), load('hour', 1), load('day', 1)]);
    expect(await load('hour', 2)).toBe('hour 2');
    expect(await load('hour', 1)).toBe('hour 2');
    expect(loads).toEqual(['hour 1', 'day 1', 'hour 2']);
    expect(findStats('test_versions')).toEqual({ name: 'test_versions', entries: 2, bytes: null, hits: 2, misses: 3 });
  });

  it('loads again what failed, unless it keeps failures', async () => {
    const fail = () => Promise.reject(new Error('no database'));
    await expect(byVersion.load('hour', 1, fail)).rejects.toThrow('no database');
    expect(await counting().load('hour', 1)).toBe('hour 1');
    await expect(failing.load('hour', null, fail)).rejects.toThrow('no database');
    await expect(failing.load('hour', null, async () => 'never loaded')).rejects.toThrow('no database');
  });

  it('holds what was used last, as a plain model says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 5 }), { maxLength: 40 }), async (keys) => {
        forgetProcessState();
        const { loads, load } = counting();
        const model: number[] = [];
        let expected = 0;
        for (const key of keys) {
          const at = model.indexOf(key);
          if (at === -1) expected += 1;
          else model.splice(at, 1);
          model.push(key);
          if (model.length > 3) model.shift();
          await load(String(key), 1);
        }
        expect(loads).toHaveLength(expected);
        expect(findStats('test_versions')).toMatchObject({ entries: model.length, misses: expected });
      }),
    );
  });

  it('stays within its size, and keeps a single entry that is larger', () => {
    bySize.load('a', null, () => 'four');
    bySize.load('b', null, () => 'four');
    bySize.load('c', null, () => 'four');
    expect(findStats('test_sizes')).toMatchObject({ entries: 2, bytes: 8 });
    expect([bySize.peek('a', null), bySize.peek('b', null)]).toEqual([undefined, 'four']);
    bySize.load('d', null, () => 'more than ten');
    expect(findStats('test_sizes')).toMatchObject({ entries: 1, bytes: 13 });
    bySize.clear();
    expect(findStats('test_sizes')).toMatchObject({ entries: 0, bytes: 0 });
  });
});

it('a cache by object loads once for each object and seal', () => {
  const [one, other] = [{}, {}];
  expect(byObject.load(one, 1, () => 10)).toBe(10);
  expect(byObject.load(one, 1, () => 11)).toBe(10);
  expect(byObject.load(one, 2, () => 12)).toBe(12);
  expect(byObject.load(other, 2, () => 20)).toBe(20);
  expect(findStats('test_objects')).toMatchObject({ entries: null, hits: 1, misses: 3 });
});

describe('a shared value', () => {
  let state = 0;
  const refreshes: (() => void)[] = [];
  const value = sharedValue<{ state: number }>('test_shared', async (before) => {
    const now = state;
    await new Promise<void>((resolve) => refreshes.push(resolve));
    return before?.state === now ? before : { state: now };
  });
  const settle = async () => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
    refreshes.shift()?.();
  };
  beforeEach(() => {
    state = 0;
    refreshes.length = 0;
  });

  it('refreshes once for all waiting readers, and again for a reader that asks after a change', async () => {
    const first = value.readNow();
    const joining = value.read(() => false);
    state = 1;
    const [later, latest] = [value.readNow(), value.readNow()];
    await settle();
    expect(await first).toEqual({ state: 0 });
    expect(await joining).toEqual({ state: 0 });
    await settle();
    expect(await later).toEqual({ state: 1 });
    expect(await latest).toBe(await later);
    expect(await value.read(() => true)).toBe(await later);
    expect(findStats('test_shared')).toMatchObject({ entries: 1, misses: 2 });
  });

  it('stays the same object while nothing changed, and counts that as a hit', async () => {
    const first = value.readNow();
    await settle();
    const before = await first;
    const { hits, misses } = findStats('test_shared') ?? { hits: 0, misses: 0 };
    const second = value.readNow();
    await settle();
    expect(await second).toBe(before);
    expect(findStats('test_shared')).toMatchObject({ hits: hits + 1, misses });
  });
});

it('shows every cache in the metrics, and is forgotten with the state of the process', async () => {
  byObject.load({}, 1, () => 1);
  bySize.load('a', null, () => 'four');
  bySize.load('a', null, () => 'four');
  const text = await metricsText();
  expect(text).toContain('fabric_cache_misses_total{cache="test_objects"} 1');
  expect(text).toContain('fabric_cache_hits_total{cache="test_sizes"} 1');
  expect(text).toContain('fabric_cache_entries{cache="test_sizes"} 1');
  expect(text).toContain('fabric_cache_bytes{cache="test_sizes"} 4');
  expect(text).not.toContain('fabric_cache_entries{cache="test_objects"}');
  forgetProcessState();
  expect(await metricsText()).toContain('fabric_cache_entries{cache="test_sizes"} 0');
  expect(bySize.peek('a', null)).toBeUndefined();
});
