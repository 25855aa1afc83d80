import { expect, test } from 'vitest';
import { storageLock } from './tab-lock';

function memoryStorage(): Storage {
  const map = new Map<string, string>();
  return {
    get length() {
      return map.size;
    },
    clear: () => map.clear(),
    getItem: (key) => map.get(key) ?? null,
    key: (i) => [...map.keys()][i] ?? null,
    removeItem: (key) => void map.delete(key),
    setItem: (key, value) => void map.set(key, value),
  };
}

test('one task at a time, each runs', async () => {
  const storage = memoryStorage();
  const wait = () => new Promise<void>((resolve) => setImmediate(resolve));
  let running = 0;
  let most = 0;
  let done = 0;
  const task = async () => {
    running += 1;
    most = Math.max(most, running);
    await wait();
    await wait();
    running -= 1;
    done += 1;
  };
  await Promise.all(Array.from({ length: 8 }, () => storageLock(storage, wait)(task)));
  expect(done).toBe(8);
  expect(most).toBe(1);
  expect(storage.length).toBe(0);
});

test('a claim of a tab that died runs out, and a broken one counts as none', async () => {
  const storage = memoryStorage();
  let time = 1000;
  storage.setItem('fabric.session', JSON.stringify({ owner: 'dead', until: time + 5000 }));
  let waits = 0;
  const wait = async () => {
    waits += 1;
    time += 1000;
  };
  expect(await storageLock(storage, wait, () => time)(async () => 'ran')).toBe('ran');
  expect(waits).toBeGreaterThanOrEqual(5);
  storage.setItem('fabric.session', '{nonsense');
  expect(await storageLock(storage, wait, () => time)(async () => 'ran')).toBe('ran');
});

test('a failing task frees the lock', async () => {
  const storage = memoryStorage();
  const lock = storageLock(storage, async () => undefined);
  await expect(lock(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await lock(async () => 1)).toBe(1);
});
