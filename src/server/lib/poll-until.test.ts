import { expect, it } from 'vitest';
import { pollUntil } from './poll-until';

const counter = () => {
  let reads = 0;
  return async () => ++reads;
};

it('returns the first value that is done', async () => {
  expect(await pollUntil(counter(), (reads) => reads === 3)).toBe(3);
});

it('returns the last value when the time is over', async () => {
  expect(await pollUntil(counter(), () => false, { timeoutMs: 0 })).toBe(1);
  expect(await pollUntil(counter(), () => false, { timeoutMs: 60 })).toBeGreaterThan(1);
});

it('returns immediately when the signal aborts', async () => {
  const controller = new AbortController();
  const waiting = pollUntil(counter(), () => false, { signal: controller.signal });
  controller.abort();
  expect(await waiting).toBeLessThanOrEqual(2);
});

it('fails with the error of the reading', async () => {
  await expect(
    pollUntil(
      () => Promise.reject(new Error('gone')),
      () => true,
    ),
  ).rejects.toThrow('gone');
});
